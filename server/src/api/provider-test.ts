/** A test of one integration: a sign-in, and a message through it alone, followed until its provider has answered. */
import { setTimeout as pause } from 'node:timers/promises'
import {
  type Channel,
  finalStatuses,
  type InputOf,
  type MessageRecipient,
  type MessageSend,
  type MessageStatus,
  type ProviderTest,
  type SettingsTest,
  testsPerMinute,
  testTimeoutMaxMs,
} from '@postrider/contract'
import { conflict, invalidField } from '../base/errors.ts'
import type { JsonObject } from '../base/json/json.ts'
import { mustBeOneOf, quoted } from '../base/quote.ts'
import { iso } from '../base/time/clock.ts'
import { findMessage, type MessageRowWithDeliveries, TEST_TAG } from '../database/tables/messages/messages.ts'
import type { IntegrationRow } from '../database/tables/workspace/integrations.ts'
import { connectionHint, signIn } from '../installation/diagnostics.ts'
import { readMessage } from '../messages/accept/read-send.ts'
import { parseDeliveries, type StoredDelivery } from '../messages/delivery.ts'
import { completed, type SendInput } from '../messages/send.ts'
import type { Provider } from '../providers/provider.ts'
import { readRecipients } from '../recipients/read-recipients.ts'
import { type CallContext, signInContext } from './call.ts'
import { createRateLimit } from './rate-limit.ts'
import { refuseProblems } from './strict-sends.ts'

type Body = NonNullable<InputOf<'providers.test'>['body']>
type TestedMessage = NonNullable<ProviderTest['message']>

const SUBJECT = 'Test message'
const TEXT = 'This is a test message from Postrider. The integration works.'
const POLL_MS = 100

/** One for each server of a process. */
const limits = new WeakMap<object, ReturnType<typeof createRateLimit>>()

/** Throws a 429 for a test too many. */
export function limitTests({ app: { metrics }, caller, now }: CallContext): void {
  let limit = limits.get(metrics)
  if (!limit) {
    limit = createRateLimit(new Map([['providers.test', testsPerMinute]]))
    limits.set(metrics, limit)
  }
  limit('providers.test', caller.workspaceId, now)
}

/** The sign-in with settings that are not stored. */
export async function testSettings(ctx: CallContext, row: IntegrationRow): Promise<SettingsTest> {
  const result = await signInOf(ctx, row)
  return { ok: result.state !== 'fail', sign_in: result }
}

/** The sign-in with settings that the integration does not have yet: nothing is released, and its breaker stays. */
export async function testChange(ctx: CallContext, row: IntegrationRow): Promise<ProviderTest> {
  const { id, provider, title } = row
  const { ok, sign_in } = await testSettings(ctx, row)
  return { ok, integration: { id, provider, title }, sign_in }
}

/** A message is made of these fields of the body. */
export const hasMessage = ({ to, recipient, profile, send }: Body): boolean =>
  send ?? (to !== undefined || recipient !== undefined || profile !== undefined)

/** Throws a 400 for a message that cannot be sent, and a 409 for one during a pause, or through an integration that is switched off. */
export async function testIntegration(ctx: CallContext, row: IntegrationRow, body: Body): Promise<ProviderTest> {
  const provider = ctx.app.providers.get(row.provider)
  const isSent = hasMessage(body)
  if (isSent) refusePaused(ctx)
  const input = isSent && provider ? await messageOf(ctx, row, provider, body) : undefined
  const check = await signInOf(ctx, row)
  // The test is the probe of an open breaker: a sign-in that went well, or where there is none, the message.
  const isProbe = check.state === 'ok' || (input && check.state === 'skip')
  if (isProbe && (await ctx.app.pipeline.resetBreaker(ctx.caller.workspaceId, row.id)))
    logClosedBreaker(ctx, row, 'a test was made')
  const message = input && (await followed(ctx, input.send, input.channel, body.timeout_ms ?? testTimeoutMaxMs))
  const isOk = message ? message.outcome === 'sent' && check.state !== 'fail' : check.state !== 'fail'
  const { id, provider: key, title } = row
  return { ok: isOk, integration: { id, provider: key, title }, sign_in: check, ...(message && { message }) }
}

/** By a person: probes that close it are logged where they end. */
export function logClosedBreaker({ app }: CallContext, { id, title, provider }: IntegrationRow, cause: string): void {
  const fields = { integration: id, title, provider }
  app.log.info({ event: 'integration.breaker_closed', ...fields }, `a circuit breaker closed: ${cause}`)
}

async function signInOf(ctx: CallContext, row: IntegrationRow): Promise<ProviderTest['sign_in']> {
  const startedAt = performance.now()
  const { state, detail, hint, settings } = await signIn(signInContext(ctx), row)
  const took = { took_ms: Math.round(performance.now() - startedAt) }
  return {
    state: state === 'warn' ? 'fail' : state,
    detail,
    ...(hint !== undefined && { hint }),
    ...(settings && { settings }),
    ...(state !== 'skip' && took),
  }
}

/** During a pause no message is sent: a test would only wait for its end. */
function refusePaused({ app }: CallContext): void {
  const { since, by } = app.service.pause
  if (since === undefined) return
  throw conflict(
    'conflict',
    `Deliveries have been paused since ${iso(since)}${by === undefined ? '' : ` by ${by}`}: no test message is sent. Resume them first, or test the sign-in only.`,
  )
}

