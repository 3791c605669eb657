/** The official SDKs manage lists as they are, in four generations. */
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../../support/app.ts'
import { keys, type RecordingApp } from '../../support/recording-app.ts'
import { generations, type ListClient } from './list-clients.ts'

const TIMESTAMP = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/)
const only = (...items: unknown[]) => ({ paging: { more: false }, items })

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  describe.each(generations)('generation $name', ({ name, filters, open: openClient }) => {
    let sdk: ListClient
    const root = `of-${name.replace('.', '-')}`
    const list = `${root}.eu`
    const user = `user@${root}`
    beforeAll(() => {
      sdk = openClient(api.url, keys.production)
    })

    test('it makes a list, finds it by pattern and follows the pages', async () => {
      await sdk.put(list, 'Europe')
      expect(await sdk.get(list)).toEqual({ id: list, name: 'Europe', created: TIMESTAMP, updated: TIMESTAMP })
      if (!filters) return expect(await sdk.list({})).toMatchObject({ items: expect.any(Array) })
      expect(await sdk.list({ pattern: `${root}.*` })).toMatchObject(only({ id: list }))
      for (let n = 0; n < 26; n += 1) await sdk.put(`${root}.page.${n + 10}`, 'Page')
      type Page = { paging: { more: boolean; cursor?: string }; items: { id: string }[] }
      const first = (await sdk.list({ pattern: `${root}.page.*` })) as Page
      const rest = (await sdk.list({ pattern: `${root}.page.*`, cursor: first.paging.cursor! })) as Page
      expect([first.items.length, rest.items.map(({ id }) => id)]).toEqual([25, [`${root}.page.35`]])
    })

    test('it subscribes many, more, and one; and ends a subscription', async () => {
      await sdk.replace(list, [{ recipientId: 'r1' }, { recipientId: 'r2' }])
      await sdk.replace(list, [{ recipientId: 'r3' }])
      await sdk.add(list, [{ recipientId: 'r4' }])
      await sdk.subscribe(list, user)
      await sdk.unsubscribe(list, 'r3')
      const items = ['r4', user].map((recipientId) => ({ recipientId, created: TIMESTAMP }))
      expect(await sdk.subscriptions(list)).toEqual(only(...items))
    })

    test('it deletes a list, reads that it is gone, and restores it', async () => {
      await sdk.delete(list)
      await expect(sdk.get(list)).rejects.toThrow()
      await expect(sdk.subscriptions(list)).rejects.toThrow()
      await sdk.restore(list)
      expect(await sdk.get(list)).toMatchObject({ id: list, name: 'Europe' })
    })

    test('it joins a recipient to lists, shows them, and takes the recipient off all', async () => {
      expect(await sdk.join(user, [{ listId: `${root}.joined` }])).toMatchObject({ status: 'SUCCESS' })
      expect(await sdk.listsOf(user)).toMatchObject({
        paging: { more: false },
        results: [{ id: list, name: 'Europe', created: TIMESTAMP }, { id: `${root}.joined` }],
      })
      expect(await sdk.leave(user)).toMatchObject({ status: 'SUCCESS' })
      expect(await sdk.listsOf(user)).toMatchObject({ paging: { more: false }, results: [] })
    })
  })
})
