/** Sends to many in a simulation: recipients, channels and texts, as the fan-out would have them. */
import type { AutomationStep } from '@postrider/client'
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { until } from '../support/until.ts'

type Reply = Awaited<ReturnType<App['client']['simulate']>>
type Sent = NonNullable<Reply['timeline'][number]['messages']>[number]

const content = { title: '{greeting} {name}', body: 'Hello' }
const summaryOf = ({ recipient, channels, explanation }: Sent) => [
  recipient,
  channels.join(),
  explanation?.rendered[0]?.content.title ?? explanation?.decision.reason ?? '',
]

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    const { client } = app
    const subscribe = async (list: string, ...recipients: string[]) => {
      for (const recipient of recipients) await client.lists.subscribe(list, recipient)
    }
    for (const id of ['ann', 'bea', 'cy', 'dee'])
      await client.profiles.replace(id, {
        profile: { email: `${id}@example.com`, title: id === 'dee' ? 'Cook' : 'Engineer' },
      })
    await subscribe('team.red', 'ann', 'bea')
    await subscribe('team.blue', 'bea', 'cy')
    await client.tenants.put('acme', { name: 'Acme', user_profile: { city: 'Rome' } })
    await client.tenants.put('acme-it', { name: 'Acme Italia', parent_tenant_id: 'acme' })
    await app.call('PUT', '/users/bea/tenants/acme', { body: {} })
    await app.call('PUT', '/users/dee/tenants/acme-it', { body: {} })
    await client.audiences.put('engineers', { filter: { operator: 'EQ', path: 'title', value: 'Engineer' } })
    await until(
      () => client.audiences.members('engineers'),
      ({ items }) => items.length === 3,
    )
  })

  const simulate = (message: object, more: object = {}): Promise<Reply> =>
    app.client.simulate({
      automation: {
        steps: [
          {
            action: 'send',
            message: { content, routing: { method: 'single', channels: ['email'] }, data: { name: 'you' }, ...message },
          },
        ],
      },
      context: { data: { greeting: 'Hi' } },
      ...more,
    })
  const sentTo = async (to: unknown, more: object = {}) => {
    const { timeline } = await simulate({ to }, more)
    const { messages = [], request } = timeline[0] ?? {}
    return { messages: messages.map(summaryOf), request }
  }
  const mail = (recipient: string, title: string) => [recipient, 'email', title]

  test('to a list: who is on it, with its data over the shared, given or stored', async () => {
    const to = { list_id: 'team.red', data: { name: 'team' } }
    expect(await sentTo(to)).toEqual({
      messages: [mail('ann', 'Hi team'), mail('bea', 'Hi team')],
      request: { to: ['list team.red'], recipients: 2 },
    })
    const lists = { 'team.red': ['zoe', 'cy', 'zoe'] }
    expect(await sentTo(to, { lists, profiles: { zoe: { email: 'zoe@example.com' } } })).toEqual({
      messages: [mail('cy', 'Hi team'), mail('zoe', 'Hi team')],
      request: { to: ['list team.red'], recipients: 2 },
    })
    expect(await sentTo({ list_id: 'unknown' })).toEqual({
      messages: [],
      request: { to: ['list unknown'], recipients: 0 },
    })
  })

  test('by a pattern: of stored and of simulated lists, each recipient once', async () => {
    const lists = { 'team.blue': ['dee'], 'team.green': ['ann', 'eve'], other: ['fay'] }
    const { messages, request } = await sentTo({ list_pattern: 'team.*' }, { lists })
    expect(messages.map(([recipient]) => recipient)).toEqual(['ann', 'bea', 'dee', 'eve'])
    expect(request).toEqual({ to: ['lists team.*'], recipients: 4 })
  })

  test('to an audience, to a tenant and those below it, each in its tenant, and only who is in another as well', async () => {
    const who = async (to: object) => (await sentTo(to)).messages
    expect((await who({ audience_id: 'engineers' })).map(([recipient]) => recipient)).toEqual(['ann', 'bea', 'cy'])
    expect(await who({ tenant_id: 'acme' })).toEqual([mail('bea', 'Hi you')])
    const below = (await simulate({ to: { tenant_id: 'acme', include_children: true } })).timeline[0]?.messages
    expect(below?.map(summaryOf).map(([recipient]) => recipient)).toEqual(['bea', 'dee'])
    expect(below?.[0]?.explanation?.profile).toMatchObject({ city: 'Rome', email: 'bea@example.com' })
    const filters = [{ operator: 'MEMBER_OF', path: 'account_id', value: 'acme' }]
    expect((await who({ list_id: 'team.red', filters })).map(([recipient]) => recipient)).toEqual(['bea'])
  })

  test('to several users each has their own data, and who is named twice gets it once', async () => {
    const to = [
      { user_id: 'ann', data: { name: 'Ann' } },
      { list_id: 'team.red', data: { name: 'team' } },
      { user_id: 'cy', email: 'other@example.com' },
      { user_id: 'ann', data: { name: 'twice' } },
    ]
    expect(await sentTo(to)).toEqual({
      messages: [mail('ann', 'Hi Ann'), mail('bea', 'Hi team'), mail('cy', 'Hi you')],
      request: { to: ['user ann', 'list team.red', 'user cy', 'user ann'], recipients: 3 },
    })
  })

  test('the preferences of the list and earlier writes of a run count as in a real send', async () => {
    const { client } = app
    await client.lists.subscribe('quiet', 'ann')
    const preferences = { notifications: { news: { status: 'OPTED_OUT' } } }
    await app.call('PUT', '/lists/quiet', { body: { name: 'Quiet', preferences } })
    const metadata = { event: 'news' }
    const simulate = async (more: object) => {
      const { timeline } = await client.simulate({
        automation: {
          steps: [
            {
              action: 'update-profile',
              recipient_id: 'ann',
              profile: { email: 'new@example.com' },
              merge: 'overwrite',
            },
            { action: 'send', message: { to: { list_id: 'quiet' }, content, metadata } },
            {
              action: 'update-profile',
              recipient_id: 'ann',
              profile: { email: 'late@example.com' },
              merge: 'overwrite',
            },
          ],
        },
        ...more,
      })
      return timeline[1]?.messages?.[0]?.explanation
    }
    expect((await simulate({}))?.decision).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' })
    const explanation = await simulate({ lists: { quiet: ['ann'] } })
    expect([explanation?.decision.status, explanation?.profile.email]).toEqual(['ROUTED', 'new@example.com'])
  })

  test('a recipient on a simulated list has not left the stored one', async () => {
    const data_source = { webhook: { url: 'https://shop.example/' } }
    const { timeline } = await app.client.simulate({
      automation: { steps: [{ action: 'send-list', list: 'team.red', template: 'welcome', data_source }] },
      ...{ lists: { 'team.red': ['cy'] }, fetched: { 'https://shop.example/': { name: 'Cy' } } },
    })
    const [sent] = timeline.flatMap(({ messages = [] }) => messages)
    expect([sent?.recipient, sent?.explanation?.decision.status]).toEqual(['cy', 'ROUTED'])
  })

  test('many recipients: the first are shown, a thousand are counted, and messages to one are explained before', async () => {
    const list = (letter: string) => Array.from({ length: 600 }, (_, n) => `${letter}${String(n).padStart(3, '0')}`)
    const lists = { 'big.a': list('a'), 'big.b': list('b') }
    const big: AutomationStep = { action: 'send', message: { to: { list_pattern: 'big.*' }, content } }
    const steps: AutomationStep[] = [
      big,
      big,
      big,
      big,
      big,
      { action: 'send', message: { to: { user_id: 'ann' }, content } },
    ]
    const { timeline } = await app.client.simulate({ automation: { steps }, lists })
    expect(timeline[0]?.request).toEqual({ to: ['lists big.*'], recipients: 1_000, more: true })
    const shown = timeline.map(({ messages = [] }) => [
      messages.length,
      messages.filter(({ explanation }) => explanation).length,
    ])
    expect(shown).toEqual([
      [100, 25],
      [100, 25],
      [100, 25],
      [100, 24],
      [100, 0],
      [1, 1],
    ])
    const small = await sentTo({ list_id: 'big.a' }, { lists: { 'big.a': list('a').slice(0, 250) } })
    expect([small.request, small.messages.length]).toEqual([{ to: ['list big.a'], recipients: 250 }, 100])
  })

  test('stores and sends nothing', async () => {
    expect((await app.client.messages.list()).results).toEqual([])
  })

  describe('after `update-list`', () => {
    const change = (
      operation: 'subscribe' | 'unsubscribe',
      list = 'team.red',
      recipient_id = 'dee',
    ): AutomationStep => ({
      ...{ action: 'update-list', list, operation, recipient_id },
    })
    const toList = { action: 'send', message: { to: { list_id: 'team.red' }, content } } satisfies AutomationStep
    const reached = async (steps: AutomationStep[], more: object = {}) => {
      const { timeline } = await app.client.simulate({ automation: { steps }, ...more })
      return timeline.flatMap(({ messages }) => (messages ? [messages.map(({ recipient }) => recipient)] : []))
    }

    test('a send to the list reaches the subscribers at the time of the send, and nothing is stored', async () => {
      const steps = [toList, change('subscribe'), toList, change('unsubscribe', 'team.red', 'ann'), toList]
      expect(await reached(steps)).toEqual([
        ['ann', 'bea'],
        ['ann', 'bea', 'dee'],
        ['bea', 'dee'],
      ])
      const { items } = await app.client.lists.subscriptions('team.red')
      expect(items.map(({ recipientId }) => recipientId)).toEqual(['ann', 'bea'])
    })

    test('the new subscriber gets the message, as in a real run', async () => {
      const { timeline } = await app.client.simulate({ automation: { steps: [change('subscribe'), toList] } })
      const messages = timeline.flatMap(({ messages: ofStep = [] }) => ofStep)
      expect(messages.map(({ recipient, explanation }) => [recipient, explanation?.decision.status])).toEqual([
        ['ann', 'ROUTED'],
        ['bea', 'ROUTED'],
        ['dee', 'ROUTED'],
      ])
    })

    test('lists of the caller change too, and a pattern matches a list that was created', async () => {
      const lists = { 'team.red': ['zoe', 'dee'] }
      expect(await reached([change('unsubscribe'), toList], { lists })).toEqual([['zoe']])
      const toPattern = { action: 'send', message: { to: { list_pattern: 'new.*' }, content } } satisfies AutomationStep
      expect(await reached([change('subscribe', 'new.eu'), toPattern])).toEqual([['dee']])
    })
  })
})
