/** Content is read by element and block, changed by element, and translated. */
import { beforeAll, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const MD5 = /^[0-9a-f]{32}$/
const elements = [
  { type: 'meta', id: 'title', title: 'Welcome' },
  { type: 'text', content: 'Hello', locales: { fr: { content: 'Bonjour' } } },
  { type: 'group', elements: [{ type: 'action', id: 'go', content: 'Go', href: 'https://x.y' }, { type: 'divider' }] },
  { type: 'list', elements: [{ type: 'list-item', content: 'One' }] },
  { type: 'text', id: 'spans', elements: [{ type: 'string', content: 'a' }] },
]

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const create = async (content: unknown = { elements }, more = {}): Promise<string> => {
    const notification = {
      name: 'Welcome',
      content,
      routing: { method: 'single', channels: ['email', 'sms'] },
      ...more,
    }
    return (await api.call('POST', '/notifications', { body: { notification, state: 'PUBLISHED' } })).json.id
  }
  const get = async (id: string, path = 'content') => (await api.call('GET', `/notifications/${id}/${path}`)).json
  const put = (id: string, path: string, body: unknown) => api.call('PUT', `/notifications/${id}/${path}`, { body })
  const post = (id: string, path: string, body: unknown) => api.call('POST', `/notifications/${id}/${path}`, { body })
  const refused = ({ status, json }: ApiReply) => [status, json.message]
  const storedElements = async (id: string, version: string) =>
    (await api.call('GET', `/notifications/${id}?version=${version}`)).json.content.elements

  test('elements are shown with a name and a checksum, and written back without', async () => {
    const id = await create()
    const content = await get(id)
    const checksum = expect.stringMatching(MD5)
    expect(content.version).toBe('2022-01-01')
    expect(content.elements).toEqual([
      { ...elements[0], checksum },
      { ...elements[1], id: '1', checksum, locales: { fr: { content: 'Bonjour', checksum } } },
      {
        type: 'group',
        id: '2',
        checksum,
        elements: [
          { type: 'action', id: 'go', content: 'Go', href: 'https://x.y', checksum },
          { type: 'divider', id: '2.1', checksum },
        ],
      },
      { type: 'list', id: '3', checksum, elements: [{ type: 'list-item', id: '3.0', content: 'One', checksum }] },
      { ...elements[4], checksum },
    ])
    expect((await put(id, 'content', { content: { elements: content.elements } })).status).toBe(200)
    expect(JSON.stringify(await storedElements(id, 'draft'))).not.toContain('checksum')
    expect((await get(id, 'draft/content')).elements).toEqual(content.elements)
  })

  test('the same content is shown as blocks and channels', async () => {
    const { blocks, channels, checksum } = await get(await create())
    const checksums = { locales: {}, checksum: expect.stringMatching(MD5) }
    expect(blocks).toEqual([
      { ...checksums, id: '1', type: 'text', content: 'Hello', locales: { fr: 'Bonjour' } },
      { ...checksums, id: 'go', type: 'action', content: 'Go' },
      { ...checksums, id: '2.1', type: 'divider' },
      { ...checksums, id: '3.0', type: 'list', content: 'One' },
      { ...checksums, id: 'spans', type: 'text' },
    ])
    expect(channels).toEqual([
      { ...checksums, id: 'email', type: 'email', content: { subject: 'Welcome', title: '' } },
      { ...checksums, id: 'sms', type: 'sms', content: { subject: '', title: 'Welcome' } },
    ])
    expect(checksum).toMatch(MD5)
  })

  test.each(['__proto__', 'constructor', 'toString'])(
    'an element of the unknown type %s is no block of a draft',
    async (type) => {
      const id = await create()
      await put(id, 'content', { content: { elements: [{ type, content: 'Hello' }] } })
      const { elements, blocks } = await get(id, 'draft/content')
      expect([elements.map((element: { type: string }) => element.type), blocks]).toEqual([[type], []])
    },
  )

  test('a checksum changes with the text and with nothing else', async () => {
    const id = await create()
    const sums = async () =>
      (await get(id, 'draft/content')).blocks.map((block: { checksum: string }) => block.checksum)
    const before = await sums()
    await put(id, 'elements/go', { type: 'action', data: { content: 'Go', href: 'https://x.y/other' } })
    expect(await sums()).toEqual(before)
    await put(id, 'elements/go', { type: 'action', data: { content: 'Come', href: 'https://x.y' } })
    const after = await sums()
    expect(after.map((sum: string, index: number) => sum === before[index])).toEqual([true, false, true, true, true])
  })

  test('one element is replaced in the draft; its id, its translations and what is published stay', async () => {
    const id = await create()
    const answer = await put(id, 'elements/1', { type: 'text', data: { content: 'Hi' }, if: 'data.x' })
    expect([answer.status, answer.json.id, answer.json.state, answer.json.version]).toEqual([
      200,
      id,
      'DRAFT',
      '2022-01-01',
    ])
    expect(answer.json.elements[1]).toMatchObject({ id: '1', content: 'Hi' })
    expect((await storedElements(id, 'draft'))[1]).toEqual({
      type: 'text',
      content: 'Hi',
      if: 'data.x',
      locales: { fr: { content: 'Bonjour' } },
    })
    expect((await storedElements(id, 'published'))[1].content).toBe('Hello')
    // The fields of the element may also stand beside its type.
    await put(id, 'elements/go', { type: 'image', src: 'https://x.y/i.png', state: 'PUBLISHED' })
    expect((await storedElements(id, 'published'))[2].elements[0]).toEqual({
      type: 'image',
      id: 'go',
      src: 'https://x.y/i.png',
    })
    await put(id, 'elements/2', { type: 'group', data: {}, ref: 'both' })
    expect((await storedElements(id, 'draft'))[2]).toMatchObject({
      ref: 'both',
      elements: [{ id: 'go' }, { type: 'divider' }],
    })
  })

  test('an id of the author wins over a place', async () => {
    const id = await create({
      elements: [
        { type: 'text', content: 'first' },
        { type: 'text', id: '0', content: 'second' },
      ],
    })
    await put(id, 'elements/0', { type: 'text', data: { content: 'changed' } })
    expect((await storedElements(id, 'draft')).map((element: { content: string }) => element.content)).toEqual([
      'first',
      'changed',
    ])
  })

  test('elements are translated by id, and the other locales stay', async () => {
    const id = await create()
    const body = {
      elements: [
        { id: 'title', title: 'Willkommen' },
        { id: '1', content: 'Hallo' },
      ],
      state: 'PUBLISHED',
    }
    const answer = await put(id, 'locales/de', body)
    expect([answer.status, answer.json.state]).toEqual([200, 'PUBLISHED'])
    const published = await storedElements(id, 'published')
    expect(published[0].locales).toEqual({ de: { title: 'Willkommen' } })
    expect(published[1].locales).toEqual({ fr: { content: 'Bonjour' }, de: { content: 'Hallo' } })
    await put(id, 'locales/fr', { elements: [{ id: '1', content: 'Salut' }] })
    expect((await storedElements(id, 'draft'))[1].locales.fr).toEqual({ content: 'Salut' })
  })

  test('variations translate what is published, and the draft stays one', async () => {
    const id = await create()
    await put(id, 'elements/go', { type: 'action', data: { content: 'Draft', href: 'https://x.y' } })
    const variations = {
      blocks: [{ id: '1', type: 'text', locales: { de: 'Hallo' } }],
      channels: [{ id: 'email', locales: { de: { subject: 'Willkommen' } } }],
    }
    const answer = await post(id, 'variations', variations)
    expect([answer.status, answer.json]).toEqual([200, {}])
    for (const version of ['published', 'draft']) {
      const [title, text, group] = await storedElements(id, version)
      expect(title.locales).toEqual({ de: { title: 'Willkommen' } })
      expect(text.locales).toEqual({ fr: { content: 'Bonjour' }, de: { content: 'Hallo' } })
      expect(group.elements[0].content).toBe(version === 'draft' ? 'Draft' : 'Go')
    }
    expect((await post(id, 'variations', variations)).status).toBe(200)
    const versions = (await api.call('GET', `/notifications/${id}/versions`)).json.versions
    expect(versions[0]).toMatchObject({ version: 'draft', has_changes: true })
    expect((await put(id, 'content', { content: { title: 'New', body: 'New' } })).status).toBe(200)
  })

  test('variations of the draft leave what is published alone', async () => {
    const id = await create()
    expect((await post(id, 'draft/variations', { blocks: [{ id: 'go', locales: { de: 'Los' } }] })).json).toEqual({})
    expect((await storedElements(id, 'draft'))[2].elements[0].locales).toEqual({ de: { content: 'Los' } })
    expect((await storedElements(id, 'published'))[2].elements[0].locales).toBeUndefined()
  })

  test('a channel with an element of its own is translated there', async () => {
    const channel = (name: string) => ({
      type: 'channel',
      channel: name,
      elements: [
        { type: 'meta', title: name },
        { type: 'text', content: 'x' },
      ],
    })
    const id = await create({ elements: [channel('email'), channel('default')] })
    expect((await get(id)).channels.map((channel: { content: object }) => channel.content)).toEqual([
      { subject: 'email', title: '' },
      { subject: '', title: 'default' },
    ])
    await post(id, 'variations', { channels: [{ id: 'sms', locales: { de: { title: 'SMS' } } }] })
    const [email, otherwise] = await storedElements(id, 'published')
    expect([email.elements[0].locales, otherwise.elements[0].locales]).toEqual([undefined, { de: { title: 'SMS' } }])
  })

  test('an unknown element is refused, and nothing has changed', async () => {
    const id = await create({ elements: [{ type: 'text', content: 'x' }] })
    const before = await get(id, 'draft/content')
    expect(await put(id, 'elements/unknown', { type: 'text', content: 'y' }).then(refused)).toEqual([
      404,
      'Element not found',
    ])
    expect(await put(id, 'elements/0', { type: 'quote' }).then(refused)).toEqual([
      400,
      expect.stringMatching(/^content: elements\.0\.content/),
    ])
    expect(await put(id, 'locales/de', { elements: [{ id: 'x', content: 'y' }] }).then(refused)).toEqual([
      400,
      'Unknown element `x`',
    ])
    expect(await put(id, 'locales/d%20e', { elements: [{ id: '0', content: 'y' }] }).then(refused)).toEqual([
      400,
      expect.stringMatching(/is not a locale/),
    ])
    const subject = { channels: [{ id: 'email', locales: { de: { subject: 's' } } }] }
    expect(await post(id, 'draft/variations', subject).then(refused)).toEqual([
      400,
      'The channel `email` has no title to translate',
    ])
    expect((await put('nothing', 'elements/0', { type: 'text', content: 'x' })).status).toBe(404)
    expect(await get(id, 'draft/content')).toEqual(before)
  })

  test('a draft that was never published has no published text to translate', async () => {
    const notification = { name: 'x', content: { title: 'x', body: 'x' } }
    const { id } = (await api.call('POST', '/notifications', { body: { notification } })).json
    expect(await post(id, 'variations', {}).then(refused)).toEqual([404, 'Nothing is published'])
    expect((await post(id, 'draft/variations', {})).status).toBe(200)
  })

  test('translations that would make the content larger than 6 MB are refused', async () => {
    const content = 'x'.repeat(262_144)
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `e${n}`, content }))
    const id = await create({ elements: many(20).map((element) => ({ type: 'text', ...element })) })
    const answer = await put(id, 'locales/de', { elements: many(5) })
    expect(refused(answer)).toEqual([413, 'The content is larger than 6 MB'])
    expect((await put(id, 'locales/de', { elements: many(3) })).status).toBe(200)
  })
})
