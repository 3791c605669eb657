/** New messages are followed by the id of the last one: oldest first, each once. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { insertMessage } from '../support/rows.ts'

withApp((open) => {
  let api: RecordingApp
  let first: string
  const after = async (id: string, query = '') => {
    const { status, json } = await api.call('GET', `/messages?after=${id}${query}`)
    expect(status).toBe(200)
    return json as { paging: { more: boolean; cursor?: string }; results: { id: string; recipient: string }[] }
  }
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    const at = api.time.now
    first = await insertMessage(api.engine, at, { recipient: 'first', status: 'SENT' })
    for (let n = 1; n <= 250; n += 1)
      await insertMessage(api.engine, at + n, { recipient: `r${n}`, status: n % 2 ? 'SENT' : 'UNDELIVERABLE' })
    api.time.now = at + 250 + 1_001
  })

  test('a page holds up to 200, the next one goes on after its last message', async () => {
    const page = await after(first, '&limit=200')
    expect([page.results.length, page.paging.more]).toEqual([200, true])
    expect(page.results.map(({ recipient }) => recipient).slice(0, 3)).toEqual(['r1', 'r2', 'r3'])
    const rest = await after(page.results.at(-1)?.id ?? '', '&limit=200')
    expect(rest.results.map(({ recipient }) => recipient)).toEqual(Array.from({ length: 50 }, (_, n) => `r${n + 201}`))
    expect(rest.paging).toEqual({ more: false })
    expect((await after(rest.results.at(-1)?.id ?? '')).results).toEqual([])
  })

  test('filters hold, and the default is a page of ten', async () => {
    const { results } = await after(first, '&status=UNDELIVERABLE')
    expect(results.map(({ recipient }) => recipient)).toEqual(Array.from({ length: 10 }, (_, n) => `r${2 * n + 2}`))
  })

  test('a message of the last second comes with a later call', async () => {
    const at = api.time.now
    const [last] = (await after(first, '&limit=200&recipient=r250')).results
    await insertMessage(api.engine, at, { recipient: 'late', status: 'SENT' })
    expect((await after(last?.id ?? '')).results).toEqual([])
    api.time.now = at + 1_001
    expect((await after(last?.id ?? '')).results.map(({ recipient }) => recipient)).toEqual(['late'])
  })

  test('without `after` a page holds 100, and what is no message id is refused', async () => {
    expect((await api.call('GET', '/messages?limit=200')).json.results).toHaveLength(100)
    const refused = async (query: string) => {
      const { status, json } = await api.call('GET', `/messages?${query}`)
      return [status, json.param]
    }
    expect(await refused('after=x')).toEqual([400, 'after'])
    expect(await refused(`after=${first}&cursor=abc`)).toEqual([400, 'after'])
  })
})