/** A message that no other integration can take over; refused where this one has no address for it. */
async function messageOf(ctx: CallContext, row: IntegrationRow, provider: Provider, body: Body) {
  if (!row.enabled)
    throw conflict(
      'conflict',
      `The integration ${quoted(row.title)} is switched off: nothing is sent through it. Switch it on first.`,
    )
  const channels = row.channel === null ? provider.channels : [row.channel as Channel]
  const channel = body.channel ?? channels[0] ?? 'email'
  if (!channels.includes(channel)) throw invalidField('channel', `${mustBeOneOf(channels)} for this integration`)
  const profile = { ...(body.to !== undefined && profileOf(provider, channel, body.to)), ...body.profile }
  const message: MessageSend = {
    to: { ...profile, ...(body.recipient !== undefined && { user_id: body.recipient }) } as MessageRecipient,
    content: { title: body.subject ?? SUBJECT, body: body.text ?? TEXT },
    routing: { method: 'single', channels: [{ channel, method: 'single', providers: [row.id] }] },
    // No retry once the call is answered, also when this process has died.
    timeout: { message: body.timeout_ms ?? testTimeoutMaxMs },
    metadata: { tags: [TEST_TAG] },
  }
  const { shared, marks } = readMessage(message)
  const recipients = readRecipients(message.to)
  if (recipients.kind !== 'one') throw invalidField('to', 'must be one address')
  const input = completed(shared, recipients.ownInput)
  await refuseProblems({ input }, ctx)
  return { channel, send: { input, marks } }
}

function profileOf(provider: Provider, channel: Channel, to: string): JsonObject {
  if (provider.profileOf) return provider.profileOf(to)
  return channel === 'sms' ? { phone_number: to } : { email: to }
}

async function followed(
  { app, caller }: CallContext,
  send: { input: SendInput; marks: ReturnType<typeof readMessage>['marks'] },
  channel: Channel,
  withinMs: number,
): Promise<TestedMessage> {
  const { workspaceId, mode } = caller
  const accepted = await app.pipeline.accept({ workspaceId, mode, ...send })
  if (accepted.kind !== 'accepted') throw new Error('A send without a key is accepted')
  const { messageId: id } = accepted
  const end = performance.now() + withinMs
  for (;;) {
    const row = await findMessage(app.database, workspaceId, id)
    const [delivery] = parseDeliveries(row?.deliveries ?? null)
    const attempt = delivery?.log.at(-1)
    const isRefused = delivery?.state === 'waiting' && delivery.nextAt !== undefined && attempt === undefined
    const isOver = performance.now() >= end
    const isPending = row === undefined || !finalStatuses.has(row.status as MessageStatus)
    if (row && (attempt || isRefused || isOver || !isPending)) {
      const isSent = attempt?.outcome === 'sent'
      // A test is not repeated: what would be tried again is canceled.
      if (!isPending) return resultOf(row, delivery, channel, {})
      if (!isSent || isOver) {
        await app.pipeline.cancel(caller, id)
        const ended = (await findMessage(app.database, workspaceId, id)) ?? row
        return resultOf(ended, parseDeliveries(ended.deliveries)[0] ?? delivery, channel, {
          isOver,
          isDeferred: isRefused,
        })
      }
    }
    await pause(POLL_MS)
  }
}

function resultOf(
  { id, status, error: ended }: MessageRowWithDeliveries,
  delivery: StoredDelivery | undefined,
  channel: Channel,
  /** It had not ended when its time was over; a limit or the breaker of the integration deferred its call. */
  { isOver = false, isDeferred = false }: { isOver?: boolean; isDeferred?: boolean },
): TestedMessage {
  const attempt = delivery?.log.at(-1)
  const outcome = attempt?.outcome ?? (isOver && !delivery?.nextAt ? 'no_answer' : 'not_called')
  const cause = outcome === 'rejected' && delivery ? causeOf(delivery) : undefined
  const error = outcome === 'sent' ? undefined : (attempt?.error ?? delivery?.error ?? ended ?? undefined)
  const reference = delivery?.reference
  // Where the message ended without a call, its error says all.
  const isHinted = outcome !== 'sent' && (outcome !== 'not_called' || isDeferred)
  const hint = isHinted ? connectionHint(error ?? '', HINTS[cause ?? outcome]) : undefined
  return {
    ...{ id, channel, status: status as TestedMessage['status'], outcome: outcome as TestedMessage['outcome'] },
    ...(cause && { cause }),
    ...(error !== undefined && { error }),
    ...(hint !== undefined && { hint }),
    ...(reference && Object.keys(reference).length > 0 && { reference }),
    ...(attempt?.ended !== undefined && { took_ms: attempt.ended - attempt.started }),
  }
}

const causeOf = ({ recipientAtFault, misconfigured }: StoredDelivery) =>
  recipientAtFault ? 'recipient' : misconfigured ? 'configuration' : 'content'

const HINTS: Readonly<Record<string, string>> = {
  configuration: 'Look at the credentials and the sender in its settings, and at the account of the provider.',
  recipient: 'The provider refuses the address: try another one.',
  content: 'The provider refuses the content of the message.',
  retry: 'The provider or the network failed for now: test again later. Messages are tried again by themselves.',
  in_doubt: 'No answer came after the message was handed over: look whether it has arrived, and test again later.',
  not_called:
    'A limit or the open circuit breaker of the integration held the call back. A sign-in that goes well, and any change of the integration, closes the breaker.',
  no_answer: 'No node has delivered the message in time: look whether a worker runs.',
}

/** Whether a test has shown that the integration works: messages that are held for it may go on. */
export const isRepaired = ({ ok, sign_in, message }: ProviderTest): boolean =>
  ok && (message !== undefined || sign_in.state === 'ok')
