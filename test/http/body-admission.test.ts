/** Bodies are admitted while there is memory for them; small ones and other calls go on meanwhile. */
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { until } from '../support/until.ts'

const LARGE = Buffer.from(`{"event":"e","recipient":"r","data":{"a":"${'x'.repeat(5_000_000)}"}}`)
const SMALL = Buffer.from('{"event":"e","recipient":"r"}')
const CHUNK = 65_536

interface Held {
  call: ClientRequest
  reply: Promise<{ status: number; headers: IncomingMessage['headers']; text: string }>
}

withApp((open) => {
  let api: RecordingApp
  /** Sends that were read and wait for their commit. */
  const waiting: (() => void)[] = []
  beforeAll(async () => {
    api = await open({
      pipeline: 'recording',
      replace: {
        pipeline: {
          accept: async (send) => {
            if (send.input.data) await new Promise<void>((resolve) => waiting.push(resolve))
            return { kind: 'accepted', messageId: 'm' }
          },
        },
      },
    })
  })

  function post(body: Buffer, { chunked = false, connection = 'keep-alive' } = {}): Held {
    const call = request(`${api.url}/send`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${keys.production}`,
        connection,
        ...(chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': body.length }),
      },
    })
    const reply = (async () => {
      const [answer] = (await once(call, 'response')) as [IncomingMessage]
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += part
      return { status: answer.statusCode ?? 0, headers: answer.headers, text }
    })()
    reply.catch(() => undefined)
    for (let at = 0; at < body.length; at += CHUNK) call.write(body.subarray(at, at + CHUNK))
    call.end()
    return { call, reply }
  }

  const proceed = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  /** As many large bodies as are admitted, and one that is not. */
  async function fill(options: { chunked?: boolean; connection?: string }) {
    const admitted: Held[] = []
    for (let count = 1; count <= 20; count += 1) {
      const call = post(LARGE, options)
      const outcome = await Promise.race([
        call.reply,
        until(
          async () => waiting.length,
          (length) => length >= count,
        ),
      ])
      if (typeof outcome === 'object') return { held: admitted, refused: outcome }
      admitted.push(call)
    }
    throw new Error('Twenty bodies of 5 MB were admitted at once')
  }

  /** The status of one more body: admitted or not. */
  async function probe(): Promise<number> {
    const { reply } = post(LARGE)
    const admitted = until(async () => waiting.length > 0, Boolean)
    admitted.then(proceed, () => undefined)
    const { status } = await reply
    return status
  }

  describe.each([
    ['that has its length in a header', { chunked: false }],
    ['in chunks', { chunked: true }],
    ['on a connection that is closed afterwards', { connection: 'close' }],
  ])('a body %s', (_how, options) => {
    test('beyond what is admitted is refused with Retry-After, small ones are served', async () => {
      const { held: admitted, refused } = await fill(options)
      expect(refused.status).toBe(503)
      expect(refused.headers['retry-after']).toBe('1')
      expect(JSON.parse(refused.text)).toMatchObject({ type: 'api_error', message: expect.stringMatching(/./) })
      expect(admitted.length).toBeGreaterThan(5)
      expect((await post(SMALL, options).reply).status).toBe(200)
      proceed()
      for (const { reply } of admitted) expect((await reply).status).toBe(200)

      expect(await probe()).toBe(200)
    })
  })

  test('the body of a caller who hung up counts until the work on it has ended', async () => {
    const { held: admitted } = await fill({})
    for (const { call } of admitted) call.destroy()
    await Promise.allSettled(admitted.map(({ reply }) => reply))
    expect((await post(LARGE).reply).status).toBe(503)
    proceed()
    expect(await probe()).toBe(200)
  })

  test('a body that its caller gives up half way counts no more', async () => {
    const halves = Array.from({ length: 10 }, () => {
      const call = request(`${api.url}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.production}`, 'content-length': LARGE.length },
      })
      call.on('error', () => undefined).write(LARGE.subarray(0, 1_000_000))
      return call
    })
    await until(probe, (status) => status === 503)
    for (const call of halves) call.destroy()
    await until(probe, (status) => status === 200)
  })

  test('a chunked body beyond 7 MB is refused', async () => {
    const { reply } = post(Buffer.alloc(7_500_000, 'x'), { chunked: true })
    expect((await reply).status).toBe(413)
  })

  test('a body in chunks is read like any other', async () => {
    const before = api.sends.length
    expect((await post(SMALL, { chunked: true }).reply).status).toBe(200)
    expect((await post(Buffer.from('{"event":'), { chunked: true }).reply).status).toBe(400)
    expect(api.sends.length).toBe(before)
  })
})
