/** The reason why a message has no candidate, and what its recipient or its workspace lacks. */
import type { Candidate, DecisionParamsOf, Reason } from '@postrider/contract'
import { nearestName } from '../../base/quote.ts'
import { isSandbox } from '../../providers/provider.ts'
import type { Integration } from '../facts.ts'
import { addressFor, isReal, realChannels } from './candidates.ts'
import { type Ending, type Findings, optedOut, type Permitted, type StepFinding } from './decision.ts'
import { describeFinding, describeNeed, describeUnusable } from './findings.ts'
import { suppressedEnding, suppressionsOf } from './suppressions.ts'

const isUnsubscribed = ({ reason }: Candidate) => reason === 'UNSUBSCRIBED'

const isFiltered = ({ reason }: Candidate) => reason === 'FILTERED'
const isSandboxed = ({ reason }: Candidate) => reason === 'SANDBOX'
const isOff = ({ reason }: Candidate) => reason === 'MISSING_CONFIGURATION'
const isUnaddressed = ({ reason }: Candidate) => reason === 'INCOMPLETE_PROFILE_DATA' || reason === 'TOKEN_INACTIVE'

/** One sentence names so many integrations; the candidates of an explanation name all. */
const NAMED_MAX = 5
/** One sentence lists the profile keys of integrations up to so many; those after it are named by their number. */
const KEYS_NAMED_MAX = 8
/** The most keys of a large profile that are compared with the required ones. */
const KEYS_COMPARED_MAX = 100

type RouteFinding = StepFinding<'route'>

interface Unroutable {
  stop: Ending
  findings: Findings<RouteFinding>
}

/** `unresolved`: one for each name of the routing that stands for nothing. */
export function whyUnroutable(
  considered: readonly Candidate[],
  unresolved: readonly RouteFinding[],
  value: Permitted,
): Unroutable {
  if (considered.length === 0) return unroutable('NO_CHANNELS', [], unresolved)
  if (considered.every(isUnsubscribed))
    return { stop: optedOut, findings: [{ code: 'channels_opted_out', params: {} }] }
  if (considered.some(({ reason }) => reason === 'UNAVAILABLE'))
    return ended('UNDELIVERABLE', 'FAILED', { code: 'integrations_unavailable', params: {} })
  const suppressed = suppressedEnding(considered)
  if (suppressed)
    return {
      stop: suppressed,
      findings: [{ code: 'address_suppressed', params: { suppressions: suppressionsOf(considered) } }],
    }
  if (considered.every(({ reason }) => reason === 'EXPIRED'))
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'Its time in the inbox is over' },
      findings: [{ code: 'inbox_expired', params: {} }],
    }
  // The sandbox has stepped back for an integration that a condition took out.
  if (considered.some(isFiltered) && considered.every((entry) => isFiltered(entry) || isSandboxed(entry))) {
    const error = considered.find((entry) => entry.error)?.error
    return ended(
      'FILTERED',
      'FILTERED',
      error === undefined
        ? { code: 'channel_conditions_unmet', params: {} }
        : { code: 'channel_conditions_failed', params: { error } },
    )
  }
  const unaddressed = considered.filter(isUnaddressed)
  if (unaddressed.length > 0 && !considered.some((entry) => isUnserved(entry, considered, value)))
    return unroutable('INCOMPLETE_PROFILE_DATA', [withoutAddress(unaddressed, considered, value)], unresolved)
  return unroutable('NO_PROVIDERS', [withoutProviders(considered, value)], unresolved)
}

/** The recipient has an address in its channel, and the integrations that would use it are switched off or deleted. */
function isUnserved(candidate: Candidate, considered: readonly Candidate[], value: Permitted): boolean {
  const { channel } = candidate
  const integration = integrationOf(candidate, value)
  if (!integration || !(isOff(candidate) || isSandboxed(candidate))) return false
  const isOfReal = !isSandbox(integration.provider) || isReal(channel, value.facts.integrations, value)
  const isServed = considered.some((entry) => entry.channel === channel && isUnaddressed(entry))
  return isOfReal && !isServed && hasAddress(candidate, value)
}

function hasAddress(candidate: Candidate, value: Permitted): boolean {
  const integration = integrationOf(candidate, value)
  return integration !== undefined && addressFor(integration, candidate.channel, value) !== undefined
}

const withoutFullStop = (sentence: string) => sentence.replace(/\.$/, '')

const ended = (status: Ending['status'], reason: Reason, finding: RouteFinding): Unroutable => ({
  stop: { status, reason, error: withoutFullStop(describeFinding(finding)) },
  findings: [finding],
})

function unroutable(
  reason: 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA',
  causes: readonly RouteFinding[],
  unresolved: readonly RouteFinding[],
): Unroutable {
  const [first = { code: 'no_channels', params: {} }, ...others] = [...causes, ...unresolved]
  // A documented text such as `No providers added` stands alone where it is the whole truth.
  if (unresolved.length === 0) return ended('UNROUTABLE', reason, first)
  const findings: Findings<RouteFinding> = [first, ...others]
  return { stop: { status: 'UNROUTABLE', reason, error: findings.map(describeFinding).join(' ') }, findings }
}

function withoutAddress(
  unaddressed: readonly Candidate[],
  considered: readonly Candidate[],
  value: Permitted,
): RouteFinding {
  const reachable = considered.filter((entry) => isSandboxed(entry) && hasAddress(entry, value))
  // An address for the mailbox would not help where it steps back for a real integration.
  const ofReal = unaddressed.filter((entry) => !isOfMailbox(entry, value))
  const helpful = isSteppingBack(considered, value) && ofReal.length > 0 ? ofReal : unaddressed
  const { items: needs, more } = named(addressesNeeded(helpful, value), describeNeed)
  return { code: 'no_address', params: { needs, more, ...besideReal(reachable, considered, value) } }
}

