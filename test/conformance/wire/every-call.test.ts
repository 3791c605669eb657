/** Rules for every call: authentication, size and replies; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, EVENT, refused } from './wire.ts'

const BODY_BYTES_MAX = 6 * 1_048_576

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  test('an unknown path is a 404, and a wrong method a 405 that names the right ones', async () => {
    const unknown = await call(app, 'GET', '/nowhere')
    refused(unknown, 404)
    expect(unknown.json.message).toBe('Not Found')
    for (const [method, path, allowed] of [
      ['GET', '/send', 'POST'],
      ['DELETE', '/send', 'POST'],
      ['POST', '//lists/a/?x=/b', 'GET, HEAD, PUT, DELETE'],
    ] as const) {
      const answer = await app.call(method, path, { apiKey: '' })
      refused(answer, 405)
      expect(answer.headers.get('allow')).toBe(allowed)
      expect(answer.json.message).toBe(`The method ${method} is not allowed here. Allowed: ${allowed}`)
    }
  })

  test.each([
    [200, 'GET', '/lists', {}],
    [201, 'POST', '/bulk', { body: { message: { event: EVENT } } }],
    [202, 'POST', '/send', { body: { message: { to: { user_id: 'u' }, template: EVENT } } }],
    [400, 'POST', '/send', { body: '{"event":' }],
    [401, 'GET', '/lists', { apiKey: '' }],
    [404, 'GET', '/lists/nowhere', {}],
    [404, 'GET', '/nowhere', {}],
  ])('case 54: a reply with %i is `application/json` and nothing more', async (status, method, path, options) => {
    const answer = await app.call(method, path, options)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'application/json'])
    expect(JSON.parse(answer.text)).toEqual(expect.any(Object))
  })

  test('case 55: a body of 6 MB is read, one byte more is a 413', async () => {
    const body = (length: number) => {
      const [head, tail] = ['{"event":"e","recipient":"r","data":{"a":"', '"}}']
      return head + 'x'.repeat(length - head.length - tail.length) + tail
    }
    refused(await call(app, 'POST', '/send', { body: body(BODY_BYTES_MAX + 1) }), 413)
    expect((await call(app, 'POST', '/send', { body: body(BODY_BYTES_MAX) })).status).toBe(200)
  })
})
