/** Sends again the copies that a mail server refused for now, each by one node at a time, until they are taken or given up. */
import type { CopyNotTaken } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import { HOUR, MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import {
  claimDeferredCopies,
  type DeferredCopiesRow,
  deferredCopiesRecord,
} from '../database/tables/messages/deferred-copies.ts'
import { type ReceivingMessage, receivingMessages } from '../database/tables/messages/receipts.ts'
import { findSuppressions } from '../database/tables/suppressions/suppressions.ts'
import { findIntegration, openCredentials } from '../database/tables/workspace/integrations.ts'
import { suppressionText } from '../messages/decide/suppressions.ts'
import { deliveryId } from '../messages/delivery.ts'
import { addressOf } from '../providers/address.ts'
import type { Receipt } from '../providers/callback.ts'
import type { CopiesGenerator, Provider } from '../providers/provider.ts'
import { applyConfig } from '../providers/settings.ts'
import { IDLE_MS } from '../queue/poll.ts'
import type { Transport } from '../transport/transport.ts'
import { newReceipt } from './callback.ts'

interface CopySenderOptions {
  engine: Engine
  log: Log
  providers: ReadonlyMap<string, Provider>
  transport: Pick<Transport, 'perform'>
  secretKey: SecretKey
  /** Aborted when the process stops. */
  signal: AbortSignal
  now(): number
  /** There are receipts to apply. */
  wake(): void
}

/** Mails at the same time: as large as any. */
const MAILS_A_STEP = 4
const TIMEOUT_MS = 30 * SECOND
/** Longer than a step: the copies of a node that died are sent by another one, perhaps once more. */
const CLAIM_MS = 2 * MINUTE
/** Servers that do not know a sender yet want to see it again after minutes, others after an hour. */
const PAUSES_MS = [5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR]

/** Sends a slice of due mails; resolves with the time until the next poll. The watch over all queues wakes it. */
export function createCopySender(options: CopySenderOptions): () => Promise<number> {
  const { engine, now } = options
  return async () => {
    const time = now()
    const claimed = await claimDeferredCopies(engine, { now: time, until: time + CLAIM_MS, limit: MAILS_A_STEP })
    if (claimed.length === 0) return IDLE_MS
    const messages = new Map((await receivingMessages(engine, claimed)).map((message) => [message.id, message]))
    await Promise.all(claimed.map((copies) => sendAndRecord(copies, messages.get(copies.message_id), options)))
    return claimed.length === MAILS_A_STEP ? 0 : IDLE_MS
  }
}

/** Without its message, or its person, nothing is sent and nothing is left to say. */
async function sendAndRecord(
  copies: DeferredCopiesRow,
  message: ReceivingMessage | undefined,
  options: CopySenderOptions,
): Promise<void> {
  const { engine, now, wake } = options
  if (!message || message.is_erased) {
    await engine.run(deferredCopiesRecord(copies, { later: [], dueAt: 0, receipts: [] }, now()))
    return
  }
  const notTaken = await send(copies, message, options)
  const time = now()
  const dueAt = time + (PAUSES_MS[copies.attempts - 2] ?? 4 * HOUR)
  const isLast = dueAt > copies.ends
  const later = isLast ? [] : notTaken.filter(({ isTemporary }) => isTemporary).map(({ address }) => address)
  const errors = new Map(notTaken.map(({ address, error }) => [address, error]))
  const ended = copies.addresses.filter((address) => !later.includes(address))
  const receipts = ended.map((address) =>
    newReceipt(copies.workspace_id, receiptOf(copies, address, errors, time), time),
  )
  await engine.run(deferredCopiesRecord(copies, { later, dueAt, receipts }, time))
  if (receipts.length > 0) wake()
}

function receiptOf(
  { message_id, n }: DeferredCopiesRow,
  address: string,
  errors: ReadonlyMap<string, string>,
  at: number,
): Receipt {
  const error = errors.get(address)
  const kind = error === undefined ? 'copy_sent' : 'copy_failed'
  return { deliveryId: deliveryId(message_id, n), kind, at, address, ...(error !== undefined && { error }) }
}

/** The copies that were not taken, or not sent. */
async function send(
  copies: DeferredCopiesRow,
  { status }: ReceivingMessage,
  options: CopySenderOptions,
): Promise<readonly CopyNotTaken[]> {
  const { addresses, ends } = copies
  const without = (error: string, isTemporary = false) => addresses.map((address) => ({ address, error, isTemporary }))
  if (copies.at_most_once && copies.in_flight) return without('It may have been sent: the process died meanwhile')
  if (status === 'CANCELED') return without('The message was canceled')
  if (options.now() > ends) return without('The time to send this message ran out')
  const suppressed = await suppressedCopies(copies, options)
  const left = addresses.filter((address) => suppressed.every((copy) => copy.address !== address))
  if (left.length === 0) return suppressed
  const delivery = await deliveryOf({ ...copies, addresses: left }, options)
  if (typeof delivery === 'string') return [...suppressed, ...without(delivery, true)]
  return [
    ...suppressed,
    ...(delivery
      ? await perform(delivery, { ...copies, addresses: left }, options)
      : without('Its integration was removed')),
  ]
}

/** Those that were suppressed since the mail was sent. */
async function suppressedCopies(
  { workspace_id: workspaceId, addresses }: DeferredCopiesRow,
  { engine, now }: CopySenderOptions,
): Promise<CopyNotTaken[]> {
  const keys = addresses.flatMap((address) => {
    const key = addressOf('email', address)
    return key ? [{ ...key, workspaceId, shown: address }] : []
  })
  const entries = await findSuppressions(engine, keys, now())
  return entries.flatMap(({ n, ...suppression }) => {
    const { shown: address } = keys[n] ?? {}
    const error = suppressionText('email', suppression)
    return address === undefined ? [] : [{ address, error, isTemporary: false }]
  })
}

/** Why the integration cannot send now, until it is repaired; undefined when it was removed. */
async function deliveryOf(
  { workspace_id: workspaceId, integration, override, sender: from, addresses: to, ...copies }: DeferredCopiesRow,
  { engine, providers, secretKey, now }: CopySenderOptions,
): Promise<CopiesGenerator | string | undefined> {
  const row = await findIntegration(engine, workspaceId, integration)
  const provider = row && providers.get(row.provider)
  if (!row || row.id !== integration || !provider?.deliverCopies) return undefined
  if (!row.enabled) return 'Its integration is disabled'
  const secrets = openCredentials(secretKey, { workspaceId, id: integration }, row.secrets)
  if (!secrets) return UNREADABLE
  const { config } = override === null ? {} : ((JSON.parse(override) as Record<string, JsonObject>)[integration] ?? {})
  if (override !== null && config === undefined) return UNREADABLE
  const { settings } = applyConfig(provider, { ...row.settings, ...secrets }, config)
  const mail = { from, to, text: copies.mail, needsUtf8: copies.needs_utf8 }
  return provider.deliverCopies({ mail, settings, now: now() })
}

const UNREADABLE = 'The credentials of its integration cannot be read'

/** A sign-in with a token that was renewed needs four. */
const REQUESTS_MAX = 4

/** An adapter or a request that fails otherwise than by an answer is tried again, as long as any. */
async function perform(
  delivery: CopiesGenerator,
  { addresses, at_most_once }: DeferredCopiesRow,
  { transport, log, signal: stopping }: CopySenderOptions,
): Promise<readonly CopyNotTaken[]> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  // Where a mail is sent once at most, its answer is waited for.
  const signal = at_most_once ? late : AbortSignal.any([stopping, late])
  try {
    let step = delivery.next()
    for (let requests = 0; !step.done && requests < REQUESTS_MAX; requests += 1)
      step = delivery.next(await transport.perform(step.value, { signal, timeoutMs: TIMEOUT_MS }))
    if (step.done) return step.value
    throw new Error(`An adapter yields more than ${REQUESTS_MAX} requests`)
  } catch (error) {
    log.error({ event: 'provider.adapter_failed', err: error }, 'an adapter failed')
    return addresses.map((address) => ({ address, error: 'Internal fault of the adapter', isTemporary: true }))
  }
}
