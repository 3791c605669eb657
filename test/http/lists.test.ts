/** Lists are made, found by pattern, deleted and brought back. */
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'
import { listCalls, missing, optedOut, some } from './list-calls.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })
  const { idsOf, read, recipients, status, write } = listCalls(() => api)

  describe('a list', () => {
    test('shows its name, its times as text, and preferences only when it has some', async () => {
      const created = new Date(api.time.now).toISOString()
      await write('PUT', '/lists/shown', { name: 'Shown' })
      expect(await read('/lists/shown')).toEqual({ id: 'shown', name: 'Shown', created, updated: created })
      api.time.now += 1_000
      const updated = new Date(api.time.now).toISOString()
      await write('PUT', '/lists/shown', { name: 'Again', preferences: optedOut })
      expect(await read('/lists/shown')).toEqual({
        id: 'shown',
        name: 'Again',
        created,
        updated,
        preferences: optedOut,
      })
      await write('PUT', '/lists/shown', { name: 'Again', preferences: null })
      expect(await read('/lists/shown')).not.toHaveProperty('preferences')
    })

    test('a list that is written again keeps its subscriptions', async () => {
      await write('PUT', '/lists/kept/subscriptions', some('a'))
      await write('PUT', '/lists/kept', { name: 'Kept' })
      expect(await recipients('kept')).toEqual(['a'])
    })

    test('is gone when deleted, and comes back with its subscriptions when restored', async () => {
      await write('PUT', '/lists/L', { name: 'L', preferences: optedOut })
      await write('PUT', '/lists/L/subscriptions', some('r1', 'r2'))
      await write('DELETE', '/lists/L')
      for (const [method, path] of [
        ['GET', '/lists/L'],
        ['DELETE', '/lists/L'],
        ['GET', '/lists/L/subscriptions'],
        ['DELETE', '/lists/L/subscriptions/r1'],
      ] as const)
        expect((await api.call(method, path)).json).toMatchObject(missing)
      expect(await idsOf('/lists')).not.toContain('L')
      expect(await idsOf('/lists?pattern=L')).toEqual([])
      expect(await idsOf('/profiles/r1/lists')).toEqual([])

      api.time.now += 1_000
      await write('PUT', '/lists/L/restore')
      const { created, ...list } = await read('/lists/L')
      expect(list).toEqual({
        id: 'L',
        name: 'L',
        updated: new Date(api.time.now).toISOString(),
        preferences: optedOut,
      })
      expect(created < list.updated).toBe(true)
      expect(await recipients('L')).toEqual(['r1', 'r2'])
      api.time.now += 1_000
      await write('PUT', '/lists/L/restore', {})
      expect((await read('/lists/L')).updated).toBe(list.updated)
    })

    test.each([
      ['PUT', '', { name: 'New' }, 'New', []],
      ['PUT', '/subscriptions', some('b'), 'again', ['b']],
      ['POST', '/subscriptions', some('b'), 'again', ['b']],
      ['POST', '/subscriptions', some(), 'again', []],
      ['PUT', '/subscriptions/b', undefined, 'again', ['b']],
    ])('a deleted list starts empty with %s %s', async (method, path, body, name, left) => {
      await write('PUT', '/lists/again', { name: 'Old', preferences: optedOut })
      await write('PUT', '/lists/again/subscriptions', some('a', 'b'))
      await write('DELETE', '/lists/again')
      api.time.now += 1_000
      await write(method, `/lists/again${path}`, body)
      const now = new Date(api.time.now).toISOString()
      expect(await read('/lists/again')).toEqual({ id: 'again', name, created: now, updated: now })
      expect(await recipients('again')).toEqual(left)
    })

    test('an unknown list is a 404 for every call that does not create it', async () => {
      for (const [method, path] of [
        ['GET', '/lists/never'],
        ['DELETE', '/lists/never'],
        ['PUT', '/lists/never/restore'],
        ['GET', '/lists/never/subscriptions'],
        ['DELETE', '/lists/never/subscriptions/r'],
      ] as const) {
        const answer = await api.call(method, path)
        expect([path, answer.status, answer.json]).toMatchObject([path, 404, missing])
      }
    })
  })

  describe('lists', () => {
    test('come in pages, as `items` and as `results`', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `page.${String(index).padStart(2, '0')}ü`)
      for (const id of ids) await write('PUT', `/lists/${encodeURIComponent(id)}`, { name: id })
      const first = await read('/lists?pattern=page.**&cursor=undefined')
      expect(first.items).toEqual(first.results)
      expect(first.paging.more).toBe(true)
      const second = await read(`/lists?pattern=page.**&cursor=${first.paging.cursor}`)
      expect(second.paging).toEqual({ more: false })
      expect([first.items.length, second.items.length]).toEqual([25, 5])
      expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids)
    })

    test.each([
      ['pokemon.*.gen1', ['pokemon.fire.gen1', 'pokemon.grass.gen1']],
      ['pokemon.fire.**', ['pokemon.fire.gen1', 'pokemon.fire.gen1.evolution1', 'pokemon.fire.gen2']],
      ['pokemon.**', ['pokemon.fire.gen1', 'pokemon.fire.gen1.evolution1', 'pokemon.fire.gen2', 'pokemon.grass.gen1']],
      ['*.grass.*', ['pokemon.grass.gen1']],
      ['pokemon', ['pokemon']],
      ['pokemon.f(i|r)e.*', []],
    ])('are found by the pattern %s', async (pattern, expected) => {
      for (const id of ['grass.gen1', 'fire.gen1', 'fire.gen2', 'fire.gen1.evolution1'])
        await write('PUT', `/lists/pokemon.${id}`, { name: id })
      for (const id of ['pokemon', 'pokemonx.fire.gen1', 'pokemo']) await write('PUT', `/lists/${id}`, { name: id })
      expect(await idsOf(`/lists?pattern=${encodeURIComponent(pattern)}`)).toEqual(expected)
    })

    test.each(['**', '**.gen1', 'poke*', '*.**', 'a..b', 'a.', 'a b'])('refuse the pattern %s', async (pattern) => {
      const answer = await api.call('GET', `/lists?pattern=${encodeURIComponent(pattern)}`)
      expect([answer.status, answer.json.type]).toEqual([400, 'invalid_request_error'])
    })
  })

  describe('is refused, and changes nothing:', () => {
    const long = { notifications: { x: { status: 'OPTED_IN' } }, more: 'x'.repeat(16_000) }
    test.each([
      ['a list without a name', 'PUT', '/lists/bad', {}, 400],
      ['a list without a body', 'PUT', '/lists/bad', undefined, 400],
      ['an id of five parts', 'PUT', '/lists/bad.b.c.d.e', { name: 'x' }, 400],
      ['an id with an empty part', 'PUT', '/lists/bad..b', { name: 'x' }, 400],
      ['an id with a wildcard', 'PUT', '/lists/bad.*', { name: 'x' }, 400],
      ['an id with a space', 'PUT', '/lists/bad%20b', { name: 'x' }, 400],
      ['preferences that are none', 'PUT', '/lists/bad', { name: 'x', preferences: [1] }, 400],
      ['an unknown wish', 'PUT', '/lists/bad', { name: 'x', preferences: { categories: { a: { status: 'X' } } } }, 400],
      ['preferences beyond 16 kB', 'PUT', '/lists/bad', { name: 'x', preferences: long }, 413],
      ['subscriptions to an id that is none', 'PUT', '/lists/bad../subscriptions', some('a'), 400],
      ['more of them', 'POST', '/lists/bad.*/subscriptions', some('a'), 400],
      ['a subscription to an id that is none', 'PUT', '/lists/bad..b/subscriptions/a', undefined, 400],
      ['subscriptions without a recipient', 'PUT', '/lists/bad/subscriptions', {}, 400],
      ['subscriptions without a body', 'PUT', '/lists/bad/subscriptions', undefined, 400],
      ['a recipient without an id', 'PUT', '/lists/bad/subscriptions', { recipients: [{ recipientId: '' }] }, 400],
      ['a recipient that is a number', 'POST', '/lists/bad/subscriptions', { recipients: [5] }, 400],
      ['a subscription with too much', 'PUT', '/lists/bad/subscriptions/a', { preferences: long }, 413],
      ['lists that are none', 'POST', '/profiles/bad/lists', { lists: [{ listId: 'bad' }, { listId: 'b..' }] }, 400],
      ['lists left out', 'POST', '/profiles/bad/lists', {}, 400],
      ['501 lists', 'POST', '/profiles/bad/lists', { lists: Array(501).fill({ listId: 'bad' }) }, 400],
    ])('%s', async (_title, method, path, body, refused) => {
      const answer = await api.call(method, path, { body })
      expect([answer.status, answer.json.type]).toEqual([refused, 'invalid_request_error'])
      expect(await idsOf('/lists?pattern=bad')).toEqual([])
      expect(await idsOf('/lists?pattern=bad.**')).toEqual([])
      expect(await idsOf('/profiles/bad/lists')).toEqual([])
    })

    test.each(['/lists', '/profiles/a/lists'])('a malformed cursor of %s', async (path) => {
      expect(await status('GET', `${path}?cursor=zz`)).toBe(400)
    })
  })

  test('a list of another workspace is as unknown as a missing one, and ids do not meet', async () => {
    await write('PUT', '/lists/ours', { name: 'Ours' })
    await write('PUT', '/lists/ours/subscriptions', some('a'))
    const foreign = (method: string, path: string, body?: unknown) =>
      api.call(method, path, { body, apiKey: keys.test })
    for (const path of ['/lists/ours', '/lists/ours/subscriptions'])
      expect((await foreign('GET', path)).json).toMatchObject(missing)
    for (const path of ['/lists/ours', '/lists/ours/subscriptions/a'])
      expect((await foreign('DELETE', path)).json).toMatchObject(missing)
    expect((await foreign('PUT', '/lists/ours/restore')).status).toBe(404)
    expect((await foreign('GET', '/profiles/a/lists')).json.results).toEqual([])
    await foreign('PUT', '/lists/ours/subscriptions', some('b'))
    await foreign('DELETE', '/lists/ours')
    await foreign('DELETE', '/profiles/a/lists')
    expect(await recipients('ours')).toEqual(['a'])
  })
})
