/** No reply is taken for another type than it says, so that an echo of the caller's words is never a page. */
import { operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { signedTokens } from '../support/open-calls.ts'
import { rawReply } from '../support/raw-request.ts'
import { appSecretKey, keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const callHeaders = { authorization: `Bearer ${keys.production}` }
  const reply = async (method: string, path: string, headers: Record<string, string> = {}) => {
    const { status, headers: answered, body } = await fetch(api.url + path, { method, headers, redirect: 'manual' })
    // A body that is not read keeps the server from its stop until it is garbage.
    await body?.cancel()
    return [status, answered.get('x-content-type-options')]
  }
  const unsniffed = [expect.any(Number), 'nosniff']
  const tokens = signedTokens(appSecretKey)

  test('every operation answers with nosniff, with a key, without one and to a link', async () => {
    const calls = operations.flatMap(({ method, path }) => {
      const filled = path.replaceAll(/:\w+/g, 'x')
      const links = tokens[path] ? [[method, path.replace(':token', tokens[path]), {}] as const] : []
      return [[method, filled, {}] as const, [method, filled, callHeaders] as const, ...links]
    })
    for (const [method, path, headers] of calls)
      expect([method, path, await reply(method, path, headers)]).toEqual([method, path, unsniffed])
  })

  test.each([
    ...['/', '/app', '/app/', '/app/messages', '/app/assets/none.js', '/app/mail-frame.html', '/nowhere', '/%zz'],
    ...['/messages', '/callbacks/x', '/u/x', '/r/x', '/p/sample'],
    ...['/docs', '/docs/sending', '/docs/style.css', '/docs/nowhere', '/openapi.json', '/metrics', '/livez', '/readyz'],
    ...['/health', '/healthz'],
  ])('%s answers with nosniff, by every method and where the caller has it', async (path) => {
    const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }
    for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS'])
      expect([method, await reply(method, path, preflight)]).toEqual([method, unsniffed])
    const { headers, body } = await fetch(api.url + path, { redirect: 'manual' })
    await body?.cancel()
    expect(await reply('GET', path, { 'if-none-match': headers.get('etag') ?? '' })).toEqual(unsniffed)
  })

  const host = 'host: localhost\r\nconnection: close\r\n'
  test.each([
    ['without a host', 400, 'GET /livez HTTP/1.1\r\nconnection: close\r\n\r\n'],
    ['with an unknown expectation', 200, `GET /livez HTTP/1.1\r\n${host}expect: tea\r\n\r\n`],
    ['with an upgrade', 200, `GET /livez HTTP/1.1\r\n${host.replace('close', 'upgrade, close')}upgrade: x\r\n\r\n`],
    ['with a header too large', 431, `GET /livez HTTP/1.1\r\n${host}x: ${'x'.repeat(20_000)}\r\n\r\n`],
    ['with too many headers', 431, `GET /livez HTTP/1.1\r\n${host}${'x: x\r\n'.repeat(100)}\r\n`],
    ['with two lengths', 400, `POST /send HTTP/1.1\r\n${host}content-length: 1\r\ncontent-length: 2\r\n\r\n`],
    ['with an unknown coding', 400, `POST /send HTTP/1.1\r\n${host}transfer-encoding: x\r\n\r\n`],
    ['for a name too long', 414, `GET /profiles/${'x'.repeat(7_000)} HTTP/1.1\r\n${host}\r\n`],
    ['of an unknown method', 400, `BREW /livez HTTP/1.1\r\n${host}\r\n`],
    ['for no path', 204, `OPTIONS * HTTP/1.1\r\n${host}\r\n`],
    ['of another protocol', 400, 'EHLO localhost\r\n\r\n'],
  ])('a request %s is answered with nosniff', async (_which, status, request) => {
    const [head = ''] = (await rawReply(api.url, request)).split('\r\n\r\n', 1)
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(head.toLowerCase()).toContain('\r\nx-content-type-options: nosniff')
  })

  test('the challenge of a provider comes back as plain text', async () => {
    const settings = { phoneNumberId: '1', accessToken: 'x', verifyToken: 'verify' }
    const { json } = await api.call('POST', '/providers', { body: { provider: 'whatsapp', settings } })
    const token = signedTokens(appSecretKey, json.id)['/callbacks/:token']
    const challenge = '<script>alert(1)</script>'
    const query = new URLSearchParams({
      ...{ 'hub.mode': 'subscribe', 'hub.verify_token': 'verify', 'hub.challenge': challenge },
    })
    const { status, text, headers } = await api.call('GET', `/callbacks/${token}?${query}`, { apiKey: '' })
    expect([status, text]).toEqual([200, challenge])
    expect(headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })
})
