/** Sends of steps, in both generations: the fields of the step over the context of its run. */
import { MessageSend, type StepFields } from '@postrider/contract'
import { isObject, type JsonObject, merge, sortedJson } from '../../../base/json/json.ts'
import { compileLiberalCheck } from '../../../base/schema/check.ts'
import { lanes } from '../../../database/tables/messages/lanes.ts'
import { readDelay, readMessage, readShared } from '../../../messages/accept/read-send.ts'
import { inlineNotification } from '../../../messages/facts.ts'
import {
  completed,
  expiryWarning,
  type Idempotency,
  isAnonymous,
  keyExpiry,
  type Marks,
  type OwnInput,
  readKeyExpiry,
  type Send,
  type SendInput,
} from '../../../messages/send.ts'
import { readRecipients, type Target } from '../../../recipients/read-recipients.ts'
import { referencesIn } from '../../references/references.ts'
import { ownRecipient, type RunStart } from '../../run.ts'
import type { RequestEffect } from '../../run-store.ts'
import { type Next, type StepContext, StepFailed, type WrittenStep } from '../../step.ts'
import { digest } from './counter-key.ts'

type Fields = StepFields<'send'>
type Keyed = Pick<Fields, 'idempotency_key' | 'idempotency_expiry'>

/** Idempotency keys of steps are separate from those of calls, and by mode. */
const routeOf = ({ mode }: RunStart) => `automations.send/${mode}`

/** Throws a 400 that names the field of the message. */
const messageOf = compileLiberalCheck(MessageSend, 'message') as (value: unknown) => MessageSend

/** Sends `event` to `recipient`, each from the step or the run. */
export function sendEvent(fields: Fields, ctx: StepContext): Promise<Next> {
  const { run } = ctx
  const recipient = fields.recipient ?? run.context.recipient ?? ownRecipient(fields.profile)
  if (recipient === undefined) throw new StepFailed('Neither the step nor the run has a recipient')
  const profile = merge(run.context.profile ?? {}, fields.profile)
  const shared = sharedOf(fields, ctx)
  const input: SendInput = {
    ...readShared(shared),
    template: shared.event,
    recipient: String(recipient),
    ...(Object.keys(profile).length > 0 && { profile }),
  }
  return sendOne(input, fields, ctx, {})
}

/** The fields that all messages of a step share. */
export function sharedOf(
  fields: Pick<Fields, 'template' | 'brand' | 'data' | 'override'>,
  { run, state }: StepContext,
) {
  const event = fields.template ?? run.context.template
  if (event === undefined) throw new StepFailed('Neither the step nor the run has a template')
  const brand = fields.brand ?? run.context.brand
  const data = merge(state.data, fields.data)
  return { event, data, ...(brand !== undefined && { brand }), ...(fields.override && { override: fields.override }) }
}

/** Sends a message of the second generation; missing fields come from the step, else from the run. */
export async function sendMessage(message: JsonObject, fields: Fields, ctx: StepContext): Promise<Next> {
  const { run, state, now, id } = ctx
  const recipient = fields.recipient ?? run.context.recipient ?? ownRecipient(fields.profile)
  const profile = merge(run.context.profile ?? {}, fields.profile)
  const ownRecipientProfile = recipient === undefined ? undefined : { ...profile, user_id: String(recipient) }
  const isBare = !message.template && !message.content
  const completeMessage: JsonObject = {
    ...message,
    to: message.to ?? ownRecipientProfile,
    data: merge(merge(state.data, fields.data), isObject(message.data) ? message.data : undefined),
    brand_id: message.brand_id ?? fields.brand ?? run.context.brand ?? null,
    ...(isBare && { template: fields.template ?? run.context.template ?? null }),
  }
  if (completeMessage.to === undefined)
    throw new StepFailed('Neither the message nor the step nor the run has a recipient')
  const whole = messageOf(completeMessage)
  const { shared, marks: ofMessage } = readMessage(whole)
  const { notBefore, openingHours } = readDelay(whole.delay, now)
  const recipients = readRecipients(whole.to)
  if (shared.content) inlineNotification(shared.content)
  const all = { ...shared, ...(openingHours && { openingHours }) }
  if (recipients.kind === 'one') {
    const to = recipients.ownInput
    const isOwn = recipient !== undefined && to.recipient === String(recipient)
    const input = completed(all, isOwn ? { ...to, profile: merge(profile, to.profile) } : to)
    const tenant = input.tenantId === undefined ? {} : { tenantId: input.tenantId }
    return sendOne(input, fields, ctx, { ...ofMessage, ...tenant }, notBefore)
  }
  const addressing = {
    targets: recipients.targets,
    marks: { ...ofMessage, runId: run.id },
    ...(notBefore !== undefined && { notBefore }),
  }
  return many({ id: id('request'), kind: 'send', shared: all, addressing }, fields, ctx)
}

