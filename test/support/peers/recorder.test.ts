/** The recording HTTP peer keeps what it gets and misbehaves on demand. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Recorder, startRecorder } from './recorder.ts'

let recorder: Recorder
beforeAll(async () => {
  recorder = await startRecorder()
})
afterAll(() => recorder.close())

test('a request is kept with method, path, headers and body', async () => {
  const arrival = recorder.waitFor((request) => request.path === '/kept?x=1')
  await fetch(`${recorder.url}/kept?x=1`, { method: 'PUT', headers: { 'X-Mark': 'Ä' }, body: 'grüße' })
  expect(await arrival).toMatchObject({ method: 'PUT', headers: { 'x-mark': 'Ä' }, body: 'grüße' })
})

test('a rule is used as often as it was set for, then the next one holds', async () => {
  recorder.answer('/flaky', { status: 201, body: { ok: true }, headers: { 'x-from': 'rule' } })
  recorder.answer('/flaky', { status: 503, body: 'busy' }, 2)
  const status = async () => (await fetch(`${recorder.url}/flaky`)).status
  expect([await status(), await status(), await status()]).toEqual([503, 503, 201])
  const reply = await fetch(`${recorder.url}/flaky`)
  expect([reply.headers.get('x-from'), await reply.json()]).toEqual(['rule', { ok: true }])
})

test('an answer can depend on the request', async () => {
  recorder.answer(
    (request) => request.path.startsWith('/echo'),
    (request) => ({ body: request.body }),
  )
  expect(await (await fetch(`${recorder.url}/echo/1`, { method: 'POST', body: 'hello' })).text()).toBe('hello')
})

test('a hanging peer gives no answer and has the request all the same', async () => {
  recorder.answer('/hang', { instead: 'hang' })
  const stop = new AbortController()
  const call = fetch(`${recorder.url}/hang`, { signal: stop.signal })
  await recorder.waitFor((request) => request.path === '/hang')
  expect(recorder.abandoned()).toBe(0)
  stop.abort()
  await expect(call).rejects.toThrow()
  await expect.poll(recorder.abandoned).toBe(1)
})

test('a reset is a broken connection, not a reply', async () => {
  recorder.answer('/reset', { instead: 'reset' })
  await expect(fetch(`${recorder.url}/reset`)).rejects.toThrow()
})

test('a wait that fails names the requests that arrived instead', async () => {
  await expect(recorder.waitFor((request) => request.path === '/never', 20)).rejects.toThrow(/within 20 ms.*arrived/)
})
