/** Translation catalogs are returned exactly as they were stored, as JSON or as text; they are listed and checked. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const po = '# by = hand {x} "y"\nmsgid "Hello"\nmsgstr "Grüß \\"dich\\""\n'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const put = (locale: string, body: unknown, headers = {}) =>
    api.call('PUT', `/translations/default/${locale}`, { body, headers })
  const get = (locale: string, key = keys.production) =>
    api.call('GET', `/translations/default/${locale}`, { apiKey: key })

  test.each([
    ['a JSON string', JSON.stringify(po), 'application/json'],
    ['the text itself', po, 'text/plain'],
    ['the text itself, called JSON', po, 'application/json'],
    ['a JSON string, called a text', JSON.stringify(po), 'text/plain'],
    ['the text itself, called a form', po, 'application/x-www-form-urlencoded'],
  ])('%s is given back as one JSON string', async (_title, body, type) => {
    const written = await put('de', body, { 'content-type': type })
    expect([written.status, written.text]).toEqual([204, ''])
    const read = await get('de')
    expect([read.status, read.headers.get('content-type'), read.json]).toEqual([200, 'application/json', po])
    await put('de', '""')
    expect((await get('de')).json).toBe('')
  })

  test('each locale and environment has its own', async () => {
    await put('pt-BR', po)
    expect((await get('pt-BR')).json).toBe(po)
    for (const answer of [await get('pt'), await get('pt-BR', keys.test)])
      expect([answer.status, answer.json.message]).toEqual([404, 'Not Found'])
  })

  test('they are listed, checked without being stored, and deleted', async () => {
    await put('nl', po)
    const listed = await api.call('GET', '/translations')
    expect(listed.json.results).toContainEqual({
      domain: 'default',
      locale: 'nl',
      characters: po.length,
      updated: expect.any(Number),
    })
    const inspect = (content: string) => api.call('POST', '/translations/inspect', { body: { locale: 'fi', content } })
    expect((await inspect(po)).json).toEqual({ entries: 1, problems: [], warnings: [] })
    expect((await inspect('msgid x')).json).toMatchObject({
      entries: 0,
      problems: [expect.stringMatching(/^line 1: /)],
    })
    expect((await get('fi')).status).toBe(404)
    const remove = () => api.call('DELETE', '/translations/default/nl')
    expect([(await remove()).status, (await remove()).status, (await get('nl')).status]).toEqual([204, 404, 404])
  })

  test.each([
    ['another domain', '/translations/other/de', po, /^domain must be `default`/],
    ['a locale that is none', '/translations/default/sr@latin', po, /^locale must be a locale such as `de`, `pt-BR`/],
    ['an object', '/translations/default/fr', '{"a":1}', /^body must be a string/],
    ['a text that begins as JSON and is none', '/translations/default/fr', '"half', /not valid JSON/],
    ['nothing', '/translations/default/fr', '', /^A body is required/],
    ['U+0000', '/translations/default/fr', 'a\u0000', /U\+0000/],
    ['too much', '/translations/default/fr', 'x'.repeat(1_000_001), /^body must have at most 1000000/],
  ])('%s is refused', async (_title, path, body, message) => {
    const answer = await api.call('PUT', path, { body })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(message)])
    expect((await get('fr')).status).toBe(404)
  })
})
