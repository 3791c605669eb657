/** The documented calls about lists; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, nothing, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const subscribers = async (list: string) => {
    const { json } = await call(app, 'GET', `/lists/${list}/subscriptions`)
    return json.items.map(({ recipientId }: { recipientId: string }) => recipientId).sort()
  }
  const recipients = (...ids: string[]) => ({ recipients: ids.map((recipientId) => ({ recipientId })) })

  test('case 28: PUT of subscriptions makes the list and replaces its subscribers', async () => {
    nothing(await call(app, 'PUT', '/lists/L/subscriptions', { body: recipients('r1', 'r2') }))
    expect((await call(app, 'GET', '/lists/L')).json).toMatchObject({ id: 'L' })
    expect(await subscribers('L')).toEqual(['r1', 'r2'])
    nothing(await call(app, 'PUT', '/lists/L/subscriptions', { body: recipients('r3') }))
    expect(await subscribers('L')).toEqual(['r3'])
  })

  test('case 29: POST of subscriptions adds to it', async () => {
    nothing(await call(app, 'PUT', '/lists/L29/subscriptions', { body: recipients('r3') }))
    nothing(await call(app, 'POST', '/lists/L29/subscriptions', { body: recipients('r4') }))
    expect(await subscribers('L29')).toEqual(['r3', 'r4'])
  })

  test('case 30: one user is subscribed without a body', async () => {
    nothing(await call(app, 'PUT', '/lists/L30/subscriptions/r5'))
    const empty = { body: '', headers: { 'content-type': 'application/json' } }
    nothing(await call(app, 'PUT', '/lists/L30/subscriptions/r6', empty))
    expect(await subscribers('L30')).toEqual(['r5', 'r6'])
  })

  test.each(['a.b.c.d.e', 'a..b', 'a.*'])('case 31: %s is no id of a list', async (id) => {
    refused(await call(app, 'PUT', `/lists/${id}`, { body: { name: 'A' } }), 400)
  })

  test('case 31: a list has a name', async () => {
    refused(await call(app, 'PUT', '/lists/nameless', { body: {} }), 400)
    refused(await call(app, 'GET', '/lists/nameless'), 404)
  })

  test('case 32: a deleted list is gone until it is restored', async () => {
    nothing(await call(app, 'PUT', '/lists/L32', { body: { name: 'L' } }))
    nothing(await call(app, 'DELETE', '/lists/L32'))
    refused(await call(app, 'GET', '/lists/L32'), 404)
    nothing(await call(app, 'PUT', '/lists/L32/restore'))
    expect((await call(app, 'GET', '/lists/L32')).status).toBe(200)
  })

  test('case 33: patterns name lists by their parts', async () => {
    const lists = ['grass.gen1', 'fire.gen1', 'fire.gen2', 'fire.gen1.evolution1'].map((name) => `pokemon.${name}`)
    for (const list of lists) nothing(await call(app, 'PUT', `/lists/${list}`, { body: { name: list } }))
    const named = async (pattern: string) => {
      const { json } = await call(app, 'GET', `/lists?pattern=${encodeURIComponent(pattern)}`)
      expect(json.items).toEqual(json.results)
      return json.items.map(({ id }: { id: string }) => id).sort()
    }
    expect(await named('pokemon.*.gen1')).toEqual(['pokemon.fire.gen1', 'pokemon.grass.gen1'])
    expect(await named('pokemon.fire.**')).toEqual(lists.slice(1).sort())
    expect(await named('pokemon.**')).toEqual([...lists].sort())
    for (const pattern of ['**', '**.gen1', 'poke*'])
      refused(await call(app, 'GET', `/lists?pattern=${encodeURIComponent(pattern)}`), 400)
  })

  test('case 35: a recipient joins lists and sees them', async () => {
    const body = { lists: [{ listId: 'L35', preferences: {} }] }
    const joined = await call(app, 'POST', '/profiles/p/lists', { body })
    expect([joined.status, joined.json]).toEqual([200, { status: 'SUCCESS' }])
    expect((await call(app, 'GET', '/profiles/p/lists')).json.results[0].id).toBe('L35')
  })
})
