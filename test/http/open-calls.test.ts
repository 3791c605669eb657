/** Calls without a key cost little: nothing is read for one that comes to nothing, and documents are made once. */
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { bodyMaxOf, operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { signedTokens } from '../support/open-calls.ts'
import { appSecretKey, type RecordingApp } from '../support/recording-app.ts'

const tokens = signedTokens(appSecretKey)
const withBody = operations.filter(({ access, method }) => access === 'open' && method !== 'GET')

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  /** The head of a request whose body never comes; resolves with the reply to it. */
  async function answerToHead(method: string, path: string, headers: string[]): Promise<string> {
    const { hostname, port } = new URL(api.url)
    const socket = connect(Number(port), hostname)
    try {
      const head = [`${method} ${path} HTTP/1.1`, `host: ${hostname}:${port}`, ...headers]
      socket.write(`${head.join('\r\n')}\r\n\r\n`)
      const [reply] = (await once(socket, 'data')) as [Buffer]
      return reply.toString()
    } finally {
      socket.destroy()
    }
  }

  test.each(withBody.filter(({ path }) => path.includes(':token')))(
    '$id answers a token that was not given out before the body',
    async ({ id, method, path }) => {
      const unknown = path.replace(':token', 'eA')
      const expected = id.startsWith('tracking.') ? 200 : 404
      for (const framing of ['content-length: 4000', 'transfer-encoding: chunked'])
        expect(await answerToHead(method, unknown, [framing])).toMatch(new RegExp(`^HTTP/1\\.1 ${expected} `))
    },
  )

  test.each(withBody)('$id refuses a body beyond its bound unread', async ({ id, method, path, ...rest }) => {
    const max = bodyMaxOf({ access: 'open', ...rest })
    const signed = path.replace(':token', tokens[path] ?? '')
    const reply = await answerToHead(method, signed, [`content-length: ${max + 1}`])
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(reply).toContain(`The body is larger than ${max < 1_048_576 ? `${max / 1_024} kB` : '1 MB'}`)
    expect(max).toBeLessThanOrEqual(1_048_576)
  })

  test.each(['/openapi.json', '/docs', '/docs/sending', '/docs/plain', '/docs/style.css', '/docs/search?q=backup'])(
    '%s has an entity tag, and is compressed for those who read that',
    async (path) => {
      const plain = await api.call('GET', path, { apiKey: '', headers: { 'accept-encoding': 'identity' } })
      const etag = plain.headers.get('etag') ?? ''
      expect(plain.headers.get('content-encoding')).toBeNull()
      expect(plain.headers.get('vary')).toBe('origin, accept-encoding')
      const again = await fetch(api.url + path, { headers: { 'if-none-match': `"other", W/${etag}` } })
      expect([again.status, await again.text()]).toEqual([304, ''])
      const [zipped] = (await once(get(api.url + path, { headers: { 'accept-encoding': 'gzip' } }), 'response')) as [
        IncomingMessage,
      ]
      expect(zipped.headers['content-encoding']).toBe('gzip')
      expect(gunzipSync(await buffer(zipped)).toString()).toBe(plain.text)
    },
  )
})
