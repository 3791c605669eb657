/** Profiles are listed newest first, and found by the beginning of an id, an address, a number or a name. */
import { beforeAll, expect, test } from 'vitest'
import { mustCall } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  const put = (id: string, profile: object) => mustCall(api, 'PUT', `/profiles/${encodeURIComponent(id)}`, { profile })
  /** The ids of all pages, and the lengths of the pages. */
  const pages = async (query: string, limit = 2) => {
    const ids: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const path = `/profiles?limit=${limit}${query && `&${query}`}${cursor && `&cursor=${cursor}`}`
      const { results, paging } = await mustCall(api, 'GET', path)
      expect(results.length).toBeLessThanOrEqual(limit)
      ids.push(...results.map(({ id }: { id: string }) => id))
      cursor = paging.cursor
      expect(paging.more).toBe(cursor !== undefined)
    }
    return ids
  }
  const search = (text: string, limit?: number) => pages(`search=${encodeURIComponent(text)}`, limit)

  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
    const profiles: Record<string, object> = {
      ada: { name: 'Ada Lovelace', email: 'Ada@Example.com', phone_number: '+1 (202) 555-0143' },
      'ada@example.com': { email: 'ada@example.com', given_name: 'Ada', family_name: 'King' },
      bob: { email: 'adam@example.com', nickname: 'Bobby' },
      carol: { email: { odd: true }, phone_number: 12025550199, name: ['not', 'a', 'name'] },
      'dan_100%': { email: 'x'.repeat(5_000), phone_number: '1'.repeat(5_000) },
      eve: {},
      'u-17': { given_name: 'Grace', family_name: 'Hopper' },
      'u-18': { name: ' Augusta de Morgan ' },
    }
    for (const [id, profile] of Object.entries(profiles)) {
      api.time.now += 1_000
      await put(id, profile)
    }
  })

  test('the list is newest first, with the name to show and the addresses', async () => {
    expect(await pages('')).toEqual(['u-18', 'u-17', 'eve', 'dan_100%', 'carol', 'bob', 'ada@example.com', 'ada'])
    const { results } = await mustCall(api, 'GET', '/profiles')
    const shown = results.map(({ id, name, email, phone_number }: Record<string, unknown>) => [
      ...[id, name, String(email).slice(0, 20), String(phone_number).slice(0, 20)],
    ])
    expect(shown.toReversed()).toEqual([
      ['ada', 'Ada Lovelace', 'Ada@Example.com', '+1 (202) 555-0143'],
      ['ada@example.com', 'Ada King', 'ada@example.com', 'null'],
      ['bob', 'Bobby', 'adam@example.com', 'null'],
      ['carol', null, 'null', 'null'],
      ['dan_100%', null, 'x'.repeat(20), '1'.repeat(20)],
      ['eve', null, 'null', 'null'],
      ['u-17', 'Grace Hopper', 'null', 'null'],
      ['u-18', ' Augusta de Morgan ', 'null', 'null'],
    ])
    expect(results[0]).toMatchObject({ created: api.time.now, updated: api.time.now })
  })

  test('a search finds ids, addresses in any case and numbers in any spelling, each profile once', async () => {
    for (const limit of [1, 2, 100]) {
      expect(await search('ada', limit)).toEqual(['ada', 'ada@example.com', 'bob'])
      expect(await search('ADA@', limit)).toEqual(['ada', 'ada@example.com'])
      expect(await search('+1 202', limit)).toEqual(['ada', 'carol'])
      expect(await search('1', limit)).toEqual(['dan_100%', 'ada', 'carol'])
    }
    expect(await search('dan_100%')).toEqual(['dan_100%'])
    expect(await search('dan_1%')).toEqual([])
    expect(await search('da')).toEqual(['dan_100%'])
    expect(await search('+')).toEqual([])
    expect(await search('x'.repeat(320))).toEqual(['dan_100%'])
  })

  test('a search finds names from their beginning and family names, in any case', async () => {
    for (const limit of [1, 2, 100]) {
      expect(await search('grace h', limit)).toEqual(['u-17'])
      expect(await search('HOPPER', limit)).toEqual(['u-17'])
      expect(await search('morgan', limit)).toEqual(['u-18'])
      expect(await search('ada', limit)).toEqual(['ada', 'ada@example.com', 'bob'])
    }
    expect(await search('king')).toEqual(['ada@example.com'])
    expect(await search('race')).toEqual([])
  })

  test('a profile of another environment is not found, a cursor of the list is none of a search', async () => {
    for (const query of ['', '?search=ada'])
      expect((await api.call('GET', `/profiles${query}`, { apiKey: keys.test })).json.results).toEqual([])
    const { paging } = await mustCall(api, 'GET', '/profiles?limit=1')
    expect((await api.call('GET', `/profiles?search=a&cursor=${paging.cursor}`)).json.code).toBe('invalid_cursor')
    expect((await api.call('GET', '/profiles?color=red')).status).toBe(400)
  })
})
