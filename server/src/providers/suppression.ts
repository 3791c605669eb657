/** The rule that suppresses an address, pure: the same for what a provider replies and for what it reports later. */
import type { Channel } from '@postrider/contract'
import { addressOf, type NormalAddress } from './address.ts'
import type { ReceiptKind } from './callback.ts'
import type { Gone } from './outcome.ts'

/** The result of a delivery; a reply has no kind. */
interface SuppressingResult {
  kind?: ReceiptKind
  gone?: Gone | undefined
}

export interface Suppressed extends NormalAddress {
  reason: Gone | 'complaint'
}

/** Undefined where the result is no reason, or has no address of a person or a device. */
export function suppressionBy(
  { kind, gone }: SuppressingResult,
  channel: Channel,
  to: unknown,
): Suppressed | undefined {
  const reason = kind === 'complained' ? 'complaint' : kind === 'unsubscribed' ? 'unsubscribed' : gone
  const address = reason && addressOf(channel, to)
  return address && { ...address, reason }
}
