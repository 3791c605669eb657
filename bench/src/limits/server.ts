/** The least a server must do: accept on disk and, with delivery, read the recipient, render, post and record. */
import { timedId } from '@postrider/server/internal/base/ids'
import fastify from 'fastify'
import { Pool } from 'undici'
import { serveCalls } from '../child.ts'
import { contentByHand, type SendBody } from '../sample.ts'
import { selfClocking } from './self-clocking.ts'
import { openStorage, type Storage, type StoragePlace } from './storage.ts'

export interface LimitRequest {
  storage: StoragePlace
  /** Where messages are posted; without it they are only accepted. */
  sinkPort?: number
}

const BATCH_MAX = 500
/** As many calls at a time as the product makes to one provider. */
const CALLS_MAX = 256

interface Row {
  id: string
  due_at: number
  [column: string]: unknown
}

let opened: Storage | undefined
/** Not recorded yet. */
const deliveries = new Set<Promise<void>>()

serveCalls({
  async start({ storage: place, sinkPort }: LimitRequest): Promise<number> {
    const storage = (opened = await openStorage(place))
    const accept = selfClocking<Row, void>(async (rows) => {
      await storage.insert(JSON.stringify(rows))
      return []
    }, BATCH_MAX)
    const deliver = sinkPort === undefined ? undefined : deliverer(storage, sinkPort)
    const app = fastify({ logger: false })
    app.post('/send', async (request) => {
      const { delay, ...input } = request.body as SendBody
      const row = rowOf(input, delay?.duration ?? 0, deliver !== undefined)
      await accept(row)
      if (deliver) {
        const delivery = deliver(row.id, input).finally(() => deliveries.delete(delivery))
        deliveries.add(delivery)
      }
      return { messageId: row.id }
    })
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
  },

  async close() {
    await Promise.all(deliveries)
    await opened?.close()
  },
})

function rowOf(input: SendBody, delayMs: number, isLeased: boolean): Row {
  const now = Date.now()
  return {
    id: timedId(now),
    workspace_id: 1,
    lane: 0,
    due_at: now + (isLeased ? 45_000 : delayMs),
    lease: isLeased ? 'AbCdEfGh-1' : null,
    claims: isLeased ? 1 : 0,
    status: delayMs > 0 ? 'DELAYED' : 'ENQUEUED',
    event: input.event,
    recipient: input.recipient,
    mode: 'live',
    enqueued: now,
    first_due: now + delayMs,
    input: JSON.stringify(input),
  }
}

function deliverer(storage: Storage, sinkPort: number) {
  const pool = new Pool(`http://127.0.0.1:${sinkPort}`, { connections: CALLS_MAX, headersTimeout: 30_000 })
  const profileOf = selfClocking<string, object | undefined>(async (recipients) => {
    const profiles = await storage.profiles(JSON.stringify(recipients))
    const byId = new Map(profiles.map(({ id, profile }) => [id, profile]))
    return recipients.map((id) => byId.get(id))
  }, BATCH_MAX)
  const finish = selfClocking<object, void>(async (rows) => {
    await storage.finish(JSON.stringify(rows))
    return []
  }, BATCH_MAX)

  return async (id: string, input: SendBody) => {
    const started = Date.now()
    const { event, recipient, data } = input
    const profile = { ...(await profileOf(recipient)), ...input.profile }
    const { title, body } = contentByHand({ ...input, profile })
    const reply = await pool.request({
      path: '/hook',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': `${id}-0` },
      body: JSON.stringify({
        event,
        recipient,
        profile: {},
        data,
        messageId: id,
        notification: NOTIFICATION,
        content: { title, subject: title, body, text: body, html: `<p>${body}</p>`, blocks: [], actions: [] },
      }),
    })
    await reply.body.dump()
    await finish(doneOf(id, event, started, Date.now()))
  }
}

const NOTIFICATION = 'ZQ4M9R2K7T1WXBHN5D8C3VFJ6PYA'
const INTEGRATION = 'C3VFJ6PYAZQ4M9R2K7T1WXBHN5D8'

/** As long as what the product writes. */
function doneOf(id: string, event: string, started: number, ended: number) {
  const via = { channel: { id: 'webhook' }, integration: { id: INTEGRATION, provider: 'webhook' } }
  const reference = { 'webhook-id': `${id}-0` }
  const way = { channel: 'webhook', provider: 'webhook', integration: INTEGRATION }
  const attempt = { number: 1, started, ended, outcome: 'sent' }
  const stages = { state: 'sent', attempts: 1, firstAt: started, sentAt: ended, deliveredAt: ended }
  return {
    id,
    status: 'DELIVERED',
    notification_id: NOTIFICATION,
    sent: ended,
    delivered: ended,
    pinned: JSON.stringify({ notification: { id: NOTIFICATION, version: 1 }, considered: [{ ...way, usable: true }] }),
    deliveries: JSON.stringify([{ n: 0, ...way, ...stages, reference, log: [attempt] }]),
    events: JSON.stringify([
      { type: 'MAPPED', ts: started, event_id: event, notification_id: NOTIFICATION },
      { type: 'RENDERED', ts: started, n: 0, ...via },
      { type: 'SENT', ts: ended, ...via, reference },
      { type: 'DELIVERED', ts: ended, ...via, reference },
    ]),
  }
}
