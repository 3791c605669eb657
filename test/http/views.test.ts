/** Views are saved, replaced, listed by page and deleted; each environment has its own, and no more than a hundred. */
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const put = (name: string, body: object) => api.call('PUT', `/views/${encodeURIComponent(name)}`, { body })
  const list = async (query = '', apiKey?: string) =>
    (await api.call('GET', `/views${query}`, apiKey === undefined ? {} : { apiKey })).json.results

  test('a view is saved and replaced, and keeps its time of creation', async () => {
    const created = api.time.now
    const first = await put('Failed / today 😀', { page: 'messages', filters: { status: ['UNDELIVERABLE'] } })
    expect([first.status, first.json]).toEqual([
      200,
      {
        name: 'Failed / today 😀',
        page: 'messages',
        filters: { status: ['UNDELIVERABLE'] },
        created,
        updated: created,
      },
    ])
    api.time.now += 5
    const again = await put('Failed / today 😀', { page: 'mailbox', filters: {} })
    expect(again.json).toMatchObject({ page: 'mailbox', filters: {}, created, updated: created + 5 })
    expect(await list()).toEqual([again.json])
    const { results } = await mustCall(api, 'GET', '/audit-events')
    expect(results[0]).toMatchObject({ type: 'view:saved', target: 'Failed / today 😀' })
  })

  test('the list has the views of a page, and none of another environment', async () => {
    await put('b', { page: 'messages', filters: {} })
    await put('a', { page: 'messages', filters: {} })
    expect((await list('?page=messages')).map(({ name }: { name: string }) => name)).toEqual(['a', 'b'])
    expect(await list('', keys.test)).toEqual([])
    expect((await api.call('DELETE', '/views/a', { apiKey: keys.test })).status).toBe(404)
    expect((await api.call('DELETE', '/views/a')).status).toBe(204)
    expect((await api.call('DELETE', '/views/a')).status).toBe(404)
  })

  test.each([
    [{ page: 'Messages!', filters: {} }, 'page'],
    [{ filters: {} }, 'page'],
    [{ page: 'messages', filters: [] }, 'filters'],
    [{ page: 'messages', filters: { a: 'x'.repeat(8_192) } }, 'filters'],
    [{ page: 'messages', filters: {}, color: 1 }, 'color'],
  ])('a view that does not fit is refused: %#', async (body, param) => {
    const { status, json } = await put('refused', body)
    expect([status, json.param]).toEqual([400, param])
    expect((await list()).some(({ name }: { name: string }) => name === 'refused')).toBe(false)
  })

  test('the hundred and first is a conflict, a replacement is none', async () => {
    const before = (await list()).length
    for (let n = before; n < 100; n += 1)
      expect((await put(`view ${n}`, { page: 'people', filters: {} })).status).toBe(200)
    expect((await put('one more', { page: 'people', filters: {} })).json.code).toBe('limit_reached')
    expect((await put('view 99', { page: 'messages', filters: {} })).status).toBe(200)
    expect(await list()).toHaveLength(100)
  })
})
