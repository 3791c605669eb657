/** Serves a queue: `POST /send` adds a job, a job is delivered, and its outcome is a row in PostgreSQL. */
import fastify from 'fastify'
import nodemailer from 'nodemailer'
import pg from 'pg'
import { Pool } from 'undici'
import { serveCalls } from '../dist/child.js'
import { contentByHand } from '../dist/sample.js'

/** As many calls at a time as Postrider makes to one provider. */
export const CALLS_MAX = 256
const MAIL_CONNECTIONS = 20
const DATABASE_CONNECTIONS = 20

const tables = `
  create table profiles (id text primary key, profile jsonb not null);
  create table messages (id text primary key, event text not null, recipient text not null, status text not null,
    enqueued timestamptz not null, sent timestamptz not null, content jsonb not null);
  create index on messages (recipient, enqueued)`

/**
 * @typedef {object} Job
 * @property {string} id
 * @property {import('../dist/sample.js').SendBody & { enqueued: number }} data
 *
 * @typedef {object} Queue
 * @property {(data: object, delayMs: number) => Promise<string>} add The id of the durable job.
 * @property {() => Promise<void>} close
 *
 * @param {(deliver: (job: Job) => Promise<void>, url: string) => Promise<Queue>} openQueue
 */
export function serve(openQueue) {
  /** @type {() => Promise<void>} */
  let close = async () => undefined
  serveCalls({
    /** @param {{ url: string, sinks: { http: number, smtp: number }, mailEvent: string }} request */
    async start({ url, sinks, mailEvent }) {
      const deliverer = await openDeliverer(url, sinks, mailEvent)
      const queue = await openQueue(deliverer.deliver, url)
      const app = fastify({ logger: false })
      app.post('/send', async ({ body }) => {
        const { delay, ...data } = body
        return { messageId: await queue.add({ ...data, enqueued: Date.now() }, delay?.duration ?? 0) }
      })
      close = async () => {
        await app.close()
        await queue.close()
        await deliverer.close()
      }
      return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)
    },
    close: () => close(),
  })
}

async function openDeliverer(url, sinks, mailEvent) {
  const database = new pg.Pool({ connectionString: url, max: DATABASE_CONNECTIONS })
  await database.query(tables)
  const provider = new Pool(`http://127.0.0.1:${sinks.http}`, { connections: CALLS_MAX, headersTimeout: 30_000 })
  const mailer = nodemailer.createTransport({
    host: '127.0.0.1',
    port: sinks.smtp,
    secure: false,
    ignoreTLS: true,
    pool: true,
    maxConnections: MAIL_CONNECTIONS,
    maxMessages: Number.POSITIVE_INFINITY,
  })

  const post = async (id, { event, recipient, data }, { title, body }) => {
    const reply = await provider.request({
      path: '/hook',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'webhook-id': id },
      body: JSON.stringify({ event, recipient, data, messageId: id, content: { title, body } }),
    })
    await reply.body.dump()
    if (reply.statusCode >= 300) throw new Error(`The provider answered ${reply.statusCode}`)
  }
  const mail = ({ email }, { title, body }) => {
    const html = `<!doctype html><html><body><p>${body.replaceAll('\n\n', '</p><p>')}</p></body></html>`
    return mailer.sendMail({ from: 'shop@example.com', to: email, subject: title, text: body, html })
  }
  return {
    /** @param {Job} job */
    async deliver({ id, data }) {
      const { rows } = await database.query({
        name: 'profile',
        text: 'select profile from profiles where id = $1',
        values: [data.recipient],
      })
      const profile = { ...rows[0]?.profile, ...data.profile }
      const content = contentByHand(data)
      if (data.event === mailEvent) await mail(profile, content)
      else await post(id, data, content)
      await database.query({
        name: 'record',
        text: `insert into messages (id, event, recipient, status, enqueued, sent, content)
          values ($1, $2, $3, 'SENT', to_timestamp($4 / 1000.0), now(), $5) on conflict (id) do nothing`,
        values: [id, data.event, data.recipient, data.enqueued, JSON.stringify(content)],
      })
    },
    async close() {
      mailer.close()
      await provider.destroy()
      await database.end()
    },
  }
}
