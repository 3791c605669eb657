/** The simulation of messages that are sent later, in tenants, or not at all predicts the real outcome. */
import type { AutomationStep } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'

type Reply = Awaited<ReturnType<App['client']['simulate']>>
type Steps = Record<string, unknown>[]

const content = { title: 'Hello {profile.name}', body: 'b' }
const start = '2026-03-06T20:00:00.000Z'
const statuses = ({ timeline }: Reply) => timeline.map(({ status }) => status)
const ada = { email: 'ada@example.com', name: 'Ada' }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const send = (message: object = {}, step: object = {}) => ({
    action: 'send',
    ...step,
    message: { content, routing: { method: 'single', channels: ['email'] }, ...message },
  })
  const simulate = (steps: Steps, more: object = {}): Promise<Reply> =>
    app.client.simulate({
      automation: { steps: steps as AutomationStep[] },
      context: { recipient: 'ada' },
      profiles: { ada },
      start,
      ...more,
    })
  const firstOf = (reply: Reply, position: number) => reply.timeline[position]?.messages?.[0]

  test('a delayed message has its due time, and the channels and text of that time', async () => {
    const rename = { action: 'update-profile', recipient_id: 'ada', profile: { name: 'Eve' }, merge: 'overwrite' }
    const until = 'Mo-Fr 08:00-17:00'
    const steps = [
      send({ delay: { duration: 7_200_000 } }),
      send({ delay: { until } }),
      send({ delay: { until: '2026-03-01T00:00:00Z' } }),
      send({ to: [{ user_id: 'ada' }, { user_id: 'unknown' }], delay: { until } }),
      { action: 'delay', duration: '3 hours' },
      rename,
    ]
    const reply = await simulate(steps)
    const sent = [0, 1, 2, 3].flatMap((position) =>
      (reply.timeline[position]?.messages ?? []).map(({ due_at, channels, explanation }) => [
        due_at,
        channels.join(),
        explanation?.decision.status,
        explanation?.rendered[0]?.content.title,
      ]),
    )
    const monday = '2026-03-09T08:00:00.000Z'
    expect(sent).toEqual([
      ['2026-03-06T22:00:00.000Z', 'email', 'ROUTED', 'Hello Ada'],
      [monday, 'email', 'ROUTED', 'Hello Eve'],
      [undefined, 'email', 'ROUTED', 'Hello Ada'],
      [monday, 'email', 'ROUTED', 'Hello Eve'],
      [monday, '', 'UNROUTABLE', undefined],
    ])
  })

  test('later steps see the result of its explanation, unless the caller gives another', async () => {
    const isSent = { if: 'refs.a.status >= MessageStatus.Sent' }
    const after = (message: object, more: object = {}) =>
      simulate([send(message, { ref: 'a' }), { action: 'delay', duration: '1 hour' }, send({}, isSent)], more)
    const lost = { to: { user_id: 'unknown' } }
    const [sent, skipped] = [
      ['PROCESSED', 'PROCESSED', 'PROCESSED'],
      ['PROCESSED', 'PROCESSED', 'SKIPPED'],
    ]
    expect(statuses(await after({}))).toEqual(sent)
    expect(statuses(await after(lost))).toEqual(skipped)
    expect(statuses(await after(lost, { statuses: { a: 'DELIVERED' } }))).toEqual(sent)
    expect(statuses(await after({ delay: { duration: 7_200_000 } }))).toEqual(skipped)
    expect(statuses(await after({ delay: { duration: 1_800_000 } }))).toEqual(sent)
    expect(statuses(await after({ delay: { until: 'Mo-Fr 08:00-17:00' } }))).toEqual(skipped)
  })

  test('the status of a message before it is due is decided by the state at its due time', async () => {
    const email = { email: 'new@example.com' }
    const write = { action: 'update-profile', recipient_id: 'unknown', profile: email, merge: 'overwrite' }
    const isThere = { if: 'refs.a.status > 0' }
    const reply = await simulate([
      send({ to: { user_id: 'unknown' }, delay: { until: 'Mo-Fr 08:00-17:00' } }, { ref: 'a' }),
      send({}, isThere),
      { action: 'delay', duration: '1 hour' },
      write,
      { action: 'delay', duration: '4 days' },
      send({}, { if: 'refs.a.status >= MessageStatus.Sent' }),
    ])
    expect(statuses(reply)).not.toContain('SKIPPED')
    expect([firstOf(reply, 0)?.due_at, firstOf(reply, 0)?.explanation?.profile]).toEqual([
      '2026-03-09T08:00:00.000Z',
      email,
    ])
  })

  test('a profile that is given or written lies where the stored one lies, in a tenant as well', async () => {
    const { client } = app
    await client.tenants.put('acme', { name: 'Acme', user_profile: { city: 'Rome', name: 'Customer' } })
    await app.call('PUT', '/users/ada/tenants/acme', { body: { profile: { role: 'chief' } } })
    await client.profiles.replace('ada', { profile: { email: 'old@example.com', phone_number: '+431' } })
    const write = { action: 'update-profile', recipient_id: 'ada', profile: { name: 'Eve' }, merge: 'replace' }
    const last = send({ to: { user_id: 'ada', tenant_id: 'acme' } })
    const simulation = await simulate([last])
    expect(firstOf(simulation, 0)?.explanation?.profile).toEqual({ ...ada, city: 'Rome', role: 'chief' })
    const written = await simulate([write, last])
    expect(firstOf(written, 1)?.explanation?.profile).toEqual({ name: 'Eve', city: 'Rome', role: 'chief' })
  })

  test('get-profile in a tenant sees earlier writes, with the profile of the tenant', async () => {
    await app.client.tenants.put('beta', { name: 'Beta', user_profile: { city: 'Oslo' } })
    const write = { action: 'update-profile', recipient_id: 'ada', profile: { name: 'Eve' }, merge: 'overwrite' }
    const get = { action: 'get-profile', user_id: 'ada', tenant_id: 'beta', path: 'found' }
    const sent = { content: { title: '{found.name} {found.city}', body: 'b' } }
    const reply = await simulate([get, send(sent), write, get, send(sent)])
    const titles = [1, 4].map((position) => firstOf(reply, position)?.explanation?.rendered[0]?.content.title)
    expect(titles).toEqual(['Ada Oslo', 'Eve Oslo'])
  })

  test('an answer without a body is no JSON, as it is of a real server', async () => {
    const url = 'https://shop.example/cart'
    const fetch = { action: 'fetch-data', webhook: { url }, merge_strategy: 'overwrite' }
    const errorOf = async (more: object) => (await simulate([fetch], more)).runs[0]?.error
    const fetched = { [url]: { items: 2 } }
    const problem = 'steps.0 (fetch-data): shop.example answered something other than JSON'
    expect(await errorOf({ fetched_status: { [url]: 204 } })).toBe(problem)
    expect(await errorOf({ fetched, fetched_status: { [url]: 204 } })).toBe(problem)
    expect(await errorOf({ fetched_status: { [url]: 200 } })).toBe(problem)
    expect(await errorOf({ fetched, fetched_status: { [url]: 201 } })).toBe(undefined)
  })
})
