/** Reads the results that providers keep, many a request, once over all nodes: a failure becomes a receipt, a dead token is failed. */
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine, Statement } from '../database/engine.ts'
import { guardPlan } from '../database/query.ts'
import { type ReceivingMessage, receiptsInsert, receivingMessages } from '../database/tables/messages/receipts.ts'
import { claimTickets, type TicketRow, ticketsDelete, ticketsPostpone } from '../database/tables/messages/tickets.ts'
import { type DeadToken, deadTokensUpdate, storedDevices } from '../database/tables/users/users.ts'
import { findIntegration, openCredentials } from '../database/tables/workspace/integrations.ts'
import { deviceId } from '../messages/decide/devices.ts'
import { deliveryId, parseDeliveries, type StoredDelivery } from '../messages/delivery.ts'
import type { Receipt } from '../providers/callback.ts'
import type { DeliveryResult, KeptResults, Provider } from '../providers/provider.ts'
import { IDLE_MS } from '../queue/poll.ts'
import type { Transport } from '../transport/transport.ts'
import { newReceipt } from './callback.ts'

export interface TicketOptions {
  engine: Engine
  log: Log
  providers: ReadonlyMap<string, Provider>
  transport: Pick<Transport, 'perform'>
  secretKey: SecretKey
  now(): number
  /** There are receipts to apply. */
  wake(): void
}

/** One request of Expo. */
const TICKETS_A_STEP = 1_000
const TIMEOUT_MS = 10 * SECOND
/** Longer than the requests of a step: tickets of a node that died are read by another one. */
const CLAIM_MS = 5 * MINUTE
/** Between two readings of a result that is not there yet. */
const AGAIN_MS = 15 * MINUTE
/** Integrations that are read at the same time. */
const REQUESTS_MAX = 4

/** Reads a slice of due results; resolves with the time until the next poll. The watch over all queues wakes it. */
export function createTicketReader(options: TicketOptions): () => Promise<number> {
  const { engine, now } = options
  return async () => {
    const time = now()
    const tickets = await claimTickets(engine, { now: time, until: time + CLAIM_MS, limit: TICKETS_A_STEP })
    const groups = byIntegration(tickets)
    for (let at = 0; at < groups.length; at += REQUESTS_MAX)
      await Promise.all(groups.slice(at, at + REQUESTS_MAX).map((group) => readTickets(group, time, options)))
    return tickets.length === TICKETS_A_STEP ? 0 : IDLE_MS
  }
}

function byIntegration(tickets: readonly TicketRow[]): TicketRow[][] {
  const groups = new Map<string, TicketRow[]>()
  for (const ticket of tickets) {
    const place = `${ticket.workspace_id} ${ticket.integration}`
    const group = groups.get(place)
    if (group) group.push(ticket)
    else groups.set(place, [ticket])
  }
  return [...groups.values()]
}

/** Tickets of one integration. Without it, or without results of its provider, nothing is left to read. */
async function readTickets(tickets: readonly TicketRow[], time: number, options: TicketOptions): Promise<void> {
  const { engine, log, providers, transport, secretKey } = options
  const [first] = tickets
  if (!first) return
  const { workspace_id: workspaceId, integration } = first
  const row = await findIntegration(engine, workspaceId, integration)
  const provider = row && providers.get(row.provider)
  if (!row || row.id !== integration || !provider?.results) {
    await engine.batch([guardPlan, ticketsDelete(tickets)])
    return
  }
  const { results } = provider
  const fields = { event: 'results.not_read', provider: provider.key, integration } as const
  const secrets = openCredentials(secretKey, { workspaceId, id: integration }, row.secrets)
  for (let at = 0; at < tickets.length; at += results.idsMax) {
    const slice = tickets.slice(at, at + results.idsMax)
    const ids = slice.map(({ ticket }) => ticket)
    const read = secrets && (await resultsOf(results, ids, { ...row.settings, ...secrets }, transport))
    if (!read) log.warn(fields, 'the results that the provider keeps could not be read')
    await record(slice, read ?? new Map(), provider, { ...options, results, time })
  }
}

/** Undefined where the reply is no answer. */
async function resultsOf(
  { request, read }: KeptResults<unknown>,
  ids: readonly string[],
  settings: unknown,
  transport: TicketOptions['transport'],
): Promise<ReadonlyMap<string, DeliveryResult> | undefined> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  return read(await transport.perform(request(ids, settings), { signal, timeoutMs: TIMEOUT_MS }))
}

