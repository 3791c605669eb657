/** The list of suppressed addresses in a decision: the candidates it stops, and the copies of a mail that it leaves out. */
import type { Candidate, CandidateSuppression, Channel, DecisionParamsOf } from '@postrider/contract'
import { isObject } from '../../base/json/json.ts'
import { iso } from '../../base/time/clock.ts'
import { addressOf, type NormalAddress } from '../../providers/address.ts'
import { addressesAt } from '../../providers/mail-parts.ts'
import { DraftInvalid } from '../../providers/provider.ts'
import type { Facts, Suppression } from '../facts.ts'
import type { SendInput } from '../send.ts'
import type { Ending } from './decision.ts'

type Suppressing = Pick<Facts, 'suppressions'>

export function suppressionOf(channel: Channel, to: unknown, { suppressions }: Suppressing): Suppression | undefined {
  if (!suppressions) return undefined
  const address = addressOf(channel, to)
  return (
    address &&
    suppressions.find((suppression) => suppression.kind === address.kind && suppression.address === address.address)
  )
}

/** Without the address, which the profile has. */
export const shownSuppression = ({ id, reason, source, created }: Suppression): CandidateSuppression => ({
  id,
  reason,
  source,
  created,
})

interface Cause {
  reason: string
  source: string
  created: number
}

/** `The email address is suppressed: hard_bounce by provider/smtp since 2026-03-13T12:57:23.000Z`. */
export const suppressionText = (channel: string, suppression: Cause) =>
  `The ${channel} address is suppressed: ${suppressionCause(suppression)}`

export const suppressionCause = ({ reason, source, created }: Cause) => `${reason} by ${source} since ${iso(created)}`

type Suppressions = DecisionParamsOf<'address_suppressed'>['suppressions']

/** Without a full stop. */
export const describeSuppressions = (suppressions: Suppressions): string =>
  suppressions.map((suppression) => suppressionText(suppression.channel, suppression)).join('; ')

/** Those that differ in words: the devices of one integration can share an entry. */
export function suppressionsOf(considered: readonly Candidate[]): Suppressions {
  const byText = new Map<string, Suppressions[number]>()
  for (const { channel, suppression } of considered) {
    if (!suppression) continue
    const { reason, source, created } = suppression
    byText.set(suppressionText(channel, suppression), { channel, reason, source, created })
  }
  return [...byText.values()]
}

/** A suppressed candidate could be used otherwise: whatever is wrong with the others, this is why nothing is sent. */
export function suppressedEnding(considered: readonly Candidate[]): Ending | undefined {
  const suppressions = suppressionsOf(considered)
  if (suppressions.length === 0) return undefined
  return { status: 'UNDELIVERABLE', reason: 'SUPPRESSED', error: describeSuppressions(suppressions) }
}

/** The addresses of copies, `cc` and `bcc` of `override.channel.email`, which are looked up before the decision. */
export const copyAddresses = (input: Pick<SendInput, 'override'>): NormalAddress[] =>
  copiesOf(input).flatMap(({ address }) => addressOf('email', address) ?? [])

/** Those that are left out, each once. */
export function suppressedCopies(
  input: Pick<SendInput, 'override'>,
  facts: Suppressing,
): DecisionParamsOf<'copies_suppressed'>['copies'] {
  const byAddress = new Map(
    copiesOf(input).flatMap(({ address }) => {
      const suppression = suppressionOf('email', address, facts)
      return suppression ? [[suppression.address, suppression] as const] : []
    }),
  )
  return [...byAddress.values()].map(({ address, reason, source, created }) => ({ address, reason, source, created }))
}

/** The value of the option without them; the value itself where there are none, or where it is no list of addresses. */
export function withoutSuppressed(value: unknown, facts: Suppressing): unknown {
  if (!facts.suppressions) return value
  const addresses = readable(value)
  const left = addresses.filter(({ address }) => suppressionOf('email', address, facts) === undefined)
  return left.length < addresses.length ? left : value
}

export function copiesOf({ override }: Pick<SendInput, 'override'>) {
  const { email } = isObject(override?.channel) ? override.channel : {}
  return isObject(email) ? [...readable(email.cc), ...readable(email.bcc)] : []
}

/** None of a value that the adapter will refuse. */
function readable(value: unknown) {
  try {
    return addressesAt(value, 'cc', 'unicode')
  } catch (error) {
    if (error instanceof DraftInvalid) return []
    throw error
  }
}
