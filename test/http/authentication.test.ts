/** Who may come in, and with what. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { type Door, keys, openDoor } from './door.ts'

const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`

eachEngine((_name, open) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(await open())
  })
  afterAll(() => door.close())

  const knock = (authorization: string) => door.ask('GET', '/events', { key: '', headers: { authorization } })
  const send = (key: string) => door.ask('POST', '/send', { key, body: { event: 'e', recipient: 'r' } })

  test.each([
    ['bearer', `Bearer ${keys.production}`],
    ['bearer in small letters', `bearer  ${keys.production}`],
    ['basic, the key as the password', basic(`me@example.com:${keys.production}`)],
    ['basic, the key as the user name', basic(`${keys.production}:`)],
  ])('%s is let in', async (_title, authorization) => {
    expect((await knock(authorization)).status).toBe(200)
  })

  test.each([
    ['nothing', ''],
    ['an unknown key', 'Bearer pk_prod_unknown'],
    ['half a key', `Bearer ${keys.production.slice(0, -1)}`],
    ['an unknown scheme', `Token ${keys.production}`],
    ['a wrong password beside the right user name', basic(`${keys.production}:wrong`)],
    ['a key of 10,000 characters', `Bearer ${'x'.repeat(10_000)}`],
  ])('%s is a 401', async (_title, authorization) => {
    const answer = await knock(authorization)
    expect(answer.status).toBe(401)
    expect(answer.json).toEqual({ message: 'Unauthorized', type: 'authentication_error' })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="postrider"')
  })

  test('strangers are turned away before their body is read', async () => {
    const answer = await door.ask('POST', '/send', { key: 'nobody', body: '{"broken' })
    expect(answer.status).toBe(401)
  })

  test('the key chooses the environment and the mode', async () => {
    for (const key of [keys.production, keys.test, keys.draft]) await send(key)
    expect(door.sends.map(({ workspaceId, mode }) => [workspaceId, mode])).toEqual([
      [1, 'live'],
      [2, 'live'],
      [1, 'draft'],
    ])
  })

  test('figures want a key when a proxy asks for somebody else', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.7' }
    expect((await door.ask('GET', '/metrics', { key: '', headers })).status).toBe(401)
    expect((await door.ask('GET', '/metrics', { headers })).status).toBe(200)
  })

  test('a new key works at once, is shown once, and is kept as a hash', async () => {
    const made = await door.ask('POST', '/keys', { body: { name: 'backend' } })
    expect(made.status).toBe(201)
    expect(made.json).toMatchObject({ name: 'backend', kind: 'published', environment: 'production' })
    expect(made.json.key).toMatch(/^pk_prod_[A-Za-z0-9]{36}$/)
    expect((await send(made.json.key)).status).toBe(200)
    expect((await door.ask('GET', '/keys')).text).not.toContain(made.json.key)
    const { rows } = await door.engine.run({ text: 'select * from keys', values: [] })
    expect(JSON.stringify(rows)).not.toContain(made.json.key)
  })

  test.each([
    ['draft', 'test', 'dk_test_'],
    ['mock', 'production', 'mk_prod_'],
  ])('a %s key of %s begins with %s', async (kind, environment, prefix) => {
    const made = await door.ask('POST', '/keys', { body: { name: 'n', kind, environment } })
    expect(made.json).toMatchObject({ kind, environment, key: expect.stringMatching(`^${prefix}`) })
  })

  test.each([
    ['nothing', {}, 'name is required'],
    ['a misspelt kind', { name: 'n', knd: 'mock' }, 'knd is not known here'],
  ])('a body with %s makes no key', async (_what, body, message) => {
    const before = (await door.ask('GET', '/keys')).text
    const answer = await door.ask('POST', '/keys', { body })
    expect([answer.status, answer.json.message]).toEqual([400, message])
    expect((await door.ask('GET', '/keys')).text).toBe(before)
  })

  test('a key makes no mightier one', async () => {
    const fromTest = await door.ask('POST', '/keys', { key: keys.test, body: { name: 'n', environment: 'production' } })
    const fromDraft = await door.ask('POST', '/keys', { key: keys.draft, body: { name: 'n' } })
    for (const answer of [fromTest, fromDraft])
      expect([answer.status, answer.json.type]).toEqual([403, 'authorization_error'])
  })

  test('a revoked key is refused within a second', async () => {
    const { id, key } = (await door.ask('POST', '/keys', { body: { name: 'n' } })).json
    expect((await send(key)).status).toBe(200)
    expect((await door.ask('DELETE', `/keys/${id}`)).status).toBe(204)
    door.time.now += 1_000
    expect((await send(key)).status).toBe(401)
    expect((await door.ask('DELETE', `/keys/${id}`)).status).toBe(404)
    expect((await door.ask('GET', '/keys')).json.results.map((each: { id: string }) => each.id)).not.toContain(id)
  })

  test('the last published key of an environment stays, also when two ask at once', async () => {
    const { results } = (await door.ask('GET', '/keys', { key: keys.test })).json
    const answers = await Promise.all(
      results.map(({ id }: { id: string }) => door.ask('DELETE', `/keys/${id}`, { key: keys.test })),
    )
    const last = answers.filter(({ status }) => status === 409)
    expect(last).toHaveLength(1)
    expect(last[0]?.json.message).toBe('This is the last published key of the environment; create another one first')
    expect(last[0]?.headers.get('x-should-retry')).toBe('false')
  })
})
