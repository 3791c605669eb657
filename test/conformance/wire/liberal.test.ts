/** Bodies and queries of existing callers that hold unusual or missing values are read as the public API reads them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { type Recorder, startRecorder } from '../../support/peers/recorder.ts'
import { integrate, publish } from '../../system/templates.ts'
import { call, EVENT, nothing, sendAs } from './wire.ts'

withApp((open) => {
  let app: App
  let peer: Recorder
  beforeAll(async () => {
    ;[app, peer] = await Promise.all([open(), startRecorder()])
    await publish(app.client, EVENT, { channels: ['email'] })
    await call(app, 'PUT', '/profiles/ada', { body: { profile: { email: 'ada@example.com', phone_number: '+431' } } })
  })
  afterAll(() => peer.close())

  const send = (body: object, headers: Record<string, string> = {}) => call(app, 'POST', '/send', { body, headers })
  const explain = async (body: object, headers: Record<string, string> = {}) => {
    const { status, json } = await call(app, 'POST', '/explain', { body, headers })
    expect([status, json.message]).toEqual([200, undefined])
    return json
  }
  const content = { title: 'Hi', body: 'There' }
  const to = { user_id: 'ada' }

  describe('query parameters that are unknown', () => {
    test('do not matter to the public operations', async () => {
      const event = { event: EVENT, recipient: 'ada' }
      expect((await call(app, 'POST', '/send?idempotency=abc', { body: event })).status).toBe(200)
      for (const path of [
        '/messages?_=1700000000000&cachebuster',
        '/notifications?limit=10&sort=%zz',
        '/events?limit=5',
        '/profiles/ada?fields=email',
        '/preferences?limit=1',
      ])
        expect([path, (await call(app, 'GET', path)).status]).toEqual([path, 200])
      nothing(await call(app, 'PUT', '/lists/queried?source=crm', { body: { name: 'Queried' } }))
    })

    test('are refused by those of Postrider alone, with a suggestion', async () => {
      const answer = await call(app, 'GET', '/mailbox?recipent=ada')
      expect([answer.status, answer.json.message]).toEqual([
        400,
        'Unknown query parameter `recipent`. Did you mean `recipient`?',
      ])
      const { paths } = (await call(app, 'GET', '/openapi.json')).json
      const ownOperations = [paths['/mailbox'].get, paths['/keys'].get, paths['/explain'].post, paths['/send'].post]
      expect(ownOperations.map((operation) => operation['x-postrider-own'])).toEqual([true, true, true, undefined])
    })
  })

  test('a limit from 1 to 100 is honored wherever a list pages', async () => {
    for (const name of ['a', 'b', 'c']) {
      await call(app, 'PUT', `/lists/limited.${name}`, { body: { name } })
      await call(app, 'PUT', `/lists/limited.${name}/subscriptions`, {
        body: { recipients: ['ada', 'bob', 'cy'].map((recipientId) => ({ recipientId })) },
      })
      await call(app, 'PUT', `/audiences/limited-${name}`, {
        body: { name, filter: { operator: 'EQ', path: 'email', value: 'ada@example.com' } },
      })
      await call(app, 'POST', '/brands', { body: { name, settings: {} } })
      await publish(app.client, `limited-${name}`, { channels: ['email'] })
      await sendAs(app, { event: EVENT, recipient: 'limited', profile: { email: 'a@b.co' } })
    }
    const paths = ['/messages', '/lists', '/lists/limited.a/subscriptions', '/audiences', '/brands', '/notifications']
    for (const path of [...paths, '/profiles/ada/lists', '/audit-events', '/mailbox']) {
      const { status, json } = await call(app, 'GET', `${path}?limit=2`)
      const rows = json.results ?? json.items
      expect([path, status, rows?.length, json.paging?.more]).toEqual([path, 200, 2, true])
      const rest = await call(app, 'GET', `${path}?limit=100&cursor=${json.paging.cursor}`)
      expect([path, rest.status]).toEqual([path, 200])
      expect((rest.json.results ?? rest.json.items)[0]).not.toEqual(rows[0])
    }
    expect((await call(app, 'GET', '/messages?limit=0')).json.results).toHaveLength(1)
    expect((await call(app, 'GET', '/messages?limit=5000')).status).toBe(200)
  })

  test('flags and values of an enumeration are read in any case', async () => {
    await sendAs(app, { event: EVENT, recipient: 'cases', profile: { email: 'a@b.co' } })
    for (const query of ['archived=True', 'archived=FALSE', 'status=delivered', 'status=Delivered,sent'])
      expect([query, (await call(app, 'GET', `/messages?recipient=cases&${query}`)).json.results?.length]).toEqual([
        query,
        1,
      ])
  })

  describe('a routing without channels', () => {
    test.each([
      [{}],
      [{ method: 'single' }],
      [{ method: 'all', channels: [] }],
      [{ method: 'single', channels: null }],
    ])('%j takes the default ones', async (routing) => {
      const body = { message: { to, template: EVENT, routing } }
      expect((await sendAs(app, body)).status).toBe('DELIVERED')
    })
    test('is taken by a bulk job, and explain names the source of the channels', async () => {
      const message = { event: EVENT, routing: { method: 'single' } }
      expect((await call(app, 'POST', '/bulk', { body: { message } })).status).toBe(201)
      const { steps } = await explain({ message: { to, template: EVENT, routing: { method: 'all' } } })
      expect(steps.find(({ step }: { step: string }) => step === 'route')).toMatchObject({
        facts: { method: 'all', channels: ['email'], default_channels: true },
        summary: expect.stringContaining('The routing of the send names no channels'),
      })
    })
  })

  test('a snooze without an end is kept and has no effect', async () => {
    const rules = [{ type: 'snooze' }, { type: 'snooze', start: '2020-01-01T00:00:00Z' }]
    const notifications = { [EVENT]: { rules } }
    expect((await call(app, 'PUT', '/preferences/sleepy', { body: { notifications } })).status).toBe(200)
    expect((await call(app, 'GET', '/preferences/sleepy')).json.notifications).toEqual(notifications)
    const recipients = [{ recipientId: 'sleepy', preferences: { notifications } }]
    nothing(await call(app, 'PUT', '/lists/sleepy/subscriptions', { body: { recipients } }))
    const body = { event: EVENT, recipient: 'sleepy', profile: { email: 'a@b.co' } }
    expect((await sendAs(app, body)).status).toBe('DELIVERED')
    const { steps } = await explain(body)
    expect(steps[2]).toMatchObject({ step: 'preferences', facts: { endless_snooze: 'recipient' } })
    expect(steps[2].summary).toContain('A snooze without an end has no effect.')
  })

  describe('fields of other types than the documented ones', () => {
    const message = (more: object) => ({ message: { to, template: EVENT, ...more } })

    test.each<[string, object]>([
      ['a timeout of a channel as a number', message({ channels: { email: { timeout: 60_000 } } })],
      ['timeouts of a channel as a number', message({ channels: { email: { timeouts: 60_000 } } })],
      ['an empty delay', message({ delay: {} })],
      ['an empty delay of the first generation', { event: EVENT, recipient: 'ada', delay: {} }],
      ['a timestamp with the offset +7:00', message({ delay: { until: '2020-04-08T08:09:10+7:00' } })],
      ['until beside duration', message({ delay: { duration: 86_400_000, until: '2020-04-08T08:09:10Z' } })],
      ['data of a recipient as a string', message({ to: { ...to, data: 'none' } })],
    ])('%s', async (_what, body) => {
      expect((await sendAs(app, body)).status).toBe('DELIVERED')
    })

    test('explain names the ignored fields', async () => {
      const withoutName = 'elements.0: `{name}` has no value: the recipient reads `{name}`.'
      const delay = { duration: 86_400_000, until: '2020-04-08T08:09:10Z' }
      const body = message({ delay, to: { ...to, data: 'none' }, subjct: 'x', channels: { email: { overide: {} } } })
      const { warnings } = await explain(body, { 'x-idempotency-expiration': 'soon' })
      expect(warnings).toEqual([
        expect.stringMatching(/^Unknown field `subjct` at message\. A message has `template`, /),
        'Unknown field `overide` at message.channels.email. Did you mean `override`?',
        'message.delay.duration is ignored beside `until`.',
        'message.to.data is ignored: it is a string, not an object.',
        'message.delay.until has no effect: `2020-04-08T08:09:10Z` is in the past.',
        'x-idempotency-expiration is neither a timestamp nor a duration: the key is kept for 25 hours.',
        withoutName,
      ])
      expect((await explain({ event: EVENT, recipient: 'ada', dta: {} })).warnings).toEqual([
        'Unknown field `dta`. Did you mean `data`?',
        withoutName,
      ])
      const { warnings: ofEmpty } = await explain({ event: EVENT, recipient: 'ada', data: [], brand: '' })
      expect(ofEmpty).toEqual([withoutName])
    })

    test('a telephone number as a number reaches an SMS provider', async () => {
      const settings = { accountSid: 'AC1', authToken: 't', from: '+12025550100', baseUrl: peer.url }
      peer.answer(() => true, { status: 201, body: { sid: 'SM1' } })
      await integrate(app.client, { provider: 'twilio', settings })
      const routing = { method: 'single', channels: ['sms'] }
      for (const recipient of [{ phone_number: 12025550143 }, { user_id: 'numeric' }]) {
        if (recipient.user_id)
          await call(app, 'PUT', '/profiles/numeric', { body: { profile: { phone_number: 12025550143 } } })
        const sent = await sendAs(app, { message: { to: recipient, content, routing } })
        expect([sent.status, sent.error]).toEqual(['SENT', undefined])
      }
      expect(peer.all.map(({ body }) => new URLSearchParams(body).get('To'))).toEqual(['12025550143', '12025550143'])
    })

    test('the channel `banner` may stand among those of a preference', async () => {
      const channel_preferences = [{ channel: 'banner' }, { channel: 'email' }]
      const notifications = { [EVENT]: { status: 'OPTED_IN', channel_preferences } }
      expect((await call(app, 'PUT', '/preferences/banners', { body: { notifications } })).status).toBe(200)
      const body = { event: EVENT, recipient: 'banners', profile: { email: 'a@b.co' } }
      expect((await sendAs(app, body)).status).toBe('DELIVERED')
    })

    test('a patch may be a bare list, and its paths may lack their slash', async () => {
      const patch = [{ op: 'add', path: 'title', value: 'Engineer' }]
      expect((await call(app, 'PATCH', '/profiles/patched', { body: patch })).json).toEqual({ status: 'SUCCESS' })
      expect((await call(app, 'GET', '/profiles/patched')).json.profile).toEqual({ title: 'Engineer' })
      nothing(await call(app, 'PUT', '/users/ada/tokens/t1', { body: { provider_key: 'expo' } }))
      const revoke = { patch: [{ op: 'replace', path: 'status', value: 'revoked' }] }
      nothing(await call(app, 'PATCH', '/users/ada/tokens/t1', { body: revoke }))
      expect((await call(app, 'GET', '/users/ada/tokens/t1')).json.status).toBe('revoked')
    })
  })

  test.each(['1 Day', '1 day', '36 hours', 'P2D', 'tomorrow', '-1', ''])(
    'an expiration of a key as %j stops no send, and the key holds',
    async (expiration) => {
      const headers = { 'idempotency-key': `expiring ${expiration}`, 'x-idempotency-expiration': expiration }
      const body = { event: EVENT, recipient: 'ada' }
      const [first, again] = [await send(body, headers), await send(body, headers)]
      expect([first.status, again.status, again.text]).toEqual([200, 200, first.text])
    },
  )

  describe('empty lists and strings of clients without empty objects and absent fields', () => {
    test.each<[string, object]>([
      ['lists in the first generation', { profile: [], data: [], override: [], preferences: [] }],
      ['strings in the first generation', { brand: '', data: '', override: '' }],
    ])('%s', async (_what, more) => {
      expect((await sendAs(app, { event: EVENT, recipient: 'ada', ...more })).status).toBe('DELIVERED')
    })

    test.each<[string, object]>([
      ['lists in a message', { data: [], routing: [], channels: [], providers: [], metadata: [], context: [] }],
      [
        'strings in a message',
        { brand_id: '', data: '', routing: '', metadata: { trace_id: '', event: '', tags: [] } },
      ],
      [
        'strings and lists in a recipient',
        {
          to: {
            user_id: 'ada',
            email: '',
            phone_number: '',
            list_id: '',
            tenant_id: '',
            slack: '',
            data: [],
            locale: '',
          },
        },
      ],
      ['preferences of a recipient', { to: { user_id: 'ada', preferences: { notifications: [], categories: [] } } }],
    ])('%s', async (_what, more) => {
      expect((await sendAs(app, { message: { to, template: EVENT, ...more } })).status).toBe('DELIVERED')
    })

    test('in profiles, preferences, subscriptions and jobs', async () => {
      expect((await call(app, 'PUT', '/profiles/empty', { body: { profile: [] } })).status).toBe(200)
      expect((await call(app, 'GET', '/profiles/empty')).json.profile).toEqual({})
      const preferences = { notifications: [], categories: [] }
      expect((await call(app, 'PUT', '/preferences/empty', { body: preferences })).status).toBe(200)
      nothing(await call(app, 'PUT', '/lists/empties/subscriptions/u', { body: { preferences: [] } }))
      nothing(await call(app, 'PUT', '/lists/empties/subscriptions/u', { body: [] }))
      const { jobId } = (await call(app, 'POST', '/bulk', { body: { message: { event: EVENT, data: [] } } })).json
      const users = [{ recipient: 'ada', profile: [], data: [], to: { email: '', data: [] } }]
      const added = await call(app, 'POST', `/bulk/${jobId}`, { body: { users } })
      expect(added.json).toEqual({ total: 1, errors: [] })
    })

    test('required fields stay required', async () => {
      for (const body of [{ event: '', recipient: 'ada' }, { event: EVENT, recipient: '' }, [], { message: [] }])
        expect((await send(body)).status).toBe(400)
      expect((await send({ event: EVENT, recipient: 'ada', data: [1] })).status).toBe(400)
    })
  })

  test('a message without a recipient goes where a provider needs no address, else it ends with a reason', async () => {
    const url = `${peer.url}/no-address`
    await integrate(app.client, { provider: 'webhook', settings: { url } })
    const routed = (channel: string, empty: object) => ({
      message: { to: empty, content, routing: { method: 'single', channels: [channel] } },
    })
    for (const [index, empty] of [{}, [], [{}]].entries()) {
      expect((await sendAs(app, routed('webhook', empty))).status).toBe('DELIVERED')
      expect(peer.all.filter(({ path }) => path === '/no-address')).toHaveLength(index + 1)
      expect(await sendAs(app, routed('email', empty))).toMatchObject({
        status: 'UNROUTABLE',
        reason: 'INCOMPLETE_PROFILE_DATA',
      })
    }
  })

  describe('elements that are unknown', () => {
    const elements = [
      {
        type: 'text',
        elements: [
          { type: 'string', content: 'First.' },
          { type: 'emoji', content: 'x' },
        ],
      },
      { type: 'jsonnet', template: '{}' },
      {
        type: 'group',
        elements: [
          { type: 'video', src: 'x' },
          { type: 'text', content: 'Second.' },
        ],
      },
      { type: 'action', content: 'No way to go' },
    ]
    const warnings = [
      'elements.0.elements.1: "emoji" is not part of a text; it is left out.',
      'elements.1: "jsonnet" is not an element; it is left out.',
      'elements.2.elements.0: "video" is not an element; it is left out.',
      'elements.3: an action without href is shown as text.',
    ]

    test('are left out of content that came with a send, and the rest goes out', async () => {
      const body = { message: { to, content: { version: '2022-01-01', elements } } }
      const { id } = await sendAs(app, body)
      const [{ content: shown }] = (await call(app, 'GET', `/messages/${id}/output`)).json.results
      expect(shown.text).toBe('First.\n\nSecond.\n\nNo way to go')
      expect((await explain(body)).warnings).toEqual(warnings)
      expect((await call(app, 'GET', `/messages/${id}/explain`)).json.warnings).toEqual(warnings)
    })

    test('are kept in a notification and left out of its messages', async () => {
      await publish(app.client, 'with-unknown', { channels: ['email'], content: { version: '2022-01-01', elements } })
      const body = { event: 'with-unknown', recipient: 'ada' }
      expect((await sendAs(app, body)).status).toBe('DELIVERED')
      expect((await explain(body)).warnings).toEqual(warnings)
    })
  })

  describe('the event and the notification of a message', () => {
    test('metadata does not replace the event', async () => {
      const metadata = { event: 'order-shipped', trace_id: 'trace-1' }
      const sent = await sendAs(app, { message: { to, template: EVENT, metadata } })
      expect(sent.event).toBe(EVENT)
      expect((await call(app, 'GET', '/messages?event=order-shipped')).json.results).toEqual([])
      expect((await sendAs(app, { message: { to, content, metadata } })).event).toBe('')
    })

    test('a preference by that name still holds', async () => {
      const preferences = { notifications: { 'order-delayed': { status: 'OPTED_OUT' } } }
      await call(app, 'PUT', '/preferences/opted-out', { body: preferences })
      const out = { user_id: 'opted-out', email: 'a@b.co' }
      const metadata = { event: 'order-delayed' }
      for (const what of [{ template: EVENT }, { content }])
        expect(await sendAs(app, { message: { to: out, ...what, metadata } })).toMatchObject({ reason: 'UNSUBSCRIBED' })
    })

    test('the notification is in the record as soon as the message is accepted', async () => {
      const id = await publish(app.client, 'known-at-once', { channels: ['email'] })
      const delay = { duration: 3_600_000 }
      const { json } = await send({ message: { to, template: 'known-at-once', delay } })
      const waiting = (await call(app, 'GET', `/messages/${json.requestId}`)).json
      expect([waiting.status, waiting.event, waiting.notification]).toEqual(['DELAYED', 'known-at-once', id])
      const [listed] = (await call(app, 'GET', `/messages?messageId=${json.requestId}`)).json.results
      expect(listed.notification).toBe(id)
      const inline = await send({ message: { to, content, delay } })
      expect((await call(app, 'GET', `/messages/${inline.json.requestId}`)).json.notification).toBe('')
    })
  })
})
