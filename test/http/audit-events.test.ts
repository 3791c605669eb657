/** Every administrative change leaves an audit event, in the commit of the change; refusals and repetitions leave none. */
import { operations } from '@postrider/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eachEngine } from '../support/engines.ts'
import { ownParams, pathWith } from '../support/fixtures.ts'
import { type Door, keys, openDoor } from './door.ts'

const administrative = operations.filter(({ audit }) => audit).map((operation) => [operation.id, operation] as const)

eachEngine((_name, open) => {
  let door: Door
  beforeAll(async () => {
    door = await openDoor(await open())
  })
  afterAll(() => door.close())

  const list = async (key?: string) => (await door.ask('GET', '/audit-events', key ? { key } : {})).json.results
  const latest = async () => (await list())[0]

  test('there is something to look at', () => {
    const types = administrative.map(([, { audit }]) => audit)
    expect(types).toEqual(
      expect.arrayContaining(['key:created', 'integration:updated', 'webhook:deleted', 'list:updated', 'token:issued']),
    )
  })

  test.each(administrative)('%s', async (id, operation) => {
    const params = await ownParams(operation, door, id.replace('.', '-'))
    const { method, path, body, example } = operation
    // The provider of an integration cannot be changed.
    const change = id === 'providers.update' ? { provider: 'twilio' } : example?.body
    const before = await list()
    door.time.now += 1_000
    const answer = await door.ask(method, pathWith(path, params), body ? { body: change } : {})
    expect(answer.status).toBeLessThan(300)
    const [event, ...rest] = await list()
    expect(event).toEqual({
      auditEventId: expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      actor: { id: 'key/production', email: '' },
      target: Object.values(params).join('/') || (answer.json?.id ?? ''),
      source: 'api',
      timestamp: new Date(door.time.now).toISOString(),
      type: operation.audit,
    })
    expect(rest.slice(0, before.length)).toEqual(before.slice(0, rest.length))
    expect((await door.ask('GET', `/audit-events/${event.auditEventId}`)).json).toEqual(event)
  })

  test('a refusal, a read and a message leave none', async () => {
    const before = await latest()
    await door.ask('DELETE', '/keys/none')
    await door.ask('POST', '/providers', { body: { provider: 'none' } })
    await door.ask('PUT', '/events/e', { body: {} })
    await door.ask('DELETE', '/events/none')
    await door.ask('GET', '/keys')
    await door.ask('POST', '/send', { body: { event: 'e', recipient: 'r' } })
    await door.ask('PUT', '/profiles/u', { body: { profile: {} } })
    expect(await latest()).toEqual(before)
  })

  test('a call that is repeated with its key leaves one', async () => {
    const again = () =>
      door.ask('POST', '/keys', { body: { name: 'once' }, headers: { 'idempotency-key': 'audit-once' } })
    const { id } = (await again()).json
    expect((await again()).json.id).toBe(id)
    const found = (await list()).filter(({ target }: { target: string }) => target === id)
    expect(found).toHaveLength(1)
  })

  test('another environment sees its own only', async () => {
    const { auditEventId } = await latest()
    expect(await list(keys.test)).toEqual([])
    const foreign = await door.ask('GET', `/audit-events/${auditEventId}`, { key: keys.test })
    const missing = await door.ask('GET', '/audit-events/none', { key: keys.test })
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  })

  test('they come in pages', async () => {
    for (let n = 0; n < 55; n += 1)
      await door.ask('PUT', `/events/paged-${n}`, { body: { id: 'N', type: 'notification' } })
    const first = (await door.ask('GET', '/audit-events')).json
    expect(first.results.map(({ target }: { target: string }) => target).slice(0, 2)).toEqual(['paged-54', 'paged-53'])
    const second = (await door.ask('GET', `/audit-events?cursor=${first.paging.cursor}`)).json
    expect(first.results).toHaveLength(50)
    expect(second.results[0].target).toBe('paged-4')
  })
})
