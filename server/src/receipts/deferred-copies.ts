/** Sends again the copies that a mail server refused for now, each by one node at a time, until they are taken or given up. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CopyNotTaken } from '../base/exchange.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import { HOUR, MINUTE, SECOND } from '../base/time/duration.ts'
import { DatabaseRefused, type Engine } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import {
  type CopiesResult,
  claimDeferredCopies,
  type DeferredCopiesRow,
  deferredCopiesRecord,
  deferredCopiesRest,
} from '../database/tables/messages/deferred-copies.ts'
import { type ReceivingMessage, receivingMessages } from '../database/tables/messages/receipts.ts'
import { findSuppressions } from '../database/tables/suppressions/suppressions.ts'
import { findIntegration, limitsOf, openCredentials } from '../database/tables/workspace/integrations.ts'
import type { IntegrationGates } from '../limits/integration-gates.ts'
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
  gates: Pick<IntegrationGates, 'enter'>
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
/** So soon an integration is looked at again that cannot send now. */
const REPAIR_MS = 5 * MINUTE
/** How long a copy waits in memory for its turn within a limit. */
const TURN_MS = SECOND
/** While the database is away results wait in memory, within the claim. */
const [RECORD_TRIES, RECORD_PAUSE_MS] = [400, SECOND / 5]

/** Sends a slice of due mails; resolves with the time until the next poll. The watch over all queues wakes it. */
export function createCopySender(options: CopySenderOptions): () => Promise<number> {
  const { engine, log, now } = options
  return async () => {
    const time = now()
    const claimed = await claimDeferredCopies(engine, { now: time, until: time + CLAIM_MS, limit: MAILS_A_STEP })
    if (claimed.length === 0) return IDLE_MS
    const messages = new Map((await receivingMessages(engine, claimed)).map((message) => [message.id, message]))
    const unreachable = new Map<string, DeferredCopiesRow>()
    const handled = claimed.map(async (copies) => {
      try {
        const { isUnreachable } = await sendAndRecord(copies, messages.get(copies.message_id), options)
        // Another server, which an override names, says nothing about that of the integration.
        if (isUnreachable && copies.override === null) unreachable.set(copies.integration, copies)
      } catch (error) {
        // They are sent again when the claim is over.
        const fields = { event: 'message.not_recorded', err: error, message: copies.message_id } as const
        log.error(fields, 'an outcome could not be recorded')
      }
    })
    await Promise.all(handled)
    // One server that does not answer keeps no copies of others waiting.
    for (const copies of unreachable.values())
      await engine.batch([guardPlan, deferredCopiesRest(copies, now(), now() + REPAIR_MS)])
    return claimed.length === MAILS_A_STEP ? 0 : IDLE_MS
  }
}

interface Sent {
  notTaken: readonly CopyNotTaken[]
  /** In place of the pause. */
  waitMs?: number
  /** The mail server said nothing about the copies. */
  isUnreachable?: boolean
}

/** Without its message, or its person, nothing is sent and nothing is left to say. */
async function sendAndRecord(
  copies: DeferredCopiesRow,
  message: ReceivingMessage | undefined,
  options: CopySenderOptions,
): Promise<Sent> {
  const { now, wake } = options
  if (!message || message.is_erased) {
    await record(copies, { later: [], dueAt: 0, receipts: [] }, options)
    return { notTaken: [] }
  }
  const sent = await send(copies, message, options)
  const { notTaken, waitMs = PAUSES_MS[copies.attempts - 2] ?? 4 * HOUR } = sent
  const time = now()
  const dueAt = time + waitMs
  const isLast = dueAt > copies.ends
  const later = isLast ? [] : notTaken.filter(({ isTemporary }) => isTemporary).map(({ address }) => address)
  const errors = new Map(notTaken.map(({ address, error }) => [address, error]))
  const ended = copies.addresses.filter((address) => !later.includes(address))
  const receipts = ended.map((address) =>
    newReceipt(copies.workspace_id, receiptOf(copies, address, errors, time), time),
  )
  await record(copies, { later, dueAt, receipts }, options)
  if (receipts.length > 0) wake()
  return sent
}