/** One commit: receipts of failures, dead tokens, and the tickets that have a result or whose time is over. */
async function record(
  tickets: readonly TicketRow[],
  read: ReadonlyMap<string, DeliveryResult>,
  provider: Provider,
  { engine, wake, results, time }: TicketOptions & { results: KeptResults<unknown>; time: number },
): Promise<void> {
  const isOver = ({ created }: TicketRow) => time + AGAIN_MS > created + results.keptMs
  const ended = tickets.filter((ticket) => read.has(ticket.ticket) || isOver(ticket))
  const open = tickets.filter((ticket) => !ended.includes(ticket))
  const failures = ended.flatMap((ticket) => {
    const result = read.get(ticket.ticket)
    return result?.error === undefined ? [] : [{ ticket, result }]
  })
  const { receipts, deadTokens } = await effectsOf(failures, provider, engine, time)
  const writes: Statement[] = [
    ...(deadTokens.length > 0 ? [deadTokensUpdate(deadTokens, time)] : []),
    ...(receipts.length > 0 ? [receiptsInsert(receipts, time)] : []),
    ...(ended.length > 0 ? [ticketsDelete(ended)] : []),
    ...(open.length > 0 ? [ticketsPostpone(open, time + AGAIN_MS)] : []),
  ]
  if (writes.length > 0) await engine.batch([guardPlan, ...writes])
  if (receipts.length > 0) wake()
}

interface TicketFailure {
  ticket: TicketRow
  result: DeliveryResult
}

/** A stored token that is gone fails; the address of any other is suppressed by its receipt. */
async function effectsOf(failures: readonly TicketFailure[], provider: Provider, engine: Engine, time: number) {
  const messages = new Map(
    (failures.length === 0
      ? []
      : await receivingMessages(
          engine,
          failures.map(({ ticket }) => ticket),
        )
    ).map((message) => [message.id, message]),
  )
  const tokens = await storedTokensOf(failures, messages, provider, engine, time)
  const deadTokens: (DeadToken & { workspaceId: number; userId: string })[] = []
  const receipts = failures.map(({ ticket, result: { error, gone, address } }) => {
    const storedToken = gone && tokens.get(ticket)
    if (storedToken) deadTokens.push({ ...storedToken, reason: error ?? '', goneAt: ticket.created })
    const receipt: Receipt & { integration: string } = {
      ...{ deliveryId: deliveryId(ticket.message_id, ticket.n), kind: 'bounced', at: time },
      ...(error !== undefined && { error }),
      ...(gone && { gone }),
      ...(address !== undefined && !storedToken && { address }),
      integration: ticket.integration,
    }
    return newReceipt(ticket.workspace_id, receipt, time)
  })
  return { receipts, deadTokens }
}

/** The stored tokens of devices whose provider does not know them any more. */
async function storedTokensOf(
  failures: readonly TicketFailure[],
  messages: ReadonlyMap<string, ReceivingMessage>,
  provider: Provider,
  engine: Engine,
  time: number,
) {
  const gone = failures.filter(({ result }) => result.gone)
  const requests = gone.flatMap(({ ticket: { message_id: id, workspace_id: workspaceId } }, n) => {
    const userId = messages.get(id)?.recipient
    return userId === undefined ? [] : [{ n, workspaceId, userId, providers: [provider.key] }]
  })
  const tokens = new Map<TicketRow, { workspaceId: number; userId: string; token: string; version: number }>()
  if (requests.length === 0) return tokens
  const devices = new Map((await storedDevices(engine, requests, time)).map(({ n, devices: all }) => [n, all ?? []]))
  for (const { n, workspaceId, userId } of requests) {
    const { ticket } = gone[n] ?? {}
    const delivery = ticket && deliveryOf(ticket, messages)
    const device = devices.get(n)?.find(({ token }) => deviceId(token) === delivery?.device?.id)
    if (ticket && device) tokens.set(ticket, { workspaceId, userId, token: device.token, version: device.version })
  }
  return tokens
}

const deliveryOf = (
  { message_id: id, n }: TicketRow,
  messages: ReadonlyMap<string, ReceivingMessage>,
): StoredDelivery | undefined => parseDeliveries(messages.get(id)?.deliveries ?? null)[n]
