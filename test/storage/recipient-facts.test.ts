/** Loads the recipients of a batch of messages: their preferences, in which order, and with how many statements. */
import type { Engine } from '@postrider/server/internal/database/engine'
import type { Mapping } from '@postrider/server/internal/messages/facts'
import { loadRecipients } from '@postrider/server/internal/messages/load/recipients'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

interface SubjectOptions {
  list?: string
  topic?: string
  tenantId?: string
  workspace?: number
  snapshot?: object
  asOfSnapshot?: boolean
}

const subject = (
  recipient: string,
  { list, workspace = 1, snapshot, asOfSnapshot = false, ...input }: SubjectOptions = {},
) => ({
  message: {
    ...{ id: recipient, workspace_id: workspace, mode: 'live', first_due: 0, recipient },
    ...(list && { list_id: list }),
  },
  input: { event: 'shipped', recipient, ...input },
  snapshot,
  asOfSnapshot,
})

const mapping: Mapping = { notificationId: 'N1' }

withEngine((open) => {
  let api: RecordingApp
  let statements = 0
  let counting: Engine
  let topic: string

  beforeAll(async () => {
    const engine = await open()
    const run: Engine['run'] = (...args) => {
      statements += 1
      return engine.run(...args)
    }
    counting = { ...engine, run }
    api = await openApp({ pipeline: 'recording', engine })
    const put = (path: string, body: unknown, key = keys.production) => api.call('PUT', path, { body, apiKey: key })
    const out = { notifications: { N1: { status: 'OPTED_OUT' } } }
    await put('/profiles/ada', { profile: { name: 'Ada' } })
    await put('/preferences/ada', { categories: {}, ...out })
    await put('/preferences/bob', out, keys.test)
    await put('/lists/news', { name: 'News', preferences: { notifications: { shipped: { status: 'OPTED_IN' } } } })
    await put('/lists/news/subscriptions/ada', { preferences: out })
    await put('/lists/news/subscriptions/bob', {})
    const section = (await api.call('POST', '/preferences/sections', { body: { name: 'S' } })).json.id
    const create = { name: 'T', default_status: 'OPTED_OUT', routing_options: ['email'] }
    topic = (await api.call('POST', `/preferences/sections/${section}/topics`, { body: create })).json.id
    await put('/tenants/group', { name: 'Group' })
    await put('/tenants/acme', { name: 'Acme', parent_tenant_id: 'group' })
    await put(`/tenants/group/default_preferences/items/${topic}`, { status: 'REQUIRED' })
    const choice = { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['sms'] }
    await put(`/users/ada/preferences/${topic}?tenant_id=acme`, { topic: choice })
    await put(`/users/ada/preferences/${topic}`, { topic: { status: 'OPTED_OUT' } })
  })
  afterAll(() => api.stop())

  const load = (subjects: ReturnType<typeof subject>[], engine: Engine = counting) => {
    statements = 0
    return loadRecipients(engine, subjects, Promise.resolve(subjects.map(() => mapping)), 0)
  }

  test('the subscription, the list, the recipient, then everything about the topic', async () => {
    const [ada, bob, unknown, foreign] = await load([
      subject('ada', { list: 'news', topic, tenantId: 'acme' }),
      subject('bob', { list: 'news', topic }),
      subject('eve', { list: 'no-such-list', topic: 'no-such-topic', tenantId: 'no-such-tenant' }),
      subject('ada', { workspace: 2, list: 'news', topic, tenantId: 'acme' }),
    ])
    const change = { source: 'api', actor: 'key/production', message_id: null, at: expect.any(Number) }
    expect(ada).toEqual({
      profile: { name: 'Ada' },
      preferences: [
        { source: 'subscription', status: 'OPTED_OUT' },
        { source: 'list', status: 'OPTED_IN' },
        { source: 'recipient', status: 'OPTED_OUT' },
        { source: 'recipient', status: 'OPTED_IN', channels: ['sms'], tenant: 'acme' },
        { source: 'recipient', status: 'OPTED_OUT', change },
        { source: 'tenant', status: 'REQUIRED', tenant: 'group' },
        { source: 'topic', status: 'OPTED_OUT', channels: ['email'] },
      ],
      unsubscribeHeader: true,
    })
    expect(bob).toEqual({
      preferences: [
        { source: 'list', status: 'OPTED_IN' },
        { source: 'topic', status: 'OPTED_OUT', channels: ['email'] },
      ],
      unsubscribeHeader: true,
    })
    // A recipient who is not on the list has left it.
    const gone = { source: 'subscription', status: 'OPTED_OUT' }
    expect(unknown).toEqual({ preferences: [gone], missingTopic: 'no-such-topic' })
    expect(foreign).toEqual({ preferences: [gone], missingTopic: topic })
  })

  test('a batch of any size needs one statement a kind, and only for what can apply', async () => {
    const many = (options: SubjectOptions) => Array.from({ length: 300 }, (_, n) => subject(`user-${n}`, options))
    await load(many({}))
    expect(statements).toBe(1)
    await load(many({ topic }))
    expect(statements).toBe(2)
    await load([...many({ list: 'news', topic, tenantId: 'acme' }), ...many({})])
    expect(statements).toBe(3)
  })

  test('a retry loads preferences again and no profile; a load as of the snapshot needs no statement', async () => {
    expect(await load([subject('ada', { snapshot: {} })])).toEqual([
      { preferences: [{ source: 'recipient', status: 'OPTED_OUT' }] },
    ])
    const preferences = [{ source: 'send', status: 'OPTED_IN' }]
    expect(
      await load([
        subject('ada', { snapshot: { preferences }, asOfSnapshot: true, topic, list: 'news' }),
        subject('ada', { snapshot: {}, asOfSnapshot: true }),
      ]),
    ).toEqual([{ preferences }, { preferences: [] }])
    expect(statements).toBe(0)
  })
})
