/** Headers and bodies that all replies have in common: type, id and message. */
import { createLog, DatabaseRefused, DatabaseUnavailable } from '@postrider/server'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  let failure: Error | undefined
  const logged: unknown[] = []

  beforeAll(async () => {
    const log = createLog('silent')
    log.error = ((context: unknown) => void logged.push(context)) as typeof log.error
    api = await open({
      pipeline: 'recording',
      replace: {
        log,
        pipeline: {
          accept: async () => {
            throw failure
          },
        },
      },
    })
  })

  const send = () => api.call('POST', '/send', { body: { event: 'e', recipient: 'r' } })

  test.each([
    ['GET', '/livez', 200],
    ['GET', '/messages', 200],
    ['GET', '/messages/none', 404],
    ['POST', '/send', 400],
    ['GET', '/nowhere', 404],
    ['PATCH', '/messages', 405],
  ])('JSON is bare application/json: %s %s', async (method, path, status) => {
    const answer = await api.call(method, path)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(answer.status).toBe(status)
  })

  test('a reply without a body has no type', async () => {
    await api.call('PUT', '/events/gone', { body: { id: 'N', type: 'notification' } })
    const answer = await api.call('DELETE', '/events/gone')
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null])
    expect(answer.headers.get('content-length')).toBeNull()
  })

  test('slashes at the end and twice in a row do not matter', async () => {
    for (const path of ['/messages/', '//messages', '//messages//?cursor='])
      expect((await api.call('GET', path)).json).toEqual({ paging: { more: false }, results: [] })
  })

  test('ids are decoded once the route is found', async () => {
    const id = 'a/b|c:d@e f ü 100%25?#'
    const path = `/profiles/${encodeURIComponent(id)}`
    await api.call('PUT', path, { body: { profile: { a: 1 } } })
    expect((await api.call('GET', path)).json.profile).toEqual({ a: 1 })
    const { rows } = await api.engine.run<{ id: string }>({ text: 'select id from profiles', values: [] })
    expect(rows).toEqual([{ id }])
  })

  test('a sane request id is given back, another one is replaced', async () => {
    const ids = ['trace-1.2:3', 'not sane', 'x'.repeat(200)]
    const replies = await Promise.all(ids.map((id) => api.call('GET', '/livez', { headers: { 'x-request-id': id } })))
    const [sane, ...others] = replies.map(({ headers }) => headers.get('x-request-id'))
    expect(sane).toBe('trace-1.2:3')
    expect(new Set(others).size).toBe(2)
    for (const other of others) expect(other).toMatch(/^[0-9a-f]{10}-\w+$/)
  })

  test('HEAD answers like GET without the body', async () => {
    const answer = await api.call('HEAD', '/livez')
    expect([answer.status, answer.text, answer.headers.get('content-length')]).toEqual([200, '', '15'])
  })

  test('a preflight of any client passes, without credentials', async () => {
    const preflight = 'authorization,idempotency-key,x-stainless-os,x-courier-client-key'
    const headers = { origin: 'https://app.example', 'access-control-request-method': 'PATCH' }
    const answer = await api.call('OPTIONS', '/profiles/a', {
      apiKey: '',
      headers: { ...headers, 'access-control-request-headers': preflight },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toBe(preflight)
    expect(answer.headers.get('access-control-allow-methods')).toContain('PATCH')
    expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('a page of any origin may read every reply and its headers; a request without an origin gets no such headers', async () => {
    const allowed = async (path: string, headers: Record<string, string>) => {
      const { headers: sent } = await api.call('GET', path, { headers })
      return [sent.get('access-control-allow-origin'), sent.get('access-control-expose-headers')]
    }
    const exposed =
      'x-request-id, retry-after, x-should-retry, idempotent-replayed, idempotency-mismatch, etag, postrider-warnings'
    for (const path of ['/livez', '/messages', '/nowhere', '/profiles/%zz', `/profiles/${'x'.repeat(7_000)}`])
      expect([path, await allowed(path, { origin: 'https://app.example' })]).toEqual([path, ['*', exposed]])
    for (const path of ['/livez', '/messages', '/profiles/%zz'])
      expect([path, await allowed(path, {})]).toEqual([path, [null, null]])
  })

  test('an unavailable database is a 503 with a retry delay', async () => {
    failure = new DatabaseUnavailable('connection to 10.0.0.7 refused')
    const answer = await send()
    expect(answer.status).toBe(503)
    expect(answer.json).toMatchObject({ type: 'api_error', message: expect.stringMatching(/./) })
    expect(answer.text).not.toContain('10.0.0.7')
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('data the database does not take are a 400', async () => {
    failure = new DatabaseRefused('invalid byte sequence', '22021')
    expect([(await send()).status, (await send()).json.type]).toEqual([400, 'invalid_request_error'])
  })

  test('a server error is a 500 that names the request and nothing else', async () => {
    failure = new Error('select secret from somewhere failed')
    const answer = await send()
    const id = answer.headers.get('x-request-id')
    expect(answer.status).toBe(500)
    expect(answer.json).toMatchObject({
      message: `Internal error; the log has it under request id ${id}`,
      type: 'api_error',
    })
    expect(logged).toEqual([{ event: 'request.failed', err: failure, requestId: id, operation: 'send.send' }])
  })

  test('guides and reference are searched by anyone, with an address that others can have added to', async () => {
    const find = (query: string) => api.call('GET', `/docs/search${query}`, { apiKey: '' })
    const page = await find('?utm_source=mail&q=stop+a+send')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'self'; .*form-action 'self'/,
    )
    expect(page.headers.get('postrider-warnings')).toBeNull()
    expect(page.text).toContain('name="q" value="stop a send"')
    expect(page.text).toMatch(/<ol class="results"><li><a href="\/docs\/sending#stop-a-send">Stop a send<\/a>/)
    expect(page.text).toContain('<mark>send</mark>')
    const hostile = await find(`?q=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(hostile.text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;"')
    expect(hostile.text).not.toMatch(/<script/)
    for (const none of ['', '?q=', '?q=the+of']) expect((await find(none)).text).not.toContain('class="results"')
    expect((await find('?q=qqzzxx')).text).toContain('Nothing in the guides and the reference has these words')
    expect((await find(`?q=${'x'.repeat(200)}`)).status).toBe(200)
    expect((await find(`?q=${'x'.repeat(201)}`)).json).toMatchObject({ code: 'invalid_field', param: 'q' })
  })

  test('every picture of every guide is served', async () => {
    const { text: index } = await api.call('GET', '/docs/guides', { apiKey: '' })
    const guides = new Set([...index.matchAll(/href="(\/docs\/[\w-]+)"/g)].map(([, path = '']) => path))
    const pictures = new Set<string>()
    for (const path of guides) {
      const { text } = await api.call('GET', path, { apiKey: '' })
      for (const [, address = ''] of text.matchAll(/<img src="([^"]+)"/g)) pictures.add(address)
    }
    expect([...pictures]).toContain('/docs/sign-in-light.webp')
    for (const address of pictures) {
      const { status, headers } = await api.call('GET', address, { apiKey: '' })
      const mediaType = `image/${address.slice(address.lastIndexOf('.') + 1)}`
      expect([address, status, headers.get('content-type')]).toEqual([address, 200, mediaType])
      expect(headers.get('cache-control')).toBe('public, max-age=300')
    }
  })

  test('the document, the page and the figures are served', async () => {
    const document = await api.call('GET', '/openapi.json', { apiKey: '' })
    expect(document.json).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'http://postrider.test' }] })
    const page = await api.call('GET', '/docs', { apiKey: '' })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; /)
    expect([page.headers.get('cache-control'), page.headers.get('vary')]).toEqual([
      'public, max-age=300',
      'origin, accept-encoding',
    ])
    const plain = await api.call('GET', '/docs/plain', { apiKey: '' })
    expect(plain.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /)
    expect(plain.text).toContain('<h3 id="send-a-notification">Send a notification<')
    expect(plain.text).toContain('<a href="/docs/sending#warnings">')
    expect(plain.text).not.toMatch(/<script/i)
    const guide = await api.call('GET', '/docs/sending', { apiKey: '' })
    expect(guide.text).toContain('curl -s http://postrider.test/send')
    const picture = await api.call('GET', '/docs/order.png', { apiKey: '' })
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png'])
    for (const name of ['secret', 'secret.webp', '..%2Fpackage.json', 'constructor', 'secret.png', '..%2Forder.png'])
      expect((await api.call('GET', `/docs/${name}`, { apiKey: '' })).status, name).toBe(404)
    for (const name of ['README', 'guarantees'])
      expect((await api.call('GET', `/docs/${name}`, { apiKey: '' })).status, name).toBe(404)
    const figures = await api.call('GET', '/metrics', { apiKey: '' })
    expect(figures.text).toMatch(/postrider_http_request_seconds_count{operation="service.docs",status="2xx"} 1/)
  })
})
