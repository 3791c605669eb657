/** Recipients join lists and leave them: one by one, many, or all at once. */

import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'
import { isLong } from '../support/run/long.ts'
import { listCalls, missing, optedOut, some } from './list-calls.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })
  const { idsOf, read, recipients, status, write } = listCalls(() => api)

  describe('subscriptions', () => {
    test('are replaced as a whole, and make the list', async () => {
      await write('PUT', '/lists/whole/subscriptions', some('r1', 'r2'))
      expect(await read('/lists/whole')).toMatchObject({ id: 'whole', name: 'whole' })
      await write('PUT', '/lists/whole/subscriptions', some('r3'))
      expect(await recipients('whole')).toEqual(['r3'])
      await write('POST', '/lists/whole/subscriptions', some('r4', 'r3'))
      expect(await recipients('whole')).toEqual(['r3', 'r4'])
      await write('PUT', '/lists/whole/subscriptions', some())
      expect(await recipients('whole')).toEqual([])
    })

    test('are taken one by one with any body or none, and keep when they began', async () => {
      const created = new Date(api.time.now).toISOString()
      const path = '/lists/single/subscriptions/user%2F7%7Cä'
      await write('PUT', path)
      const headers = { 'content-type': 'application/json' }
      expect((await api.call('PUT', path, { body: '', headers })).status).toBe(204)
      expect((await read('/lists/single/subscriptions')).items).toEqual([{ recipientId: 'user/7|ä', created }])
      api.time.now += 1_000
      await write('PUT', path, { preferences: optedOut })
      await write('PUT', path, {})
      await write('POST', '/lists/single/subscriptions', some('user/7|ä'))
      expect((await read('/lists/single/subscriptions')).items).toEqual([
        { recipientId: 'user/7|ä', created, preferences: optedOut },
      ])
      await write('PUT', '/lists/single/subscriptions', some('user/7|ä'))
      expect((await read('/lists/single/subscriptions')).items).toEqual([{ recipientId: 'user/7|ä', created }])
    })

    test.each([
      ['a single one', { recipientId: 'a', preferences: { notifications: {}, categories: {} } }, ['a']],
      ['a bare list', [{ recipientId: 'a' }, { recipientId: 'b' }], ['a', 'b']],
      ['an empty list', [], []],
      ['one recipient twice', some('a', 'b', 'a'), ['a', 'b']],
    ])('are taken as %s', async (_title, body, expected) => {
      for (const method of ['PUT', 'POST']) {
        await write('PUT', '/lists/shapes/subscriptions', { recipients: [] })
        await write(method, '/lists/shapes/subscriptions', body)
        expect(await recipients('shapes')).toEqual(expected)
      }
    })

    test('two subscriptions of one recipient keep the preferences of the last', async () => {
      const twice = [
        { recipientId: 'a', preferences: {} },
        { recipientId: 'a', preferences: optedOut },
      ]
      await write('PUT', '/lists/twice/subscriptions', { recipients: twice })
      expect((await read('/lists/twice/subscriptions')).items).toMatchObject([{ preferences: optedOut }])
    })

    test('end one by one, and a second time with a 404', async () => {
      await write('PUT', '/lists/leave/subscriptions', some('a', 'b'))
      await write('DELETE', '/lists/leave/subscriptions/a')
      expect(await recipients('leave')).toEqual(['b'])
      expect((await api.call('DELETE', '/lists/leave/subscriptions/a')).json).toMatchObject(missing)
    })

    test('come in pages of 100', async () => {
      const ids = Array.from({ length: 201 }, (_, index) => `r ${String(index).padStart(3, '0')}`)
      await write('PUT', '/lists/many/subscriptions', some(...ids))
      const recipients: string[] = []
      let cursor = ''
      for (let page = 0; page < 3; page += 1) {
        const { paging, items } = await read(`/lists/many/subscriptions?cursor=${cursor}`)
        recipients.push(...items.map(({ recipientId }: { recipientId: string }) => recipientId))
        expect(paging.more).toBe(page < 2)
        cursor = paging.cursor
      }
      expect(recipients).toEqual(ids)
    })

    test('take the longest ids, and page through them', async () => {
      // Signs of four bytes that do not compress.
      const signs = (length: number, seed: number) =>
        Array.from({ length }, (_, i) =>
          String.fromCodePoint(0x1f300 + ((i * 37 + seed * 101 + i * i * 7) % 700)),
        ).join('')
      const list = encodeURIComponent(signs(150, 0))
      const ids = Array.from({ length: 101 }, (_, seed) => signs(512, seed + 1))
      await write('PUT', `/lists/${list}/subscriptions`, some(...ids))
      const { paging } = await read(`/lists/${list}/subscriptions`)
      expect((await read(`/lists/${list}/subscriptions?cursor=${paging.cursor}`)).items).toHaveLength(1)
      expect(await status('PUT', `/lists/${encodeURIComponent(signs(151, 0))}`, { name: 'x' })).toBe(400)
    })

    test.runIf(isLong)(
      'the 100,000 subscriptions of a list are replaced in one call',
      { timeout: 120_000 },
      async () => {
        const crowd = (from: number) =>
          `{"recipients":[${Array.from({ length: 100_000 }, (_, index) => `{"recipientId":"user-${from + index}"}`).join()}]}`
        const count = async () => {
          const { rows } = await api.engine.run<{ count: number; first: string }>({
            text: `select count(*)::int as count, min(recipient) as first from list_subscriptions where list_id = 'crowd'`,
            values: [],
          })
          return rows[0]
        }
        await write('PUT', '/lists/crowd/subscriptions', crowd(100_000))
        expect(await count()).toEqual({ count: 100_000, first: 'user-100000' })
        await write('PUT', '/lists/crowd/subscriptions', crowd(150_000))
        expect(await count()).toEqual({ count: 100_000, first: 'user-150000' })
        expect(await status('PUT', '/lists/crowd/subscriptions', `[${'{"recipientId":"u"},'.repeat(100_000)}{}]`)).toBe(
          400,
        )
        expect(await count()).toEqual({ count: 100_000, first: 'user-150000' })
      },
    )
  })

  describe('the lists of a recipient', () => {
    test('are joined together, shown with the preferences of the subscription, and left together', async () => {
      await write('PUT', '/lists/p.known', { name: 'Known', preferences: optedOut })
      await write('PUT', '/lists/p.known/subscriptions', some('other'))
      const joined = await api.call('POST', '/profiles/p/lists', {
        body: {
          lists: [{ listId: 'p.known', preferences: {} }, { listId: 'p.new' }, { listId: 'p.new', preferences: null }],
        },
      })
      expect([joined.status, joined.json]).toEqual([200, { status: 'SUCCESS' }])
      expect(await read('/profiles/p/lists')).toEqual({
        paging: { more: false },
        results: [{ ...(await read('/lists/p.known')), preferences: {} }, await read('/lists/p.new')],
      })
      await write('DELETE', '/lists/p.new')
      const left = await api.call('DELETE', '/profiles/p/lists')
      expect([left.status, left.json]).toEqual([200, { status: 'SUCCESS' }])
      expect(await idsOf('/profiles/p/lists')).toEqual([])
      await write('PUT', '/lists/p.new/restore')
      expect(await recipients('p.new')).toEqual([])
      expect(await recipients('p.known')).toEqual(['other'])
      expect((await api.call('DELETE', '/profiles/p/lists')).status).toBe(200)
    })

    test('come in pages, and stay when the profile is deleted', async () => {
      const lists = Array.from({ length: 26 }, (_, index) => ({ listId: `q.${String(index).padStart(2, '0')}` }))
      await api.call('POST', '/profiles/q/lists', { body: { lists } })
      await api.call('DELETE', '/profiles/q')
      const first = await read('/profiles/q/lists')
      const second = await read(`/profiles/q/lists?cursor=${first.paging.cursor}`)
      const pairs = [...first.results, ...second.results].map(({ id }) => ({ listId: id }))
      expect(pairs).toEqual(lists)
      expect(second.paging).toEqual({ more: false })
    })

    test('are none for who joined nothing, and joining nothing is fine', async () => {
      expect(await status('POST', '/profiles/unknown/lists', { lists: [] })).toBe(200)
      expect(await read('/profiles/unknown/lists')).toEqual({ paging: { more: false }, results: [] })
    })
  })

  test('concurrent subscriptions are all stored', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `r${String(index).padStart(2, '0')}`)
    await Promise.all(ids.map((id) => write('PUT', `/lists/rush/subscriptions/${id}`)))
    expect(await recipients('rush')).toEqual(ids)
  })

  test('a subscription during the deletion of the list finds none of the old ones there', async () => {
    for (let round = 0; round < (isLong ? 40 : 10); round += 1) {
      await write('PUT', '/lists/race/subscriptions', some('old'))
      const left = write('DELETE', '/lists/race')
      const joined = ['a', 'b'].map((id) => write('PUT', `/lists/race/subscriptions/${id}`))
      await Promise.all([left, ...joined])
      if ((await status('GET', '/lists/race')) === 200) expect(await recipients('race')).not.toContain('old')
    }
  })
})
