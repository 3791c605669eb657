/** The reason why a message has no candidate, and what its recipient or its workspace lacks. */
import type { Candidate } from '@postrider/contract'
import { nearestName } from '../../base/quote.ts'
import { isSandbox } from '../../providers/provider.ts'
import type { Integration } from '../facts.ts'
import { addressFor, isReal, realChannels } from './candidates.ts'
import { type Ending, optedOut, type Permitted } from './decision.ts'
import { suppressedEnding } from './suppressed.ts'

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

interface Unroutable {
  stop: Ending
  summary: string
}

/** `unresolved`: a sentence for each name of the routing that stands for nothing. */
export function whyUnroutable(
  considered: readonly Candidate[],
  unresolved: readonly string[],
  value: Permitted,
): Unroutable {
  if (considered.length === 0)
    return unroutable('NO_CHANNELS', unresolved.length > 0 ? [] : ['No channels added'], unresolved)
  if (considered.every(isUnsubscribed))
    return { stop: optedOut, summary: 'The recipient has opted out of all its channels.' }
  const suppressed = suppressedEnding(considered)
  if (suppressed) return { stop: suppressed, summary: `${suppressed.error}.` }
  if (considered.every(({ reason }) => reason === 'EXPIRED'))
    return {
      stop: { status: 'UNDELIVERABLE', reason: 'EXPIRED', error: 'Its time in the inbox is over' },
      summary: 'No inbox shows it any more.',
    }
  // The sandbox has stepped back for an integration that a condition took out.
  if (considered.some(isFiltered) && considered.every((one) => isFiltered(one) || isSandboxed(one))) {
    const failed = considered.find((one) => one.error)?.error
    const error = `The conditions of its channels ${failed === undefined ? 'are not met' : `cannot be evaluated: ${failed}`}`
    return { stop: { status: 'FILTERED', reason: 'FILTERED', error }, summary: `${error}.` }
  }
  const unaddressed = considered.filter(isUnaddressed)
  if (unaddressed.length > 0 && !considered.some((one) => isUnserved(one, considered, value)))
    return unroutable('INCOMPLETE_PROFILE_DATA', [withoutAddress(unaddressed, considered, value)], unresolved)
  return unroutable('NO_PROVIDERS', [withoutProviders(considered, value)], unresolved)
}

/** The recipient has an address in its channel, and the integrations that would use it are switched off or deleted. */
function isUnserved(candidate: Candidate, considered: readonly Candidate[], value: Permitted): boolean {
  const { channel } = candidate
  const integration = integrationOf(candidate, value)
  if (!integration || !(isOff(candidate) || isSandboxed(candidate))) return false
  const isOfReal = !isSandbox(integration.provider) || isReal(channel, value.facts.integrations, value)
  const isServed = considered.some((one) => one.channel === channel && isUnaddressed(one))
  return isOfReal && !isServed && hasAddress(candidate, value)
}

function hasAddress(candidate: Candidate, value: Permitted): boolean {
  const integration = integrationOf(candidate, value)
  return integration !== undefined && addressFor(integration, candidate.channel, value) !== undefined
}

function unroutable(
  reason: 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA',
  causes: readonly string[],
  unresolved: readonly string[],
): Unroutable {
  const summary = [...causes.map((cause) => `${cause}.`), ...unresolved].join(' ')
  // A documented text such as `No providers added` stands alone where it is the whole truth.
  const error = unresolved.length === 0 ? causes.join('; ') : summary
  return { stop: { status: 'UNROUTABLE', reason, error }, summary }
}

function withoutAddress(unaddressed: readonly Candidate[], considered: readonly Candidate[], value: Permitted): string {
  const reachable = considered.filter((one) => isSandboxed(one) && hasAddress(one, value))
  const causes = [
    `No usable address: ${addressesNeeded(unaddressed, value)}`,
    ...besideReal(reachable, considered, value),
  ]
  return causes.join('; ')
}

