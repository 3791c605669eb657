/** Warnings about a send's body for explanations and strict sends: unknown fields, and fields without an effect. */
import { BulkMessage, ListSendBody, MessageSend, SendBody } from '@postrider/contract'
import { checkMessageFields, reportIgnored, reportIgnoredDelay } from '../automations/message-fields.ts'
import { checkFieldNames, collectWarnings, type Report } from '../automations/unknown-fields.ts'
import { unknownFields } from '../base/schema/unknown-fields.ts'
import { readKeyExpiry } from '../messages/send.ts'
import type { CallContext } from './call.ts'

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

export function listSendWarnings(body: ListSendBody): string[] {
  const { warnings, report } = collectWarnings()
  checkFieldNames(ListSendBody, { ...body }, { at: '', what: 'a send', report })
  reportIgnoredDelay(body.delay ?? {}, 'delay', report)
  return warnings
}

/** A job's message has the fields of either generation, those of the second one also a level down. */
export function jobWarnings({ message }: { message: BulkMessage }): string[] {
  const { warnings, report } = collectWarnings()
  const { to: _to, ...ofMessage } = MessageSend.properties
  const known = Object.keys({ ...BulkMessage.properties, ...ofMessage })
  for (const sentence of unknownFields(message, known, 'message')) report(() => sentence)
  const places = [
    { at: 'message', fields: Object.entries(message).filter(([name]) => Object.hasOwn(ofMessage, name)) },
    { at: 'message.message', fields: Object.entries(message.message ?? {}) },
  ]
  for (const { at, fields } of places) {
    checkMessageFields(Object.fromEntries(fields), at, { report, condition: () => undefined })
    reportIgnored(Object.fromEntries(fields), at, report)
  }
  return warnings
}

/** An expiry of the call's idempotency key that is not used. */
export function expiryWarnings({ header, now }: Pick<CallContext, 'header' | 'now'>): string[] {
  const expiry = header('x-idempotency-expiration')
  if (!expiry || readKeyExpiry(expiry, now) !== undefined) return []
  return ['x-idempotency-expiration is neither a moment nor a duration: the key is kept for 25 hours.']
}

function reportMessageWarnings({ message, ...beside }: { message: MessageSend }, report: Report): void {
  for (const sentence of unknownFields(beside, ['message'], '')) report(() => sentence)
  checkMessageFields(message, 'message', { report, condition: () => undefined })
  reportIgnored(message, 'message', report)
}