/** A send to many recipients: a fan-out request. */
export function many(request: RequestEffect, fields: Keyed, ctx: StepContext): Promise<Next> {
  const ref = { requestId: request.id }
  const to = request.addressing.targets.map(recipientsOf)
  return onceForKey(fields, to, ctx, (idempotency) => ({
    kind: 'next',
    effects: { request: { ...request, ...(idempotency && { idempotency }) } },
    ref,
    result: ref,
  }))
}

function sendOne(input: SendInput, fields: Fields, ctx: StepContext, marks: Marks, notBefore?: number): Promise<Next> {
  const make = (idempotency: Idempotency | undefined) => sending(input, ctx, marks, { notBefore, idempotency })
  return onceForKey(fields, [recipientOf(input)], ctx, make)
}

/** A recipient without a user has another id each time. */
const recipientOf = ({ recipient, profile, tenantId }: OwnInput) => ({
  ...(isAnonymous(recipient) ? { profile } : { recipient }),
  ...(tenantId !== undefined && { tenantId }),
})

function recipientsOf(target: Target): unknown {
  if (target.kind === 'users') return target.users.map((user) => user && recipientOf(user))
  return { ...target, data: {} }
}

/** If the key was used before, the step refers to what was made then; unless that has other recipients, who would be lost. */
async function onceForKey(
  fields: Keyed,
  to: readonly unknown[],
  { run, store, now }: StepContext,
  make: (idempotency: Idempotency | undefined) => Next,
): Promise<Next> {
  const idempotency = keyOf(fields, to, run, now)
  const use = idempotency && (await store.useOfKey(run.workspaceId, idempotency))
  if (!use) return make(idempotency)
  if (use.digest !== undefined && use.digest !== idempotency.digest)
    throw new StepFailed('idempotency_key was used for another recipient: each recipient needs a key of its own')
  const { result: made } = use
  return {
    kind: 'next',
    ref: made,
    result: { ...made, key_used: true },
    reason: 'the idempotency key was used already',
    ...(typeof made.messageId === 'string' && { messageIds: [made.messageId] }),
  }
}

interface SendingOptions {
  notBefore: number | undefined
  idempotency: Idempotency | undefined
}

function sending(
  input: SendInput,
  { run, id }: StepContext,
  marks: Marks,
  { notBefore, idempotency }: SendingOptions,
): Next {
  const messageId = id('send')
  const send: Send = {
    workspaceId: run.workspaceId,
    mode: run.mode,
    input,
    marks: { runId: run.id, ...run.marks, ...marks },
    ...(notBefore !== undefined && { notBefore }),
    ...(idempotency && { idempotency }),
  }
  return {
    kind: 'next',
    effects: { sends: [{ id: messageId, lane: laneOf(run), send }] },
    ref: { messageId },
    result: { messageId },
    messageIds: [messageId],
  }
}

/** Messages of a list must not delay others. */
const laneOf = ({ marks }: RunStart) => (marks?.listId === undefined ? lanes.automation : lanes.bulk)

function keyOf(
  { idempotency_key: key, idempotency_expiry: expiry }: Keyed,
  to: readonly unknown[],
  run: RunStart,
  now: number,
) {
  if (key === undefined) return undefined
  return { route: routeOf(run), key, expires: keyExpiry(expiry, now), digest: digest([sortedJson(to)]) }
}

/** Reports an expiry that is ignored. */
export function reportUnreadableExpiry(
  { idempotency_expiry: expiry }: JsonObject,
  { at, now, report }: WrittenStep,
): void {
  if (expiry === undefined || referencesIn(expiry).length > 0 || readKeyExpiry(expiry, now) !== undefined) return
  report(() => expiryWarning(`${at}.idempotency_expiry`))
}