/** The missing fields of the profile, for each integration that could be used otherwise: first those with a value of no use. */
function addressesNeeded(unaddressed: readonly Candidate[], value: Permitted): string {
  const needs = unaddressed.map((candidate) => ({ candidate, ...profileKeys(candidate, value) }))
  const inOrder = [
    ...needs.filter(({ unusable }) => unusable !== undefined),
    ...needs.filter(({ unusable }) => unusable === undefined),
  ]
  let keysNamed = 0
  return listed(
    inOrder.map(({ candidate, keys, unusable }) => {
      const integration = integrationOf(candidate, value)
      const name = nameOf(candidate, integration)
      if (candidate.device)
        return `${name} has no active token (${candidate.device.id}: ${candidate.error ?? 'not active'})`
      const [first, second] = keys
      if (first === undefined) return `${name} needs a user id`
      if (unusable !== undefined) return `${name} cannot use the \`${unusable}\` of the profile`
      const isShort = second !== undefined && keysNamed + keys.length > KEYS_NAMED_MAX
      if (isShort) return `${name} needs one of ${keys.length} keys such as \`${first}\``
      keysNamed += keys.length
      const orToken = integration?.provider.devices ? ', or a token of the user' : ''
      if (second === undefined) return `${name} needs \`${first}\` in the profile${orToken}${misspelled(keys, value)}`
      return `${name} needs one of ${keys.map((key) => `\`${key}\``).join(', ')} in the profile${misspelled(keys, value)}`
    }),
  )
}

/** A key of the profile that was probably meant to be one of these. */
function misspelled(keys: readonly string[], { profile }: Permitted): string {
  for (const key of Object.keys(profile.merged).slice(0, KEYS_COMPARED_MAX)) {
    const near = keys.includes(key) ? undefined : nearestName(key, keys)
    if (near !== undefined) return ` (which has \`${key.slice(0, 64)}\`: did you mean \`${near}\`?)`
  }
  return ''
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
function withoutProviders(considered: readonly Candidate[], value: Permitted): string {
  const offReasons = considered.filter(isOff).map((candidate) => {
    const integration = integrationOf(candidate, value)
    return `${nameOf(candidate, integration)} ${integration?.enabled === false ? 'is switched off' : 'has secrets that cannot be read'}`
  })
  const causes = offReasons.length > 0 ? [listed(offReasons)] : []
  const real = realChannels(considered, value)
  const sandboxed = considered.filter(isSandboxed)
  const replaced = sandboxed.map(({ channel }) => channel).filter((channel) => real.includes(channel))
  if (replaced.length > 0)
    causes.push(`the mailbox does not serve ${listed(replaced)} in the place of a real integration`)
  causes.push(...besideReal(sandboxed, considered, value))
  return causes.length > 0 ? `No provider can be used: ${causes.join('; ')}` : 'No providers added'
}

/** Channels without a real integration that the mailbox leaves because they are tried in turn with one that has it. */
function besideReal(sandboxed: readonly Candidate[], considered: readonly Candidate[], value: Permitted): string[] {
  const real = realChannels(considered, value)
  const beside = sandboxed.map(({ channel }) => channel).filter((channel) => !real.includes(channel))
  if (beside.length === 0) return []
  return [
    `the mailbox does not serve ${listed(beside)} in a \`single\` routing with ${listed(real)}, which has or had a real integration`,
  ]
}

const integrationOf = ({ integration }: Candidate, { facts }: Permitted): Integration | undefined =>
  facts.integrations.find(({ id }) => id === integration)

const nameOf = ({ channel, provider }: Candidate, integration: Integration | undefined) =>
  `${channel} (${integration?.title ?? provider})`

function listed(items: readonly string[]): string {
  const different = [...new Set(items)]
  const rest = different.length - NAMED_MAX
  return different.slice(0, NAMED_MAX).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