/** A result that is lost would send the copies again. */
async function record(
  copies: DeferredCopiesRow,
  result: CopiesResult,
  { engine, now }: CopySenderOptions,
): Promise<void> {
  const statement = deferredCopiesRecord(copies, result, now())
  for (let tries = 1; ; tries += 1)
    try {
      await engine.batch([guardPlan, statement])
      return
    } catch (error) {
      if (tries === RECORD_TRIES || (error instanceof DatabaseRefused && error.isDataError)) throw error
      await pause(RECORD_PAUSE_MS)
    }
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

async function send(
  copies: DeferredCopiesRow,
  { status }: ReceivingMessage,
  options: CopySenderOptions,
): Promise<Sent> {
  const { at_most_once, in_flight, addresses, ends } = copies
  const without = (error: string, isTemporary = false) => addresses.map((address) => ({ address, error, isTemporary }))
  if (at_most_once && in_flight) return { notTaken: without('It may have been sent: the process died meanwhile') }
  if (status === 'CANCELED') return { notTaken: without('The message was canceled') }
  if (options.now() > ends) return { notTaken: without('The time to send this message ran out') }
  const suppressed = await suppressedCopies(copies, options)
  const left = addresses.filter((address) => suppressed.every((copy) => copy.address !== address))
  if (left.length === 0) return { notTaken: suppressed }
  const sent = await sendTo({ ...copies, addresses: left }, options)
  return { ...sent, notTaken: [...suppressed, ...sent.notTaken] }
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

/** Through the integration as it is now. */
async function sendTo(copies: DeferredCopiesRow, options: CopySenderOptions): Promise<Sent> {
  const { engine, providers, secretKey, gates } = options
  const { workspace_id: workspaceId, integration, override } = copies
  const ended = (error: string, waitMs?: number): Sent => ({
    notTaken: copies.addresses.map((address) => ({ address, error, isTemporary: waitMs !== undefined })),
    ...(waitMs !== undefined && { waitMs }),
  })
  const row = await findIntegration(engine, workspaceId, integration)
  const provider = row && providers.get(row.provider)
  if (!row || row.id !== integration || !provider?.deliverCopies) return ended('Its integration was removed')
  if (!row.enabled) return ended('Its integration is disabled', REPAIR_MS)
  const secrets = openCredentials(secretKey, { workspaceId, id: integration }, row.secrets)
  const { config } = override === null ? {} : ((JSON.parse(override) as Record<string, JsonObject>)[integration] ?? {})
  if (!secrets || (override !== null && config === undefined))
    return ended('The credentials of its integration cannot be read', REPAIR_MS)
  const { settings, issues } = applyConfig(provider, { ...row.settings, ...secrets }, config)
  if (issues.length > 0) return ended(`The settings of its integration are not usable: ${issues.join('; ')}`, REPAIR_MS)
  const gated = { id: row.id, version: row.version, title: row.title, provider, limits: limitsOf(row) }
  const entry = await gates.enter(workspaceId, gated, { waitMs: TURN_MS, isOwnAddress: config === undefined })
  if (entry.kind === 'refused') return ended(entry.error, Math.max(entry.waitMs, 5 * SECOND))
  const { sender: from, addresses: to, mail: text, needs_utf8: needsUtf8 } = copies
  const sent = await perform(
    provider.deliverCopies({ mail: { from, to, text, needsUtf8 }, settings, now: options.now() }),
    copies,
    options,
  )
  entry.leave(sent.isUnreachable ? undefined : 'good')
  return sent
}

/** A sign-in with a token that was renewed needs four. */
const REQUESTS_MAX = 4
/** Where a mail is sent once at most, its answer is waited for. */
const never = new AbortController().signal

/** An adapter or a request that fails otherwise than by an answer is tried again, as long as any. */
async function perform(
  delivery: CopiesGenerator,
  { addresses, at_most_once }: DeferredCopiesRow,
  { transport, log, signal: stopping }: CopySenderOptions,
): Promise<Sent> {
  const signal = at_most_once ? never : stopping
  const end = performance.now() + TIMEOUT_MS
  try {
    let step = delivery.next()
    for (let requests = 0; !step.done && requests < REQUESTS_MAX; requests += 1) {
      const timeoutMs = Math.max(1, Math.round(end - performance.now()))
      step = delivery.next(await transport.perform(step.value, { signal, timeoutMs }))
    }
    if (step.done) return step.value
    throw new Error(`An adapter yields more than ${REQUESTS_MAX} requests`)
  } catch (error) {
    log.error({ event: 'provider.adapter_failed', err: error }, 'an adapter failed')
    const failed = { error: 'Internal fault of the adapter', isTemporary: true }
    return { notTaken: addresses.map((address) => ({ address, ...failed })) }
  }
}
