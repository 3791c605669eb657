/** Habits and known faults of clients that the public API bears, and so does this service. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, EVENT, nothing } from './wire.ts'

const EMPTY = { body: '', headers: { 'content-type': 'application/json' } }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  test('a slash at the end and a slash too many are no other path', async () => {
    for (const path of ['/lists/', '//lists', '/lists//'])
      expect([path, (await call(app, 'GET', path)).status]).toEqual([path, 200])
  })

  test('a browser may send a preflight request, with any headers', async () => {
    const { status, headers } = await app.call('OPTIONS', '/users/u/preferences', {
      apiKey: '',
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'PUT',
        'access-control-request-headers': 'authorization,idempotency-key,x-stainless-lang,x-courier-client-key',
      },
    })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect(headers.get('access-control-allow-methods')).toContain('PUT')
    for (const name of ['authorization', 'idempotency-key', 'x-stainless-lang', 'x-courier-client-key'])
      expect(headers.get('access-control-allow-headers')?.toLowerCase()).toContain(name)
  })

  test.each(['a@b.co', 'auth0|7', 'x:y', 'a/b', 'a b', 'ü', '100%'])('%s is a user id like any other', async (id) => {
    const path = `/profiles/${encodeURIComponent(id)}`
    await call(app, 'PUT', path, { body: { profile: { id } } })
    expect((await call(app, 'GET', path)).json.profile).toEqual({ id })
    expect((await app.client.profiles.get(id)).profile).toEqual({ id })
  })

  test('a call that needs no body accepts a JSON content type without a body', async () => {
    await call(app, 'PUT', '/lists/empty', { body: { name: 'Empty' } })
    await call(app, 'DELETE', '/lists/empty')
    nothing(await call(app, 'PUT', '/lists/empty/restore', EMPTY))
    nothing(await call(app, 'PUT', '/users/u/tokens', EMPTY))
    const { jobId } = (await call(app, 'POST', '/bulk', { body: { message: { event: EVENT } } })).json
    expect((await call(app, 'POST', `/bulk/${jobId}/run`, EMPTY)).status).toBe(202)
    const body = { event: EVENT, recipient: 'r', delay: { duration: 600_000 } }
    const { messageId } = (await call(app, 'POST', '/send', { body })).json
    expect((await call(app, 'POST', `/messages/${messageId}/cancel`, EMPTY)).status).toBe(200)
  })

  test('a reply without a body has its length in a header', async () => {
    const list = await call(app, 'PUT', '/lists/lengths', { body: { name: 'Lengths' } })
    expect([list.status, list.headers.get('content-length')]).toEqual([204, null])
    const { messageId } = (await call(app, 'POST', '/send', { body: { event: EVENT, recipient: 'r' } })).json
    const archived = await call(app, 'PUT', `/requests/${messageId}/archive`)
    expect([archived.status, archived.headers.get('content-length')]).toEqual([202, '0'])
  })

  test('a time may be milliseconds or ISO 8601', async () => {
    await call(app, 'POST', '/send', { body: { event: EVENT, recipient: 'times' } })
    for (const after of [Date.now() - 60_000, new Date(Date.now() - 60_000).toISOString()])
      expect((await call(app, 'GET', `/messages?recipient=times&enqueued_after=${after}`)).json.results).toHaveLength(1)
    const { results } = (await call(app, 'GET', `/messages?recipient=times&enqueued_after=${Date.now() + 60_000}`)).json
    expect(results).toEqual([])
  })

  test('6.0.0 gets a job where it is run, and archives where the output is', async () => {
    const { jobId } = (await call(app, 'POST', '/bulk', { body: { message: { event: EVENT } } })).json
    const job = await call(app, 'GET', `/bulk/${jobId}/run`)
    expect([job.status, job.json.job?.status]).toEqual([200, 'CREATED'])
    const { messageId } = (await call(app, 'POST', '/send', { body: { event: EVENT, recipient: 'six' } })).json
    const archived = await call(app, 'PUT', `/messages/${messageId}/output`)
    expect([archived.status, archived.text]).toEqual([202, ''])
    expect((await call(app, 'GET', '/messages?recipient=six')).json.results).toEqual([])
  })

  test('4.1 changes an audience without saying how: refused, and nothing is changed', async () => {
    const filter = { operator: 'EQ', path: 'title', value: 'Engineer' }
    await call(app, 'PUT', '/audiences/kept', { body: { name: 'Kept', filter } })
    expect((await call(app, 'PUT', '/audiences/kept')).status).toBe(400)
    expect((await call(app, 'GET', '/audiences/kept')).json).toMatchObject({ name: 'Kept', filter })
  })
})
