/** Brands: versions in force at once, one default that cannot be deleted, and none of another environment. */
import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const settings = {
  colors: { primary: '#9d3789', secondary: null },
  email: {
    header: { barColor: '#9d3789', logo: { image: 'https://x.y/l.png', darkImage: 'https://x.y/d.png', width: 90 } },
    footer: { markdown: 'Bye' },
    theme: {
      backgroundColor: '#fff4e5',
      fontFamily: 'Georgia, serif',
      borderRadius: 4,
      align: 'left',
      dark: { textColor: '#fff' },
    },
  },
  inapp: { placement: 'top' },
}
const snippets = { items: [{ name: 'sign', value: 'Yours', format: 'handlebars' }] }

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })
  beforeEach(() => {
    api.time.now += 1_000
  })

  const create = (body: object) => api.call('POST', '/brands', { body: { name: 'Acme', settings: {}, ...body } })
  const get = (id: string, key = keys.production) => api.call('GET', `/brands/${id}`, { apiKey: key })
  const put = (id: string, body: object) => api.call('PUT', `/brands/${id}`, { body: { name: 'Acme', ...body } })
  const remove = (id: string, key = keys.production) => api.call('DELETE', `/brands/${id}`, { apiKey: key })
  const refused = ({ status, json }: ApiReply) => [status, json.message]

  test('a mail is shown with settings that are not stored, and refused as a write of them is', async () => {
    const content = { title: 'Hello {name}', body: 'I am {brand.name}. {{>sign}}' }
    const preview = (body: object) => api.call('POST', '/brands/preview', { body: { name: 'Draft', content, ...body } })
    const shown = await preview({ settings, snippets, data: { name: 'Ada' } })
    expect(shown.json).toMatchObject({ subject: 'Hello Ada', warnings: [] })
    expect(shown.json.text).toContain('I am Draft. Yours')
    expect(shown.json.html).toContain('https://x.y/l.png')
    expect(shown.json.html).toContain('#fff4e5')
    expect((await preview({ settings: { colors: { primary: 'url(x)' } } })).status).toBe(400)
    expect((await preview({ content: { elements: [{ type: 'text', if: 'a ==' }] } })).json.code).toBe('invalid_content')
    expect((await preview({ paint: 'red' })).json.code).toBe('unknown_field')
    expect((await api.call('GET', '/brands/preview')).status).toBe(404)
  })

  test('a new one is shown in every field, as it was given', async () => {
    const made = await create({ id: 'acme', settings, snippets })
    expect([made.status, made.json]).toEqual([
      200,
      {
        id: 'acme',
        name: 'Acme',
        created: api.time.now,
        updated: api.time.now,
        published: api.time.now,
        settings,
        snippets,
        version: new Date(api.time.now).toISOString(),
        default: false,
      },
    ])
    expect((await get('acme')).json).toEqual(made.json)
  })

  test('without an id it gets one, and without snippets it has none', async () => {
    const { json } = await create({})
    expect(json).toMatchObject({ id: expect.stringMatching(/^[A-Z0-9]{28}$/), settings: {}, snippets: {} })
    expect((await create({ id: null })).json.id).not.toBe(json.id)
  })

  test('an id that is taken is refused, and what has it stays', async () => {
    await create({ id: 'taken', name: 'First' })
    const again = await create({ id: 'taken', name: 'Second', default: true })
    expect(refused(again)).toEqual([409, 'Already Exists'])
    expect(again.headers.get('x-should-retry')).toBe('false')
    expect((await get('taken')).json).toMatchObject({ name: 'First', default: false })
  })

  test('a part that is given is replaced whole, one that is not stays', async () => {
    await create({ id: 'parts', settings, snippets })
    api.time.now += 5_000
    const { json } = await put('parts', { name: 'New', settings: { colors: { primary: 'red' } } })
    expect(json).toMatchObject({ name: 'New', settings: { colors: { primary: 'red' } }, snippets })
    expect(json.settings).toEqual({ colors: { primary: 'red' } })
    expect([json.updated, json.version]).toEqual([api.time.now, new Date(api.time.now).toISOString()])
    expect(json.created).toBe(api.time.now - 5_000)
    expect((await put('parts', { settings: null, snippets: { items: [] } })).json).toMatchObject({
      settings: { colors: { primary: 'red' } },
      snippets: { items: [] },
    })
  })

  test('the default is the one that was made it last, and it cannot be deleted', async () => {
    await create({ id: 'd1', default: true })
    await create({ id: 'd2', default: true })
    const flags = async () => [(await get('d1')).json.default, (await get('d2')).json.default]
    expect(await flags()).toEqual([false, true])
    // In the same millisecond.
    expect((await put('d1', { default: true })).json.default).toBe(true)
    expect(await flags()).toEqual([true, false])
    expect((await put('d1', { default: false })).json.default).toBe(true)
    const deleted = await remove('d1')
    expect(refused(deleted)).toEqual([409, 'Cannot delete default brand'])
    expect(deleted.headers.get('x-should-retry')).toBe('false')
    expect((await remove('d2')).status).toBe(204)
    expect(await get('d2').then(refused)).toEqual([404, 'Not Found'])
    expect((await get('d1')).json.default).toBe(true)
  })

  test('a deleted one is gone, its versions stay, and its id is free', async () => {
    await create({ id: 'again', name: 'First' })
    expect((await remove('again')).status).toBe(204)
    for (const answer of [await get('again'), await put('again', {}), await remove('again')])
      expect(refused(answer)).toEqual([404, 'Not Found'])
    api.time.now += 1_000
    expect((await create({ id: 'again', name: 'Second' })).json).toMatchObject({ created: api.time.now })
    const { rows } = await api.engine.run({
      text: `select version, name from brand_versions where brand_id = 'again' order by version`,
      values: [],
    })
    expect(rows).toEqual([
      { version: 1, name: 'First' },
      { version: 2, name: 'Second' },
    ])
  })

  test('writes made at the same time follow one another', async () => {
    await create({ id: 'busy' })
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => put('busy', { name })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const { rows } = await api.engine.run<{ n: number }>({
      text: `select count(*)::int as n from brand_versions where brand_id = 'busy'`,
      values: [],
    })
    expect(rows).toEqual([{ n: 4 }])
  })

  test('the list is newest first, a page at a time, and of one environment', async () => {
    const ids: string[] = []
    for (let n = 0; n < 51; n += 1) {
      api.time.now += n % 2
      const { json } = await api.call('POST', '/brands', { apiKey: keys.test, body: { name: 'x', settings: {} } })
      ids.push(json.id)
    }
    const page = async (query: string) => (await api.call('GET', `/brands${query}`, { apiKey: keys.test })).json
    const first = await page('')
    const rest = await page(`?cursor=${first.paging.cursor}`)
    expect([first.paging.more, first.results.length, rest.paging]).toEqual([true, 50, { more: false }])
    const seen = [...first.results, ...rest.results] as { id: string; created: number }[]
    expect(seen.map(({ id }) => id).sort()).toEqual(ids.sort())
    expect(seen).toEqual(seen.toSorted((a, b) => b.created - a.created || (a.id < b.id ? 1 : -1)))
    expect((await api.call('GET', '/brands?cursor=zz')).status).toBe(400)
  })

  test('a brand of another environment is not there', async () => {
    await create({ id: 'ours' })
    expect((await get('ours', keys.test)).status).toBe(404)
    expect((await remove('ours', keys.test)).status).toBe(404)
    const theirs = { apiKey: keys.test, body: { id: 'ours', name: 'Theirs', settings: {}, default: true } }
    expect((await api.call('POST', '/brands', theirs)).status).toBe(200)
    expect((await get('ours')).json).toMatchObject({ name: 'Acme', default: false })
  })

  test.each([
    ['no name', { name: undefined }, 'name is required'],
    ['no settings', { settings: undefined }, 'settings is required'],
    [
      'a color that is a number',
      { settings: { colors: { primary: 1 } } },
      /^settings\.colors\.primary must be a string/,
    ],
    [
      'a color that is none',
      { settings: { colors: { primary: 'blurple' } } },
      /^settings\.colors\.primary must be a color such as #2a5bd7, rgb\(42, 91, 215\) or navy$/,
    ],
    [
      'a bar whose color has five digits',
      { settings: { email: { header: { barColor: '#12345' } } } },
      /^settings\.email\.header\.barColor must be a color/,
    ],
    [
      'a dark color that is none',
      { settings: { email: { theme: { dark: { cardColor: 'blurple' } } } } },
      /^settings\.email\.theme\.dark\.cardColor must be a color/,
    ],
    [
      'a font that is more than names',
      { settings: { email: { theme: { fontFamily: 'x; color: red' } } } },
      /^settings\.email\.theme\.fontFamily must be names of fonts with commas between them/,
    ],
    [
      'an alignment that is none',
      { settings: { email: { theme: { align: 'top' } } } },
      /settings\.email\.theme\.align/,
    ],
    [
      'a radius beyond the largest',
      { settings: { email: { theme: { borderRadius: 33 } } } },
      /settings\.email\.theme\.borderRadius/,
    ],
    [
      'an unknown setting of the theme',
      { settings: { email: { theme: { cardColr: '#fff' } } } },
      /^Unknown field `cardColr` at settings\.email\.theme\. Did you mean `cardColor`\?$/,
    ],
    [
      'an unknown setting',
      { settings: { colors: { primry: '#fff' } } },
      /^Unknown field `primry` at settings\.colors\. Did you mean `primary`\?$/,
    ],
    ['an unknown part', { settings: { emial: {} } }, /^Unknown field `emial` at settings\. Did you mean `email`\?$/],
    [
      'an unknown part of a logo',
      { settings: { email: { header: { logo: { src: 'https://x.y' } } } } },
      /^Unknown field `src` at settings\.email\.header\.logo\.$/,
    ],
    ['a footer that is a text', { settings: { email: { footer: 'x' } } }, /^settings\.email\.footer must be an object/],
    ['a snippet without a value', { snippets: { items: [{ name: 'x' }] } }, 'snippets.items.0.value is required'],
    ['a snippet of an odd name', { snippets: { items: [{ name: 'a b', value: '' }] } }, /^snippets\.items\.0\.name/],
    [
      '101 snippets',
      { snippets: { items: Array.from({ length: 101 }, (_, n) => ({ name: `s${n}`, value: '' })) } },
      /^snippets\.items must/,
    ],
    ['a default that is a text', { default: 'yes' }, /^default must be a boolean/],
  ])('%s is refused with its place', async (_title, body, message) => {
    const answer = await create({ id: 'bad', ...body })
    expect(refused(answer)).toEqual([400, expect.stringMatching(message)])
    expect((await get('bad')).status).toBe(404)
  })

  test('a replacement is checked like a new brand, and what was there stays', async () => {
    await create({ id: 'painted', settings })
    expect((await put('painted', { settings: { colors: { primary: '#ggg' } } })).status).toBe(400)
    expect((await get('painted')).json.settings).toEqual(settings)
  })

  test.each([
    '#FFF',
    '#2a5bd7',
    '#2a5bd7cc',
    'rgb(42, 91, 215)',
    'rgba(42,91,215,.5)',
    'rgb(10% 20% 30% / 50%)',
    'Navy',
  ])('%s is a color', async (primary) => {
    expect((await create({ id: `in-${primary}`, settings: { colors: { primary } } })).status).toBe(200)
  })

  test('fields for other clients may hold anything', async () => {
    const kept = {
      inapp: { colors: { x: 1 } },
      email: { templateOverride: { enabled: true, mjml: { a: 1 } }, header: null },
    }
    expect((await create({ id: 'kept', settings: kept })).json.settings).toEqual(kept)
  })

  test('a brand of more than 100,000 bytes is refused, and what was there stays', async () => {
    await create({ id: 'big', settings })
    const inapp = { settings: { inapp: { x: '€'.repeat(33_400) } } }
    expect((await create({ id: 'bigger', ...inapp })).status).toBe(413)
    expect((await put('big', inapp)).status).toBe(413)
    expect((await get('big')).json.settings).toEqual(settings)
  })
})
