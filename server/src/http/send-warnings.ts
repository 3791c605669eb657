/** Warnings about a send's body for explanations and strict sends: unknown fields, and fields without an effect. */
import { type MessageSend, SendBody } from '@postrider/contract'
import { checkMessageFields, reportIgnored, reportIgnoredDelay } from '../automations/message-fields.ts'
import { checkFieldNames, collectWarnings, type Report } from '../automations/unknown-fields.ts'
import { unknownFields } from '../base/unknown-fields.ts'
import { readKeyExpiry } from '../pipeline/key-expiry.ts'
import type { Call } from './call.ts'

export type SendBodies = SendBody | { message: MessageSend }

export function sendWarnings(body: SendBodies): string[] {
  const { warnings, report } = collectWarnings()
  if ('message' in body) reportMessageWarnings(body, report)
  else {
    checkFieldNames(SendBody, { ...body }, { at: '', what: 'a send', report })
    reportIgnoredDelay(body.delay ?? {}, 'delay', report)
  }
  return warnings
}

/** An expiry of the call's idempotency key that is not used. */
export function expiryWarnings({ header, now }: Pick<Call, 'header' | 'now'>): string[] {
  const expiry = header('x-idempotency-expiration')
  if (!expiry || readKeyExpiry(expiry, now) !== undefined) return []
  return ['x-idempotency-expiration is neither a moment nor a duration: the key is kept for 25 hours.']
}

function reportMessageWarnings({ message, ...beside }: { message: MessageSend }, report: Report): void {
  for (const sentence of unknownFields(beside, ['message'], '')) report(() => sentence)
  checkMessageFields(message, 'message', { report, condition: () => undefined })
  reportIgnored(message, 'message', report)
}