const isOfMailbox = (candidate: Candidate, value: Permitted) => {
  const { provider } = integrationOf(candidate, value) ?? {}
  return provider !== undefined && isSandbox(provider)
}

/** The mailbox is left out of channels without a real integration, for one in another channel. */
const isSteppingBack = (considered: readonly Candidate[], value: Permitted) =>
  besideReal(considered.filter(isSandboxed), considered, value).sandbox_channels.length > 0

type Need = DecisionParamsOf<'no_address'>['needs'][number]

/** The missing fields of the profile, for each integration that could be used otherwise: first those with a value of no use. */
function addressesNeeded(unaddressed: readonly Candidate[], value: Permitted): Need[] {
  const needs = unaddressed.map((candidate) => ({ candidate, ...profileKeys(candidate, value) }))
  const inOrder = [
    ...needs.filter(({ unusable }) => unusable !== undefined),
    ...needs.filter(({ unusable }) => unusable === undefined),
  ]
  let keysNamed = 0
  return inOrder.map(({ candidate, keys, unusable }): Need => {
    const integration = integrationOf(candidate, value)
    const need = { ...nameOf(candidate, integration), keys: [], keys_total: keys.length, or_token: false }
    const { device, error } = candidate
    if (device) return { ...need, need: 'device_token', device: device.id, ...(error !== undefined && { error }) }
    const [first, second] = keys
    if (first === undefined) return { ...need, need: 'user_id' }
    if (unusable !== undefined) return { ...need, need: 'usable_value', keys: [unusable] }
    const isShort = second !== undefined && keysNamed + keys.length > KEYS_NAMED_MAX
    if (isShort) return { ...need, need: 'one_of_many_keys', keys: [first] }
    keysNamed += keys.length
    const written = { ...need, keys: [...keys], ...misspelled(keys, value) }
    if (second !== undefined) return { ...written, need: 'one_of_keys' }
    return { ...written, need: 'profile_key', or_token: integration?.provider.devices !== undefined }
  })
}

/** A key of the profile that was probably meant to be one of these. */
function misspelled(keys: readonly string[], { profile }: Permitted): Pick<Need, 'misspelled' | 'suggestion'> {
  for (const key of Object.keys(profile.merged).slice(0, KEYS_COMPARED_MAX)) {
    const near = keys.includes(key) ? undefined : nearestName(key, keys)
    if (near !== undefined) return { misspelled: key.slice(0, 64), suggestion: near }
  }
  return {}
}

/** Keys of the profile with a value that keeps a candidate from being used, such as an invalid address. */
export function unusableKeys(considered: readonly Candidate[], value: Permitted): string[] {
  const keys = considered.filter(isUnaddressed).map((candidate) => profileKeys(candidate, value).unusable)
  return [...new Set(keys.filter((key) => key !== undefined))]
}

/** The keys of a profile that the candidate could use, and the one that has a value it cannot use. */
function profileKeys(candidate: Candidate, value: Permitted): { keys: readonly string[]; unusable?: string } {
  const { provider } = integrationOf(candidate, value) ?? {}
  const keys = provider?.profileKeysByChannel?.[candidate.channel] ?? provider?.profileKeys ?? []
  const { merged } = value.profile
  const unusable = keys.find((key) => merged[key] !== undefined && merged[key] !== null && merged[key] !== '')
  return unusable === undefined ? { keys } : { keys, unusable }
}

/** Which integrations are off, and which channels the mailbox has left. */
function withoutProviders(considered: readonly Candidate[], value: Permitted): RouteFinding {
  const off = considered.filter(isOff).map((candidate): DecisionParamsOf<'providers_unusable'>['unusable'][number] => {
    const integration = integrationOf(candidate, value)
    const cause = integration?.enabled === false ? 'disabled' : 'unreadable'
    return { ...nameOf(candidate, integration), cause }
  })
  const { items: unusable, more } = named(off, describeUnusable)
  const real = realChannels(considered, value)
  const sandboxed = considered.filter(isSandboxed)
  const replaced_channels = channelsOf(sandboxed).filter((channel) => real.includes(channel))
  const beside = besideReal(sandboxed, considered, value)
  if (unusable.length + replaced_channels.length + beside.sandbox_channels.length === 0)
    return { code: 'no_providers', params: {} }
  return { code: 'providers_unusable', params: { unusable, more, replaced_channels, ...beside } }
}

/** Channels without a real integration that the mailbox leaves because they are tried in turn with one that has it. */
function besideReal(sandboxed: readonly Candidate[], considered: readonly Candidate[], value: Permitted) {
  const real = realChannels(considered, value)
  const beside = channelsOf(sandboxed).filter((channel) => !real.includes(channel))
  return { sandbox_channels: beside, real_channels: beside.length > 0 ? real : [] }
}

const channelsOf = (candidates: readonly Candidate[]) => [...new Set(candidates.map(({ channel }) => channel))]

const integrationOf = ({ integration }: Candidate, { facts }: Permitted): Integration | undefined =>
  facts.integrations.find(({ id }) => id === integration)

const nameOf = ({ channel, provider = '' }: Candidate, integration: Integration | undefined) => ({
  channel,
  title: integration?.title ?? provider,
})

/** Those that differ in words. */
function named<Item>(items: readonly Item[], describe: (item: Item) => string): { items: Item[]; more: number } {
  const different = [...new Map(items.map((item) => [describe(item), item])).values()]
  return { items: different.slice(0, NAMED_MAX), more: Math.max(0, different.length - NAMED_MAX) }
}
