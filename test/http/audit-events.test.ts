/**
 * Every administrative change leaves an audit event, in the commit of the change; rejected and repeated calls leave
 * none.
 */
import { operations } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { ownParams, pathWith } from '../support/fixtures.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const administrative = operations.filter(({ audit }) => audit).map((operation) => [operation.id, operation] as const)

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const list = async (key?: string) => (await api.call('GET', '/audit-events', key ? { apiKey: key } : {})).json.results
  const latest = async () => (await list())[0]

  test('there are audit events to read', () => {
    const types = administrative.map(([, { audit }]) => audit)
    expect(types).toEqual(
      expect.arrayContaining(['key:created', 'integration:updated', 'webhook:deleted', 'list:updated', 'token:issued']),
    )
  })

  test.each(administrative)('%s', async (id, operation) => {
    const params = await ownParams(operation, api, id.replace('.', '-'))
    const { method, path, body, example } = operation
    // The provider of an integration cannot be changed.
    const change = id === 'providers.update' ? { provider: 'twilio' } : example?.body
    const before = await list()
    api.time.now += 1_000
    const answer = await api.call(method, pathWith(path, params), body ? { body: change } : {})
    expect(answer.status).toBeLessThan(300)
    const [event, ...rest] = await list()
    expect(event).toEqual({
      auditEventId: expect.stringMatching(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/),
      actor: { id: 'key/production', email: '' },
      target: Object.values(params).join('/') || (answer.json?.id ?? ''),
      source: 'api',
      timestamp: new Date(api.time.now).toISOString(),
      type: operation.audit,
    })
    expect(rest.slice(0, before.length)).toEqual(before.slice(0, rest.length))
    expect((await api.call('GET', `/audit-events/${event.auditEventId}`)).json).toEqual(event)
  })

  test('a rejected call, a read and a message leave none', async () => {
    const before = await latest()
    await api.call('DELETE', '/keys/none')
    await api.call('POST', '/providers', { body: { provider: 'none' } })
    await api.call('PUT', '/events/e', { body: {} })
    await api.call('DELETE', '/events/none')
    await api.call('GET', '/keys')
    await api.call('POST', '/send', { body: { event: 'e', recipient: 'r' } })
    await api.call('PUT', '/profiles/u', { body: { profile: {} } })
    expect(await latest()).toEqual(before)
  })

  test('a call that is repeated with its key leaves one', async () => {
    const again = () =>
      api.call('POST', '/keys', { body: { name: 'once' }, headers: { 'idempotency-key': 'audit-once' } })
    const { id } = (await again()).json
    expect((await again()).json.id).toBe(id)
    const found = (await list()).filter(({ target }: { target: string }) => target === id)
    expect(found).toHaveLength(1)
  })

  test('another environment sees its own only', async () => {
    const { auditEventId } = await latest()
    expect(await list(keys.test)).toEqual([])
    const foreign = await api.call('GET', `/audit-events/${auditEventId}`, { apiKey: keys.test })
    const missing = await api.call('GET', '/audit-events/none', { apiKey: keys.test })
    expect([foreign.status, foreign.text]).toEqual([404, missing.text])
  })

  test('they come in pages', async () => {
    for (let n = 0; n < 55; n += 1)
      await api.call('PUT', `/events/paged-${n}`, { body: { id: 'N', type: 'notification' } })
    const first = (await api.call('GET', '/audit-events')).json
    expect(first.results.map(({ target }: { target: string }) => target).slice(0, 2)).toEqual(['paged-54', 'paged-53'])
    const second = (await api.call('GET', `/audit-events?cursor=${first.paging.cursor}`)).json
    expect(first.results).toHaveLength(50)
    expect(second.results[0].target).toBe('paged-4')
  })
})
