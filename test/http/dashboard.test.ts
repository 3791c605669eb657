/** The files of the dashboard: one page for every address below /app/, long-lived assets, compressed copies, a strict policy. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { readConfig } from '@postrider/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
}

const PAGE =
  '<!doctype html><html data-home="/app/"><title>Page</title><script src="/app/assets/index-abc.js"></script>'

withApp((open) => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-dashboard-'))
  let api: RecordingApp

  const put = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    writeFileSync(join(folder, `${name}.br`), brotliCompressSync(text))
    writeFileSync(join(folder, `${name}.gz`), gzipSync(text))
  }
  beforeAll(async () => {
    mkdirSync(join(folder, 'assets'))
    put('index.html', PAGE)
    put('mail-frame.html', '<!doctype html><title>Mail</title>')
    put('assets/index-abc.js', 'export {}')
    writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
    writeFileSync(join(folder, 'inputs.sha256'), 'digest')
    api = await open({ pipeline: 'recording', replace: { dashboard: pathToFileURL(`${folder}/`) } })
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** As it is on the wire: not decompressed, no redirect followed. */
  const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> =>
    new Promise((resolve, reject) => {
      request(`${api.url}${path}`, { headers, method }, (reply) => {
        const chunks: Buffer[] = []
        reply.on('data', (chunk: Buffer) => chunks.push(chunk))
        reply.on('end', () =>
          resolve({ status: reply.statusCode ?? 0, headers: reply.headers, body: Buffer.concat(chunks) }),
        )
      })
        .on('error', reject)
        .end()
    })

  test.each(['/', '/app'])('%s leads to the page, also below a path of a proxy', async (path) => {
    const { status, headers } = await get(path)
    expect([status, headers.location]).toEqual([302, 'app/'])
    expect(new URL(String(headers.location), `https://example.com/notify${path}`).pathname).toBe('/notify/app/')
  })

  test('a proxy may pass on the path of the public address, or take it off', async () => {
    const replace = { dashboard: pathToFileURL(`${folder}/`), publicUrl: 'https://example.com/notify' }
    const { url, call } = await open({ pipeline: 'recording', replace })
    const redirect = async (path: string) => {
      const reply = await fetch(url + path, { redirect: 'manual' })
      return [reply.status, new URL(reply.headers.get('location') ?? '', `https://example.com${path}`).pathname]
    }
    expect(await redirect('/notify')).toEqual([302, '/notify/app/'])
    expect(await redirect('/notify/')).toEqual([302, '/notify/app/'])
    expect(await redirect('/notify/app')).toEqual([302, '/notify/app/'])
    for (const path of ['/notify/app/messages', '/app/messages', '/notify/docs/style.css', '/docs/style.css'])
      expect([path, (await fetch(url + path)).status]).toEqual([path, 200])
    await call('PUT', '/profiles/a%2Fb', { body: { profile: { name: 'Ada' } } })
    expect((await call('GET', '/notify/profiles/a%2Fb')).json.profile).toEqual({ name: 'Ada' })
    expect((await call('GET', '/notifying')).json.code).toBe('unknown_path')
    // Below the path it is a caller of the proxy, who has no rights of a program on this machine.
    for (const [path, status] of [
      ['/metrics', 200],
      ['/notify/metrics', 401],
    ] as const)
      expect([path, (await fetch(url + path)).status]).toEqual([path, status])
  })

  test('addresses of guides as a code host has them lead to the pages, below the path of the public address', async () => {
    const { url } = await open({ pipeline: 'recording', replace: { publicUrl: 'https://example.com/notify' } })
    const redirect = async (path: string) => {
      const { status, headers } = await fetch(url + path, { redirect: 'manual' })
      return [path, status, headers.get('location')]
    }
    for (const [path, location] of [
      ['/docs/guides/sending', '/notify/docs/sending'],
      ['/notify/docs/guides/sending', '/notify/docs/sending'],
      ['/docs/guides/sending.md', '/notify/docs/sending'],
      ['/docs/guides/errors', '/notify/docs/errors'],
    ] as const)
      expect(await redirect(path)).toEqual([path, 308, location])
    for (const path of ['/docs/guides/nowhere', '/docs/guides/README', '/docs/guides/..%2Fsending'])
      expect(await redirect(path)).toEqual([path, 404, null])
    for (const path of ['/docs/', '/docs/guides/']) expect(await redirect(path)).toEqual([path, 200, null])
  })

  test.each(['//', '//app/', '//app/messages'])('%s ends at the page', async (path) => {
    const { origin } = new URL(api.url)
    const reply = await fetch(`${origin}${path}`)
    expect([reply.status, await reply.text()]).toEqual([200, expect.stringContaining('<title>Page</title>')])
  })

  test.each(['', 'messages', 'messages/1-2.3', 'messages/', 'a/b/c/', 'index.html', 'a//b'])(
    'the addresses in the page at /app/%s lead to its files, wherever a proxy has it',
    async (path) => {
      const { body } = await get(`/app/${path}`)
      const [, home = '', script = ''] = /data-home="(.*?)".*src="(.*?)"/.exec(body.toString()) ?? []
      for (const at of ['http://127.0.0.1:4600', 'https://example.com/notify', 'https://example.com/a/app'])
        expect([home, script].map((address) => new URL(address, `${at}/app/${path}`).href)).toEqual([
          ...[`${at}/app/`, `${at}/app/assets/index-abc.js`],
        ])
    },
  )

  test.each(['/app/', '/app/messages/1-2.3?tab=why', '/app/users/%2e%2e/x', '/app/send', '/app/index.html'])(
    '%s is the page, without a key and checked for changes at each load',
    async (path) => {
      const { status, headers, body } = await get(path, { accept: 'text/html' })
      expect([status, body.toString()]).toEqual([200, expect.stringContaining('<title>Page</title>')])
      expect(headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-cache',
        vary: 'accept-encoding',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'same-origin',
      })
      const again = await get(path, { 'if-none-match': String(headers.etag) })
      expect([again.status, again.body.length, again.headers.etag]).toEqual([304, 0, headers.etag])
    },
  )

  test('the policy of the page permits no inline script or style, no eval, no other origin and no frame around it', async () => {
    const policy = String((await get('/app/')).headers['content-security-policy'])
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "frame-src 'self'",
      "manifest-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
  })

  test('the frame for mails is sandboxed, and loads remote pictures only when they are requested', async () => {
    const policyOf = async (path: string) => String((await get(path)).headers['content-security-policy'])
    const [plain, withImages] = [
      await policyOf('/app/mail-frame.html'),
      await policyOf('/app/mail-frame.html?images=1'),
    ]
    for (const policy of [plain, withImages]) {
      expect(policy).toContain('sandbox allow-scripts')
      expect(policy).not.toContain('allow-same-origin')
      expect(policy).toContain("script-src 'self';")
      expect(policy).toContain("frame-ancestors 'self'")
    }
    expect([/img-src [^;]*/.exec(plain)?.[0], /img-src [^;]*/.exec(withImages)?.[0]]).toEqual([
      'img-src data:',
      'img-src data: https: http:',
    ])
  })

  test('assets have their digest in their name and are kept; one of an earlier build is none', async () => {
    const { status, headers, body } = await get('/app/assets/index-abc.js')
    expect([status, body.toString()]).toEqual([200, 'export {}'])
    expect(headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect((await get('/app/assets/index-old.js')).status).toBe(404)
    expect((await get('/app/icon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-cache',
    })
  })

  test('the compressed copy that the browser takes is sent as it is', async () => {
    const path = '/app/assets/index-abc.js'
    const br = await get(path, { 'accept-encoding': 'gzip, deflate, br;q=0.9' })
    expect([br.headers['content-encoding'], brotliDecompressSync(br.body).toString()]).toEqual(['br', 'export {}'])
    const gzip = await get(path, { 'accept-encoding': 'gzip, br;q=0' })
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.body).toString()]).toEqual(['gzip', 'export {}'])
    const svg = await get('/app/icon.svg', { 'accept-encoding': 'br' })
    expect([svg.headers['content-encoding'], svg.body.toString()]).toEqual([
      undefined,
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
    ])
  })

  test('a HEAD has the headers alone', async () => {
    const { status, headers, body } = await get('/app/', {}, 'HEAD')
    expect([status, headers['content-type'], body.length]).toEqual([200, 'text/html; charset=utf-8', 0])
  })

  test.each([
    '/app/inputs.sha256',
    '/app/index.html.br',
    '/app/../package.json',
    '/app/..%2f..%2fpackage.json',
    '/app/assets/..%2f..%2fetc%2fpasswd',
    '/app/%00',
    `/app/${'x/'.repeat(500)}`,
  ])('%s gives away no file', async (path) => {
    const { body } = await get(path)
    expect(body.toString()).toMatch(/<title>Page<\/title>|unknown_path/)
  })

  test('paths of the API stay those of the API', async () => {
    const messages = await get('/messages', { accept: 'text/html' })
    expect([messages.status, messages.headers['content-type']]).toEqual([401, 'application/json'])
    const unknown = await get('/nowhere', { accept: 'text/html' })
    expect([unknown.status, unknown.headers['content-type']]).toEqual([404, 'application/json'])
  })

  test('no page of another origin reads it', async () => {
    const { headers } = await get('/app/', { origin: 'https://evil.example' })
    expect(headers['access-control-allow-origin']).toBeUndefined()
  })

  test('a new build is served without a restart', async () => {
    const app = await get('/app/')
    put('assets/index-new.js', 'export const made = 2')
    put('index.html', '<!doctype html><title>New</title>')
    utimesSync(join(folder, 'index.html'), new Date(), new Date(Date.now() + 5_000))
    const after = await get('/app/', { 'if-none-match': String(app.headers.etag) })
    expect([after.status, after.body.toString()]).toEqual([200, '<!doctype html><title>New</title>'])
    expect((await get('/app/assets/index-new.js')).status).toBe(200)
  })

  test('a checkout where it is not built says how to build it', async () => {
    const dashboard = pathToFileURL(join(folder, 'none/'))
    const app = await open({ pipeline: 'recording', replace: { dashboard } })
    const reply = await fetch(`${app.url}/app/`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect(await reply.text()).toContain('npm run build')
  })

  test('POSTRIDER_DASHBOARD=off serves none', async () => {
    expect([readConfig({}).dashboard, readConfig({ POSTRIDER_DASHBOARD: 'off' }).dashboard]).toEqual([true, false])
    const app = await open({ pipeline: 'recording', replace: { dashboard: undefined } })
    for (const path of ['/', '/app/'])
      expect((await app.call('GET', path, { apiKey: '' })).json.code).toBe('unknown_path')
  })
})
