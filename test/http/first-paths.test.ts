/** Paths that platforms and people try first: health checks, and the root of a server without a dashboard. */
import { expect, test } from 'vitest'
import { withApp } from '../support/app.ts'

withApp((open) => {
  const paths = ['/readyz', '/health', '/healthz']

  test('health checks of platforms have the answer of /readyz', async () => {
    const { call, url } = await open({ pipeline: 'recording' })
    for (const path of paths) {
      const { status, json } = await call('GET', path, { apiKey: '' })
      expect([path, status, json]).toEqual([path, 200, { status: 'ok' }])
      const head = await fetch(url + path, { method: 'HEAD' })
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      const posted = await call('POST', path, { apiKey: '' })
      expect([path, posted.status, posted.headers.get('allow')]).toEqual([path, 405, 'GET, HEAD'])
    }
  })

  test('a worker that is not ready says so on each of them', async () => {
    const service = { serves: 'probes' as const, notReady: async () => 'it is stopping', pause: {} }
    const { call } = await open({ pipeline: 'recording', replace: { service: service as never } })
    for (const path of paths) {
      const { status, json, headers } = await call('GET', path, { apiKey: '' })
      expect([path, status, json.message, headers.get('retry-after')]).toEqual([
        ...[path, 503, 'Not ready: it is stopping', '1'],
      ])
    }
  })

  test('without a dashboard the root leads browsers to the documents, and programs read where they are', async () => {
    const replace = { dashboard: undefined, publicUrl: 'https://example.com/notify' }
    const { call, url } = await open({ pipeline: 'recording', replace })
    for (const path of ['/', '/notify', '/notify/']) {
      const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
      const { status, headers } = await fetch(url + path, { headers: { accept }, redirect: 'manual' })
      const target = new URL(headers.get('location') ?? '', `https://example.com${path}`).pathname
      expect([path, status, target]).toEqual([path, 302, path === '/' ? '/docs' : '/notify/docs'])
      const reply = await call('GET', path, { apiKey: '' })
      expect([path, reply.status, reply.json]).toMatchObject([
        ...[path, 404],
        { code: 'unknown_path', message: 'Not Found. The reference of the API is at https://example.com/notify/docs' },
      ])
    }
  })
})
