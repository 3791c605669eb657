/** A send to lists reads every recipient once, in order, a page at a time, and none of a deleted list. */
import { parseListPattern } from '@postrider/server/internal/base/list-pattern'
import type { Engine } from '@postrider/server/internal/database/engine'
import {
  deleteList,
  listRecipients,
  listsMatching,
  replaceSubscriptions,
  restoreList,
} from '@postrider/server/internal/database/tables/lists/lists'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const subscribers = (...recipients: string[]) => recipients.map((recipient) => ({ recipient, preferences: null }))

withEngine((open) => {
  let engine: Engine
  beforeAll(async () => {
    engine = await open()
    await engine.batch(replaceSubscriptions(1, 'a.one', subscribers('u1', 'u3', 'u5'), 0))
    await engine.batch(replaceSubscriptions(1, 'a.two', subscribers('u2', 'u3', 'u4'), 0))
    await engine.batch(replaceSubscriptions(1, 'a.gone', subscribers('u0', 'u6'), 0))
    await engine.batch(deleteList(1, 'a.gone', 0))
    await engine.batch(replaceSubscriptions(2, 'a.one', subscribers('foreign'), 0))
  })

  const pairs = async (listIds: string[], after: string | undefined, limit: number) =>
    (await listRecipients(engine, 1, listIds, after, limit)).map(({ recipient, listId }) => `${recipient} ${listId}`)

  test('a recipient of two lists comes once, with the first of them', async () => {
    const all = ['u1 a.one', 'u2 a.two', 'u3 a.one', 'u4 a.two', 'u5 a.one']
    expect(await pairs(['a.one', 'a.two', 'a.gone', 'a.none'], undefined, 10)).toEqual(all)
    expect(await pairs(['a.two', 'a.one'], undefined, 10)).toEqual(all.with(2, 'u3 a.two'))
    expect(await pairs([], undefined, 10)).toEqual([])
  })

  test.each([1, 2, 3, 4])('pages of %i hold each recipient once', async (limit) => {
    const recipients: string[] = []
    for (let page = 0; page < 6; page += 1)
      recipients.push(...(await pairs(['a.one', 'a.two'], recipients.at(-1)?.split(' ')[0], limit)))
    expect(recipients).toEqual(['u1 a.one', 'u2 a.two', 'u3 a.one', 'u4 a.two', 'u5 a.one'])
  })

  test('a pattern leads to the lists there are now, up to a limit', async () => {
    const matching = (pattern: string, limit: number) => listsMatching(engine, 1, parseListPattern(pattern), '', limit)
    expect(await matching('a.*', 10)).toEqual(['a.one', 'a.two'])
    expect(await matching('a.**', 1)).toEqual(['a.one'])
    expect(await matching('a.two', 10)).toEqual(['a.two'])
    expect(await matching('a.gone', 10)).toEqual([])
    await engine.batch(restoreList(1, 'a.gone', 1))
    expect(await matching('*.gone', 10)).toEqual(['a.gone'])
    expect(await pairs(['a.gone'], undefined, 10)).toEqual(['u0 a.gone', 'u6 a.gone'])
  })
})
