/**
 * A simulation on a whole service: channels and texts as of the simulated time, and nothing is sent, stored or called.
 */
import type { AutomationStep } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'

type Reply = Awaited<ReturnType<App['client']['simulate']>>

const content = (title: string) => ({ title, body: 'Hello {name}' })
const messagesOf = ({ timeline }: Reply) =>
  timeline.map(({ action, status, messages }) => [
    action,
    status,
    ...(messages ?? []).flatMap(({ recipient, channels, explanation }) => [
      recipient,
      ...channels,
      explanation?.rendered[0]?.content.title ?? explanation?.decision.status ?? '',
    ]),
  ])

withApp((open) => {
  const opened = open()
  // A new database takes its time on a busy machine.
  beforeAll(async () => void (await opened))

  test('lists the messages with time, recipient and channel, and the skipped steps', async () => {
    const { client } = await opened
    const simulation = await client.simulate({
      automation: {
        steps: [
          { action: 'send', ref: 'first', message: { content: content('Welcome {name}') } },
          { action: 'delay', duration: '1 week' },
          { action: 'fetch-data', webhook: { url: 'https://shop.example/cart?of=ada' }, merge_strategy: 'overwrite' },
          { action: 'send', if: 'data.items > 0', message: { content: content('{items} left') } },
          { action: 'send', if: 'refs.first.status >= MessageStatus.Opened', message: { content: content('Again') } },
          {
            action: 'send',
            message: {
              to: { user_id: 'unknown' },
              content: content('Lost'),
              routing: { method: 'single', channels: ['sms'] },
            },
          },
        ],
      },
      context: { recipient: 'ada', data: { name: 'Ada' } },
      profiles: { ada: { email: 'ada@example.com' } },
      fetched: { 'https://shop.example/cart': { items: 2 } },
      start: '2026-03-02T09:00:00Z',
    })
    expect(messagesOf(simulation)).toEqual([
      ['send', 'PROCESSED', 'ada', 'email', 'inbox', 'Welcome Ada'],
      ['delay', 'PROCESSED'],
      ['fetch-data', 'PROCESSED'],
      ['send', 'PROCESSED', 'ada', 'email', 'inbox', '2 left'],
      ['send', 'SKIPPED'],
      ['send', 'PROCESSED', 'unknown', 'UNROUTABLE'],
    ])
    expect(simulation).toMatchObject({
      start: '2026-03-02T09:00:00.000Z',
      end: '2026-03-09T09:00:00.000Z',
      complete: true,
    })
    expect((await client.messages.list()).results).toEqual([])
    expect((await client.mailbox.list()).results).toEqual([])
  })

  test('uses stored profiles and lists where none are given, and writes none', async () => {
    const { client } = await opened
    await client.profiles.merge('bob', { profile: { email: 'bob@example.com', plan: 'pro' } })
    await client.lists.subscribe('team', 'bob')
    const simulation = await client.simulate({
      automation: {
        steps: [
          { action: 'update-profile', recipient_id: 'bob', profile: { email: 'new@example.com' }, merge: 'overwrite' },
          {
            action: 'send-list',
            list: 'team',
            template: 'news',
            data_source: { webhook: { url: 'https://shop.example/' } },
          },
          { action: 'send', if: "profile.plan === 'pro'", message: { content: content('Dear {name}') } },
        ],
      },
      context: { recipient: 'bob', data: { name: 'Bob' } },
      fetched: { 'https://shop.example': { own: 1 } },
    })
    expect(simulation.runs).toHaveLength(2)
    const last = simulation.timeline.find(({ position, action }) => position === 2 && action === 'send')
    expect(last?.messages?.[0]?.explanation?.profile).toMatchObject({ email: 'new@example.com', plan: 'pro' })
    expect((await client.profiles.get('bob')).profile).toMatchObject({ email: 'bob@example.com' })
    expect((await client.messages.list()).results).toEqual([])
  })

  test('runs further runs: three that are collected become one message', async () => {
    const { client } = await opened
    const simulation = await client.simulate({
      automation: {
        steps: [
          { action: 'add-to-batch', max_items: 3 },
          { action: 'send', message: { content: content('{batch.count} likes') } },
        ],
      },
      context: { recipient: 'ada', data: { from: 'Drew' }, profile: { email: 'ada@example.com' } },
      further: ['Alex', 'Abby'].map((from, n) => ({
        after: `${n + 1} minutes`,
        context: { recipient: 'ada', data: { from } },
      })),
    })
    expect(messagesOf(simulation).filter(([action]) => action === 'send')).toEqual([
      ['send', 'PROCESSED', 'ada', 'email', 'inbox', '3 likes'],
    ])
  })

  test('runs a stored automation by its alias, and those that it invokes', async () => {
    const { call, client } = await opened
    const put = (id: string, steps: object[]) =>
      call('PUT', `/automations/templates/${id}`, { body: { name: id, alias: `${id}-alias`, automation: { steps } } })
    await put('nudge', [{ action: 'send', message: { content: content('Nudge {name}') } }])
    expect((await put('drip', [{ action: 'invoke', template: 'nudge-alias' }])).status).toBeLessThan(300)
    const simulation = await client.simulate({
      template_id: 'drip-alias',
      context: { recipient: 'ada', data: { name: 'Ada' }, profile: { email: 'ada@example.com' } },
    })
    expect(simulation.runs.map(({ status }) => status)).toEqual(['PROCESSED', 'PROCESSED'])
    expect(messagesOf(simulation)[1]).toEqual(['send', 'PROCESSED', 'ada', 'email', 'inbox', 'Nudge Ada'])
  })

  test('an address answers with the given status, gets a retry after a 503, and ends the run after a 404', async () => {
    const { client } = await opened
    const fetch = (path: string): AutomationStep => ({
      action: 'fetch-data',
      webhook: { url: `https://shop.example/${path}?of=ada` },
      merge_strategy: 'overwrite',
    })
    const simulate = (path: string, fetched_status: Record<string, number>) =>
      client.simulate({
        automation: { steps: [fetch(path)] },
        fetched: { 'https://shop.example/cart': { items: 2 } },
        fetched_status,
      })
    const busy = await simulate('cart', { 'https://shop.example/cart': 503 })
    expect([busy.runs[0]?.status, busy.runs[0]?.error]).toEqual(['ERROR', expect.stringContaining('503')])
    expect(busy.timeline[0]?.waited_ms).toBeGreaterThan(0)
    const gone = await simulate('gone', { 'https://shop.example/gone': 404, 'https://shop.example/cart': 503 })
    expect([gone.runs[0]?.error, gone.timeline[0]?.waited_ms]).toEqual([expect.stringContaining('404'), undefined])
    expect((await simulate('cart', { 'https://shop.example/other': 500 })).runs[0]?.status).toBe('PROCESSED')
  })

  test('refuses what an invoke would refuse, and a simulation of nothing', async () => {
    const { call } = await opened
    const refused = async (body: unknown) => (await call('POST', '/automations/simulate', { body })).json
    expect(await refused({ automation: { steps: [] } })).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining('automation.steps'),
    })
    expect((await refused({})).message).toBe('Give either automation or template_id')
    expect((await refused({ template_id: 'gone' })).message).toBe('Unknown automation template `gone`')
    const steps = [{ action: 'delay', duration: '1 day' }]
    expect((await refused({ automation: { steps }, start: 'soon' })).message).toMatch(
      /^start must be a timestamp: ISO 8601/,
    )
    expect((await refused({ automation: { steps }, further: [{ after: 'soon' }] })).message).toMatch(
      /^further\.0\.after must be a duration: a whole number with a unit/,
    )
    const further = [{ after: '1 hour', automation: { steps: [{ action: 'dance' }] } }]
    expect((await refused({ automation: { steps }, further })).message).toContain('further.0.automation.steps.0.action')
    const long = [{ action: 'send', template: 't', recipient: 'r', data: { text: 'x'.repeat(300_000) } }]
    expect((await refused({ automation: { steps: long } })).message).toBe('automation is larger than 256000 bytes')
  })

  test('runs a few at once and refuses the rest with a retry delay', async () => {
    const { call } = await opened
    const steps = Array(100).fill({ action: 'send', template: 't', recipient: 'r', data: { text: '${data.list}' } })
    const body = { automation: { steps }, context: { data: { list: Array(50_000).fill('item') } } }
    const answers = await Promise.all(Array.from({ length: 12 }, () => call('POST', '/automations/simulate', { body })))
    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([200, 503]))
    expect((await call('POST', '/automations/simulate', { body: { automation: { steps: [steps[0]] } } })).status).toBe(
      200,
    )
  })
})
