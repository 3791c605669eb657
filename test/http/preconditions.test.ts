/** Writes under a condition: `If-None-Match: *` only creates, `If-Match` replaces only what was read. */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import type { RecordingApp } from '../support/recording-app.ts'

const automation = (template: string) => ({ automation: { steps: [{ action: 'send', template }] } })

/** Writes that create by id: the path, two bodies, and the field that shows which of them is stored. */
const creations = [
  { path: '/lists/only.new', first: { name: 'First' }, second: { name: 'Second' }, seen: 'name' },
  { path: '/audiences/only-new', first: { name: 'First' }, second: { name: 'Second' }, seen: 'name' },
  { path: '/tenants/only-new', first: { name: 'First' }, second: { name: 'Second' }, seen: 'name' },
  {
    path: '/profiles/only-new',
    first: { profile: { nickname: 'First' } },
    second: { profile: { nickname: 'Second' } },
    seen: 'profile.nickname',
  },
  {
    path: '/events/only-new',
    first: { id: 'first', type: 'notification' },
    second: { id: 'second', type: 'notification' },
    seen: 'id',
  },
  {
    path: '/automations/templates/only-new',
    first: automation('first'),
    second: automation('second'),
    seen: 'automation.steps.0.template',
  },
  {
    path: '/views/only-new',
    first: { page: 'messages', filters: { status: 'SENT' } },
    second: { page: 'messages', filters: { status: 'OPENED' } },
    seen: 'filters.status',
  },
]

const valueAt = (value: unknown, path: string) =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown>)?.[name], value)

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const put = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    api.call('PUT', path, { body, headers })
  const onlyCreate = { 'if-none-match': '*' }
  /** Views have no address of their own. */
  const read = async (path: string) =>
    path.startsWith('/views/')
      ? (await api.call('GET', '/views?page=messages')).json.results.find(
          ({ name }: { name: string }) => path === `/views/${name}`,
        )
      : (await api.call('GET', path)).json

  for (const { path, first, second, seen } of creations)
    test(`PUT ${path} with If-None-Match: * creates once, and leaves what exists as it is`, async () => {
      const bodies = [first, first, first]
      const together = await Promise.all(bodies.map((body) => put(path, body, onlyCreate)))
      expect(together.map(({ status }) => status).toSorted()).toEqual([
        expect.toSatisfy((code) => code < 300),
        409,
        409,
      ])
      const before = await read(path)
      const refused = await put(path, second, onlyCreate)
      expect(refused.json).toMatchObject({ code: 'already_exists', param: 'If-None-Match' })
      expect(refused.headers.get('x-should-retry')).toBe('false')
      expect(await read(path)).toEqual(before)
      expect((await put(path, second)).status).toBeLessThan(300)
      expect(valueAt(await read(path), seen)).toBe(valueAt(second, seen))
    })

  test('a list or audience that was deleted is created again, a list without its subscriptions', async () => {
    await put('/lists/deleted', { name: 'Before' })
    await put('/lists/deleted/subscriptions/ada', {})
    await api.call('DELETE', '/lists/deleted')
    expect((await put('/lists/deleted', { name: 'After' }, onlyCreate)).status).toBe(204)
    expect((await api.call('GET', '/lists/deleted')).json.name).toBe('After')
    expect((await api.call('GET', '/lists/deleted/subscriptions')).json.items).toEqual([])
    await put('/audiences/deleted', { name: 'Before' })
    await api.call('DELETE', '/audiences/deleted')
    expect((await put('/audiences/deleted', {}, onlyCreate)).json.audience.name).toBe('')
  })

  test('a tenant that cannot be created says why, also under the condition', async () => {
    const refused = await put('/tenants/child', { name: 'Child', parent_tenant_id: 'nowhere' }, onlyCreate)
    expect(refused.json.code).toBe('unknown_tenant')
  })

  test('the second of two editors of an automation is refused and has to read again', async () => {
    const path = '/automations/templates/edited'
    const first = await put(path, automation('first'))
    expect(first.headers.get('etag')).toBe('"1"')
    const tag = (await api.call('GET', path)).headers.get('etag') ?? ''
    const answers = await Promise.all(['a', 'b', 'c'].map((name) => put(path, automation(name), { 'if-match': tag })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
    expect(answers.find(({ status }) => status === 409)?.json).toMatchObject({
      code: 'changed_since',
      param: 'If-Match',
    })
    expect((await api.call('GET', path)).json).toMatchObject(answers.find(({ status }) => status === 200)?.json)
    expect((await put(path, automation('next'), { 'if-match': '"2"' })).json.version).toBe(3)
    // As a proxy that compresses replies passes it on.
    expect((await put(path, automation('last'), { 'if-match': 'W/"3"' })).json.version).toBe(4)
    expect((await put(path, automation('whatever is stored'))).json.version).toBe(5)
    expect((await put('/automations/templates/absent', automation('x'), { 'if-match': '"1"' })).status).toBe(409)
    expect((await api.call('GET', '/automations/templates/absent')).status).toBe(404)
  })

  test('a condition that cannot be read is refused, and not taken for none', async () => {
    const path = '/automations/templates/malformed'
    for (const [headers, param] of [
      [{ 'if-none-match': '"1"' }, 'If-None-Match'],
      [{ 'if-match': '1' }, 'If-Match'],
      [{ 'if-match': '"1", "2"' }, 'If-Match'],
    ] as const) {
      const refused = await put(path, automation('x'), headers)
      expect([refused.status, refused.json.code, refused.json.param]).toEqual([400, 'invalid_field', param])
    }
    expect((await api.call('GET', path)).status).toBe(404)
  })
})
