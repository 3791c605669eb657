/** Calls that write the same rows at the same time all succeed: none is refused for another that came first. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const CALLS = 20
const WRITERS = 40

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index)
/** Every other call names them in the opposite order. */
const alternated = <Item>(items: readonly Item[], call: number) => (call % 2 === 0 ? items : items.toReversed())

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const statuses = async (method: string, body: (call: number) => [path: string, body: unknown], calls = CALLS) => {
    const answers = upTo(calls).map((call) => {
      const [path, requestBody] = body(call)
      return api.call(method, path, { body: requestBody })
    })
    return [...new Set((await Promise.all(answers)).map(({ status, text }) => `${status} ${status < 300 ? '' : text}`))]
  }
  const read = async (path: string) => (await api.call('GET', path)).json

  test('the same new lists are subscribed to in any order', async () => {
    for (const round of upTo(3)) {
      const lists = upTo(40).map((list) => ({ listId: `round${round}.list${list}` }))
      expect(
        await statuses('POST', (call) => [`/profiles/x${call}/lists`, { lists: alternated(lists, call) }]),
      ).toEqual(['200 '])
      expect((await read(`/lists/round${round}.list39/subscriptions`)).items).toHaveLength(CALLS)
    }
  })

  test('lists that are there, deleted or new are subscribed to in any order', async () => {
    const lists = upTo(30).map((list) => ({ listId: `mixed.${list}` }))
    await api.call('POST', '/profiles/old/lists', { body: { lists: lists.slice(0, 20) } })
    for (const { listId } of lists.slice(0, 10)) await api.call('DELETE', `/lists/${listId}`)
    expect(await statuses('POST', (call) => [`/profiles/y${call}/lists`, { lists: alternated(lists, call) }])).toEqual([
      '200 ',
    ])
    expect((await read('/lists/mixed.5/subscriptions')).items).toHaveLength(CALLS)
    expect((await read('/lists/mixed.15/subscriptions')).items).toHaveLength(CALLS + 1)
  })

  test('topics are chosen in any order, with or without a digest', async () => {
    const section = (await api.call('POST', '/preferences/sections', { body: { name: 'Shop' } })).json.id
    const topics: string[] = []
    for (const topic of upTo(20)) {
      const body = { name: `Topic ${topic}`, default_status: 'OPTED_IN' }
      topics.push((await api.call('POST', `/preferences/sections/${section}/topics`, { body })).json.id)
    }
    for (const _round of upTo(3)) {
      const body = (call: number): [string, unknown] => {
        const choices = topics.map((topic_id) => ({ topic_id, status: 'OPTED_OUT' }))
        return ['/users/chooser/preferences', { topics: alternated(choices, call) }]
      }
      expect(await statuses('POST', body)).toEqual(['200 '])
      expect(await statuses('PUT', body)).toEqual(['200 '])
    }
  })

  test('a user joins tenants in any order, with and without a profile of the membership', async () => {
    const ids = upTo(20).map((tenant) => `t${tenant}`)
    await Promise.all(ids.map((id) => api.call('PUT', `/tenants/${id}`, { body: { name: id } })))
    for (const round of upTo(3)) {
      const body = (call: number): [string, unknown] => {
        const tenants = ids.map((tenant_id, place) => ({
          tenant_id,
          ...((place + call) % 2 === 0 && { profile: { call } }),
        }))
        return [`/users/joiner${round}/tenants`, { tenants: alternated(tenants, call) }]
      }
      expect(await statuses('PUT', body)).toEqual(['204 '])
    }
  })

  test('one profile is merged by many at once, and nothing of it is lost', async () => {
    const body = (call: number): [string, unknown] => ['/profiles/shared', { profile: { [`key${call}`]: call } }]
    expect(await statuses('POST', body, WRITERS)).toEqual(['200 '])
    const { profile } = await read('/profiles/shared')
    expect(profile).toEqual(Object.fromEntries(upTo(WRITERS).map((call) => [`key${call}`, call])))
  })
})
