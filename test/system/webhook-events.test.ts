/** Webhook events about members, preferences and submissions: once each, and only of changes. */
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { type Recorded, type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { publish } from './templates.ts'

const payloadOf = ({ body }: Recorded) => JSON.parse(body)

withApp((open) => {
  let client: Postrider
  let peer: Recorder

  beforeAll(async () => {
    const [app, recorder] = await Promise.all([open(), startRecorder()])
    client = app.client
    peer = recorder
  })
  afterAll(() => peer.close())

  const hook = (path: string, more: object = {}) => client.webhooks.create({ url: `${peer.url}/${path}`, ...more })
  const callsOf = (path: string) => peer.all.filter((request) => request.path === `/${path}`)

  test('for users who become or stop being members of an audience, and when all users were matched', async () => {
    const types = ['audiences:user:matched', 'audiences:user:unmatched', 'audiences:calculated'] as const
    const { id } = await hook('members', { types: [...types] })
    const calls = (type: string, user?: string) =>
      peer.waitFor((request) => {
        const payload = request.path === '/members' ? payloadOf(request) : undefined
        return payload?.type === type && (user === undefined || payload.data.user_id === user)
      })
    await client.profiles.replace('inside', { profile: { plan: 'pro' } })
    await client.audiences.put('pros', { filter: { operator: 'EQ', path: 'plan', value: 'pro' } })
    const member = { audience_id: 'pros', audience_version: 1, user_id: 'inside', reason: "EQ('plan', 'pro') => true" }
    expect(payloadOf(await calls(types[0], 'inside')).data).toEqual(member)
    expect(payloadOf(await calls(types[2])).data).toEqual({ audience_id: 'pros', audience_version: 1 })
    await client.profiles.replace('later', { profile: { plan: 'pro' } })
    await calls(types[0], 'later')
    await client.profiles.replace('inside', { profile: { plan: 'none' } })
    expect(payloadOf(await calls(types[1], 'inside')).data).toEqual(member)
    // A second write matches the same users, and a deletion has no event for each of them.
    await client.audiences.put('pros', { name: 'Pros' })
    await peer.waitFor((request) => request.path === '/members' && payloadOf(request).data.audience_version === 2)
    await client.audiences.delete('pros')
    await client.audiences.put('all', { filter: { operator: 'EXISTS', path: 'plan' } })
    await peer.waitFor((request) => request.path === '/members' && payloadOf(request).data.audience_id === 'all')
    const payload = callsOf('members').map(payloadOf)
    const ofPros = payload.filter(({ data }) => data.audience_id === 'pros')
    expect(ofPros.map(({ type, data }) => `${type} ${data.user_id ?? ''} ${data.audience_version}`).sort()).toEqual([
      'audiences:calculated  1',
      'audiences:calculated  2',
      'audiences:user:matched inside 1',
      'audiences:user:matched later 1',
      'audiences:user:unmatched inside 1',
    ])
    await client.webhooks.delete(id)
  })

  test('for a preference when it is written, and for a submission when it is created and when it is canceled', async () => {
    const types = ['preferences:user:updated', 'notification:submitted', 'notification:submission_canceled'] as const
    const { id } = await hook('wishes', { types: [...types] })
    await client.preferences.replace('wisher', { categories: { news: { status: 'OPTED_OUT' } } })
    await client.preferences.merge('wisher', { categories: { news: { status: 'OPTED_IN' } } })
    const section = (await client.sections.create({ name: 'Weekly news' })).id
    const topic = (await client.topics.create(section, { name: 'Weekly news', default_status: 'OPTED_IN' })).id
    await client.preferences.putTopic('wisher', topic, { topic: { status: 'OPTED_OUT' } }, { tenant_id: 'acme' })
    await client.preferences.deleteTopic('wisher', topic)
    const news = await publish(client, 'reviewed', { channels: ['webhook'] })
    for (const status of ['PENDING', 'RESOLVED'] as const)
      await client.notifications.replaceChecks(news, 'review-1', { checks: [{ id: 'a', type: 'custom', status }] })
    await client.notifications.deleteChecks(news, 'review-1')
    await until(
      async () => callsOf('wishes'),
      ({ length }) => length >= 5,
    )
    const payload = callsOf('wishes').map(payloadOf)
    const of = (type: string) => payload.filter((event) => event.type === type).map(({ data }) => data)
    expect(of(types[0])).toEqual([
      { user_id: 'wisher' },
      { user_id: 'wisher' },
      { user_id: 'wisher', tenant_id: 'acme', topic_ids: [topic] },
    ])
    expect(of(types[1])).toEqual([{ id: news, submission_id: 'review-1' }])
    expect(of(types[2])).toEqual([{ id: news, submission_id: 'review-1', canceled_at: expect.any(Number) }])
    await client.webhooks.delete(id)
  })
})
