/** Bare callers of the sinks: undici's pool with nothing around it, nodemailer's pool with nothing around it. */
import nodemailer from 'nodemailer'
import { Pool } from 'undici'
import { serveCalls } from '../child.ts'
import { contentByHand, sendBody } from '../sample.ts'

export interface CallRequest {
  port: number
  connections: number
  forMs: number
}

serveCalls({
  async http({ port, connections, forMs }: CallRequest): Promise<void> {
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections, headersTimeout: 30_000 })
    const headers = { 'content-type': 'application/json' }
    await closedLoop(connections, forMs, async (n) => {
      const input = sendBody({ event: 'bench', n })
      const body = JSON.stringify({ ...input, content: contentByHand(input) })
      const reply = await pool.request({ path: '/hook', method: 'POST', headers, body })
      await reply.body.dump()
    })
    await pool.destroy()
  },

  async mail({ port, connections, forMs }: CallRequest): Promise<void> {
    const mailer = nodemailer.createTransport({
      host: '127.0.0.1',
      port,
      secure: false,
      ignoreTLS: true,
      pool: true,
      maxConnections: connections,
      maxMessages: Number.POSITIVE_INFINITY,
    })
    // Two for each connection, so that none waits for the start of the next mail.
    await closedLoop(connections * 2, forMs, async (n) => {
      const input = sendBody({ event: 'bench', n })
      const { title, body } = contentByHand(input)
      const html = `<!doctype html><html><body><p>${body.replaceAll('\n\n', '</p><p>')}</p></body></html>`
      await mailer.sendMail({ from: 'shop@example.com', to: input.profile.email, subject: title, text: body, html })
    })
    mailer.close()
  },
})

async function closedLoop(lanes: number, forMs: number, call: (n: number) => Promise<void>): Promise<void> {
  const until = performance.now() + forMs
  let n = 0
  const lane = async () => {
    while (performance.now() < until) await call((n += 1))
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}
