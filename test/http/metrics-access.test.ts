/**
 * Metrics without a key are for programs on the machine itself: not for pages in its browser, and not through a proxy.
 */
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { rawReply } from '../support/raw-request.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  async function call(headers: Record<string, string>, { method = 'GET', path = '/metrics' } = {}) {
    const sent = request(`${api.url}${path}`, { method, headers })
    sent.end()
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    answer.resume()
    return answer
  }
  const port = () => new URL(api.url).port

  test('a program on this machine needs no key, by every name of the machine', async () => {
    for (const host of ['127.0.0.1', 'localhost', 'LOCALHOST', '127.1.2.3', '[::1]'])
      for (const name of [host, `${host}:${port()}`])
        expect([name, (await call({ host: name })).statusCode]).toEqual([name, 200])
  })

  test.each<[string, Record<string, string>]>([
    ['a page whose name was made to resolve to this machine', { host: 'attacker.example' }],
    ['one that begins like this machine', { host: '127.0.0.1.attacker.example' }],
    ['one that ends like it', { host: 'x-localhost' }],
    ['a page of another site', { origin: 'https://attacker.example' }],
    ['a page without a site', { origin: 'null' }],
    ['a page on this machine', { origin: 'http://localhost:3000' }],
    ['an image of a page', { 'sec-fetch-site': 'cross-site' }],
    ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
    ['a proxy of the other kind', { forwarded: 'for=203.0.113.7' }],
    ['a proxy that names the client otherwise', { 'x-real-ip': '203.0.113.7' }],
    ['a proxy that names only itself', { via: '1.1 proxy' }],
    ...(
      [
        ...['x-forwarded', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-original-forwarded-for'],
        ...['cf-connecting-ip', 'cf-ray', 'cdn-loop', 'true-client-ip', 'x-client-ip', 'x-cluster-client-ip'],
        ...['fly-client-ip', 'fastly-client-ip', 'x-appengine-user-ip', 'x-azure-clientip', 'x-envoy-external-address'],
        ...['x-amzn-trace-id', 'x-request-id', 'x-proxy-of-the-future', 'cookie'],
      ] as const
    ).map((name): [string, Record<string, string>] => [`a proxy with ${name}`, { [name]: '203.0.113.7' }]),
    ['a link of a page', { referer: 'https://attacker.example/' }],
  ])('%s needs one, and gets no permission to read the reply', async (_who, headers) => {
    const refused = await call(headers)
    expect([refused.statusCode, refused.headers['access-control-allow-origin']]).toEqual([401, undefined])
    const served = await call({ ...headers, authorization: `Bearer ${keys.production}` })
    expect([served.statusCode, served.headers['access-control-allow-origin']]).toEqual([200, undefined])
  })

  test('the programs that read metrics need no key, with the headers that they send', async () => {
    const prometheus = {
      'user-agent': 'Prometheus/3.5.0',
      accept: 'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
      'accept-encoding': 'gzip',
      'x-prometheus-scrape-timeout-seconds': '10',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    }
    const java = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAEAAEAAAAIAAAAA' }
    for (const headers of [prometheus, java, { connection: 'close' }, { 'cache-control': 'no-cache' }])
      expect([headers, (await call(headers)).statusCode]).toEqual([headers, 200])
    expect((await fetch(`${api.url}/metrics`)).status).toBe(200)
  })

  test('a call of HTTP/1.0 needs one: so calls nginx without settings, which adds no header', async () => {
    const head = `host: localhost:${port()}\r\nconnection: close\r\n`
    expect(await rawReply(api.url, `GET /metrics HTTP/1.0\r\n${head}\r\n`)).toMatch(/^HTTP\/1.1 401 /)
    expect(await rawReply(api.url, `GET /metrics HTTP/1.1\r\n${head}\r\n`)).toMatch(/^HTTP\/1.1 200 /)
  })

  test('a preflight gets no permission', async () => {
    for (const path of ['/metrics', '//metrics', '/metrics/', '/metrics?x=1']) {
      const preflight = { origin: 'https://attacker.example', 'access-control-request-method': 'GET' }
      const { statusCode, headers } = await call(preflight, { method: 'OPTIONS', path })
      expect([path, statusCode]).toEqual([path, 405])
      expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
  })
})
