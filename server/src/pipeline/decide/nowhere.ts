/** Why a message goes nowhere, from the candidates that were considered. */
import type { Candidate } from '@postrider/contract'
import type { Integration } from '../facts.ts'
import type { Ending, Permitted } from './deciding.ts'
import { optedOut } from './preferences.ts'

export const isUnwanted = ({ reason }: Candidate) => reason === 'UNSUBSCRIBED'

const isFiltered = ({ reason }: Candidate) => reason === 'FILTERED'
const isSandboxed = ({ reason }: Candidate) => reason === 'SANDBOX'

/** One sentence names so many integrations; the candidates of an explanation name all. */
const NAMED_MAX = 5

interface Nowhere {
  stop: Ending
  summary: string
}

/** `unresolved`: a sentence for each name of the routing that stands for nothing. */
export function whyNowhere(considered: readonly Candidate[], unresolved: readonly string[], value: Permitted): Nowhere {
  if (considered.length === 0)
    return unroutable('NO_CHANNELS', unresolved.length > 0 ? [] : ['No channels added'], unresolved)
  if (considered.every(isUnwanted))
    return { stop: optedOut, summary: 'The recipient has opted out of all its channels.' }
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
  const unaddressed = considered.filter(({ reason }) => reason === 'INCOMPLETE_PROFILE_DATA')
  if (unaddressed.length > 0)
    return unroutable(
      'INCOMPLETE_PROFILE_DATA',
      [`No usable address: ${addressesNeeded(unaddressed, value)}`],
      unresolved,
    )
  return unroutable('NO_PROVIDERS', [withoutProviders(considered, value)], unresolved)
}

function unroutable(
  reason: 'NO_CHANNELS' | 'NO_PROVIDERS' | 'INCOMPLETE_PROFILE_DATA',
  causes: readonly string[],
  unresolved: readonly string[],
): Nowhere {
  const summary = [...causes.map((cause) => `${cause}.`), ...unresolved].join(' ')
  // A documented text such as `No providers added` stands alone where it is the whole truth.
  const error = unresolved.length === 0 ? causes.join('; ') : summary
  return { stop: { status: 'UNROUTABLE', reason, error }, summary }
}

/** The missing fields of the profile, for each integration that could be used otherwise. */
function addressesNeeded(unaddressed: readonly Candidate[], value: Permitted): string {
  const { merged } = value.profile
  return listed(
    unaddressed.map((candidate) => {
      const integration = integrationOf(candidate, value)
      const { channel } = candidate
      const name = nameOf(candidate, integration)
      const keys = integration?.provider.profileKeysByChannel?.[channel] ?? integration?.provider.profileKeys ?? []
      if (keys.length === 0) return `${name} needs a user id`
      const unusable = keys.find((key) => merged[key] !== undefined && merged[key] !== null && merged[key] !== '')
      if (unusable !== undefined) return `${name} cannot use the \`${unusable}\` of the profile`
      const needed = keys.map((key) => `\`${key}\``)
      return `${name} needs ${needed.length === 1 ? '' : 'one of '}${needed.join(', ')} in the profile`
    }),
  )
}

/** Which integrations are off, and which channels the mailbox has left. */
function withoutProviders(considered: readonly Candidate[], value: Permitted): string {
  const off = considered.filter(({ reason }) => reason === 'MISSING_CONFIGURATION')
  const sandboxed = considered.filter(isSandboxed).map(({ channel }) => channel)
  const offReasons = off.map((candidate) => {
    const integration = integrationOf(candidate, value)
    return `${nameOf(candidate, integration)} ${integration?.enabled === false ? 'is switched off' : 'has secrets that cannot be read'}`
  })
  const causes = offReasons.length > 0 ? [listed(offReasons)] : []
  if (sandboxed.length > 0)
    causes.push(`the mailbox does not serve ${listed(sandboxed)} in the place of a real integration`)
  return causes.length > 0 ? `No provider can be used: ${causes.join('; ')}` : 'No providers added'
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
