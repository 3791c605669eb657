/** Integrations: settings are checked, secrets go in and never come out. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openApp } from '../support/app.ts'
import { withEngine } from '../support/engine.ts'
import { keys, type RecordingApp, secretKey } from '../support/recording-app.ts'
import { storedIntegration } from '../support/rows.ts'

const settings = { apiKey: 'SG.very-secret', fromAddress: 'hello@example.com' }

withEngine((open) => {
  let api: RecordingApp
  const notified: string[] = []
  beforeAll(async () => {
    const engine = await open()
    await engine.listen('catalogue', (payload) => notified.push(payload))
    api = await openApp({ pipeline: 'recording', engine })
  })
  afterAll(() => api.stop())

  const create = (body: object) => api.call('POST', '/providers', { body: { provider: 'sendgrid', settings, ...body } })
  const put = (id: string, body: object) =>
    api.call('PUT', `/providers/${id}`, { body: { provider: 'sendgrid', ...body } })
  const storedRow = (id: string) => storedIntegration(api.engine, id)

  test('a secret is encrypted at rest and masked in every reply', async () => {
    const made = await create({ title: 'Mail' })
    expect(made.status).toBe(201)
    expect(made.json).toEqual({
      id: expect.any(String),
      provider: 'sendgrid',
      channel: 'email',
      channels: ['email'],
      title: 'Mail',
      settings: { apiKey: '********', fromAddress: 'hello@example.com' },
      enabled: true,
      priority: 0,
      circuit_breaker: { state: 'closed' },
      callback_url: expect.any(String),
      created: api.time.now,
    })
    const { row, secrets } = await storedRow(made.json.id)
    expect(row).not.toContain('very-secret')
    expect(secrets).toEqual({ apiKey: 'SG.very-secret' })
    for (const path of ['/providers', `/providers/${made.json.id}`])
      expect((await api.call('GET', path)).text).not.toContain('very-secret')
  })

  test('an alias of a provider stands for its key, when an integration is made and when it is changed', async () => {
    const vonage = { apiKey: 'k', apiSecret: 's', from: 'Postrider' }
    const made = await create({ provider: 'nexmo', title: 'Texts', settings: vonage })
    expect(made.json).toMatchObject({ provider: 'vonage', channel: 'sms' })
    const changed = await put(made.json.id, { provider: 'nexmo', priority: 2 })
    expect(changed.json).toMatchObject({ provider: 'vonage', priority: 2 })
    expect((await put(made.json.id, { provider: 'twilio' })).status).toBe(400)
    const { results } = (await api.call('GET', '/providers/catalog?keys=nexmo')).json
    expect(results).toMatchObject([{ provider: 'vonage' }])
  })

  test('limits and weight are stored, changed one by one, and taken away by null', async () => {
    const made = await create({ weight: 70, limits: { per_second: 0.5, per_day: 100 } })
    expect(made.json).toMatchObject({ weight: 70, limits: { per_second: 0.5, per_day: 100 }, used_today: 0 })
    const { id } = made.json
    const changed = await put(id, { weight: null, limits: { per_second: null, concurrency: 3 } })
    expect(changed.json).not.toHaveProperty('weight')
    expect(changed.json.limits).toEqual({ concurrency: 3, per_day: 100 })
    expect((await put(id, { title: 'Other' })).json.limits).toEqual({ concurrency: 3, per_day: 100 })
    const none = await put(id, { limits: { concurrency: null, per_day: null } })
    expect(none.json).not.toHaveProperty('limits')
    expect(none.json).not.toHaveProperty('used_today')
    for (const limits of [{ per_second: 0 }, { concurrency: 0.5 }, { per_day: -1 }, { per_day: 1.5 }])
      expect([limits, (await put(id, { limits })).status]).toEqual([limits, 400])
  })

  test('an open circuit breaker is shown until the integration is changed; the calls of today are those of this day', async () => {
    const { id } = (await create({ limits: { per_day: 9 } })).json
    const { now } = api.time
    await api.engine.run({
      text: `insert into integration_breakers values (1, $1, 1, $2, 'authentication', '401 Unauthorized', 1, $3, false, 0, 0)`,
      values: [id, now - 5_000, now + 5_000],
    })
    const used = (day: number) =>
      api.engine.run({
        text: `insert into integration_usage values (1, $1, 0, $2, 4) on conflict (workspace_id, integration_id) do update set day = $2`,
        values: [id, day],
      })
    const today = Math.floor(now / 86_400_000)
    await used(today - 1)
    expect((await api.call('GET', `/providers/${id}`)).json.used_today).toBe(0)
    await used(today)
    const { results } = (await api.call('GET', '/providers?limit=100')).json
    for (const shown of [
      (await api.call('GET', `/providers/${id}`)).json,
      results.find((integration: { id: string }) => integration.id === id),
    ])
      expect(shown).toMatchObject({
        used_today: 4,
        circuit_breaker: {
          state: 'open',
          reason: 'authentication',
          since: now - 5_000,
          next_probe: now + 5_000,
          error: '401 Unauthorized',
        },
      })
    expect((await put(id, { enabled: true })).json.circuit_breaker).toEqual({ state: 'closed' })
    expect((await api.call('GET', `/providers/${id}`)).json.circuit_breaker).toEqual({ state: 'closed' })
  })

  test('fields that a change leaves out stay; a masked secret is kept, another one replaces it', async () => {
    const { id } = (await create({ alias: 'changing', priority: 3 })).json
    api.time.now += 5
    const changed = await put('changing', { enabled: false, settings: { apiKey: '********', fromName: 'Ada' } })
    expect(changed.json).toMatchObject({ id, enabled: false, priority: 3, alias: 'changing', updated: api.time.now })
    expect(changed.json.settings).toEqual({ ...settings, apiKey: '********', fromName: 'Ada' })
    expect((await storedRow(id)).secrets).toEqual({ apiKey: 'SG.very-secret' })
    await put(id, { settings: { apiKey: 'SG.other', fromName: null } })
    expect((await storedRow(id)).secrets).toEqual({ apiKey: 'SG.other' })
    expect((await api.call('GET', `/providers/${id}`)).json.settings.fromName).toBeUndefined()
  })

  test.each([
    [
      'an unknown provider',
      { provider: 'pigeon' },
      /^Unknown provider `pigeon`\. GET \/providers\/catalog lists them\.$/,
    ],
    ['a missing setting', { settings: { apiKey: 'x' } }, /^settings\.fromAddress is required$/],
    ['an unknown setting', { settings: { ...settings, paint: 1 } }, /^Unknown field `paint` at settings\.$/],
    [
      'a misspelled setting, which is required',
      { settings: { apiKey: 'x', fromAdress: 'a@x.example' } },
      /^Unknown field `fromAdress` at settings\. Did you mean `fromAddress`\?$/,
    ],
    [
      'a mask without a secret behind it',
      { settings: { ...settings, apiKey: '********' } },
      /^settings holds the mask `\*+`, which keeps a stored secret, and none is stored$/,
    ],
    [
      'a login in a URL',
      { provider: 'webhook', settings: { url: 'http://user:pw-secret@ours.example/hook' } },
      /^settings\.url: a user and password do not belong in a URL, where they would be shown; use authentication$/,
    ],
    [
      'a login in the URL of an API',
      { settings: { ...settings, baseUrl: 'https://user:pw-secret@proxy.example' } },
      /^settings\.baseUrl: a user and password do not belong in a URL/,
    ],
    [
      'a sender that is no address',
      { settings: { ...settings, fromAddress: 'hello' } },
      /^settings\.fromAddress must be one mail address/,
    ],
    [
      'a name without a locale',
      { settings: { ...settings, fromNames: 'de: Beispiel; Exemple' } },
      /^settings\.fromNames must have a locale, a colon and a name as entry 2, such as `de: Beispiel; fr: Exemple`$/,
    ],
    [
      'a text message without a sender',
      { provider: 'twilio', settings: { accountSid: 'AC1', authToken: 'x' } },
      /^settings\.from: a sender is needed, from or messagingServiceSid$/,
    ],
    [
      'an incoming webhook that is no URL',
      { provider: 'slack', settings: { webhookUrl: 'hooks.slack.com/x' } },
      /^settings\.webhookUrl must be an http or https URL$/,
    ],
    [
      'bearer without a token',
      { provider: 'webhook', settings: { url: 'https://ours.example', authentication: 'bearer' } },
      /^settings\.authentication: bearer needs token$/,
    ],
    [
      'basic without a login',
      { provider: 'webhook', settings: { url: 'https://ours.example', authentication: 'basic' } },
      /^settings\.authentication: basic needs username or password$/,
    ],
    ['a foreign channel', { channel: 'sms' }, /^channel must be `email` for the provider `sendgrid`$/],
  ])('%s is refused', async (_title, body, message) => {
    const answer = await create(body)
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(message)])
    expect(answer.text).not.toMatch(/very-secret|pw-secret/)
  })

  test('a change that takes away what another setting needs is refused, and changes nothing', async () => {
    const webhook = { url: 'https://ours.example', authentication: 'bearer', token: 'hook-token' }
    const { id } = (await create({ provider: 'webhook', settings: webhook })).json
    const refused = await put(id, { provider: 'webhook', settings: { token: null } })
    expect([refused.status, refused.json.message]).toEqual([400, 'settings.authentication: bearer needs token'])
    expect((await storedRow(id)).secrets).toEqual({ token: 'hook-token' })
    const kept = await put(id, { provider: 'webhook', settings: { token: '********', method: 'PUT' } })
    expect(kept.json.settings).toMatchObject({ method: 'PUT', token: '********' })
  })

  describe('a change of the address', () => {
    const hook = { url: 'https://ours.example', authentication: 'bearer', token: 'hook-token' }
    const mail = { host: 'mail.example', user: 'u', password: 'mail-password', fromAddress: 'a@b.example' }
    const chat = { accessToken: 'chat-token' }
    test.each([
      ['sendgrid', settings, { baseUrl: 'https://elsewhere.example' }, 'baseUrl', 'apiKey'],
      ['sendgrid', settings, { baseUrl: 'https://elsewhere.example', apiKey: '********' }, 'baseUrl', 'apiKey'],
      ['sendgrid', { ...settings, baseUrl: 'https://proxy.example' }, { baseUrl: null }, 'baseUrl', 'apiKey'],
      ['webhook', hook, { url: 'https://elsewhere.example' }, 'url', 'token'],
      ['smtp', mail, { host: 'elsewhere.example' }, 'host', 'password'],
      ['smtp', mail, { security: 'opportunistic' }, 'security', 'password'],
      ['slack', chat, { baseUrl: 'https://elsewhere.example' }, 'baseUrl', 'accessToken'],
    ])('the address of %s requires its secrets again: %j, %j', async (provider, before, change, setting, secret) => {
      const made = (await create({ provider, settings: before })).json
      const refused = await put(made.id, { provider, settings: change })
      expect([refused.status, refused.json.message]).toEqual([
        400,
        `settings.${setting} changes the address that requests go to: give settings.${secret} again, because stored secrets never go to a new address`,
      ])
      expect((await api.call('GET', `/providers/${made.id}`)).json).toEqual(made)
      const reply = await put(made.id, { provider, settings: { ...change, [secret]: 'given-again' } })
      expect(reply.status).toBe(200)
      expect((await storedRow(made.id)).secrets).toEqual({ [secret]: 'given-again' })
    })

    test.each([
      [{ security: 'none' }, 'settings.security must be one of `tls`, `starttls`, `opportunistic`'],
      [{ host: 'elsewhere.example', port: 0 }, 'settings.port must be at least 1'],
      [
        { hst: 'elsewhere.example', host: 'elsewhere.example' },
        'Unknown field `hst` at settings. Did you mean `host`?',
      ],
    ])('is refused for what is wrong in it before its secrets are required: %j', async (change, message) => {
      const made = (await create({ provider: 'smtp', settings: mail })).json
      const refused = await put(made.id, { provider: 'smtp', settings: change })
      expect([refused.status, refused.json.message]).toEqual([400, message])
      expect((await storedRow(made.id)).secrets).toEqual({ password: 'mail-password' })
    })

    test('to the same value, or of an incoming webhook that is a secret itself, requires nothing', async () => {
      const { id } = (await create({})).json
      expect((await put(id, { settings: { baseUrl: 'https://api.sendgrid.com' } })).status).toBe(200)
      const slack = (await create({ provider: 'slack', settings: chat })).json
      const settings = { webhookUrl: 'https://hooks.example/T/B/X' }
      expect((await put(slack.id, { provider: 'slack', settings })).status).toBe(200)
      expect((await storedRow(slack.id)).secrets).toEqual({ ...chat, ...settings })
    })
  })

  test('an alias names one integration only', async () => {
    await create({ alias: 'one' })
    const taken = await create({ alias: 'one' })
    expect([taken.status, taken.headers.get('x-should-retry')]).toEqual([409, 'false'])
    const { id } = (await create({})).json
    expect((await put(id, { alias: 'one' })).status).toBe(409)
  })

  test('without a channel it serves every channel of its provider', async () => {
    const { id, channels } = (await create({ provider: 'mailbox', settings: {} })).json
    expect(channels).toEqual(['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'])
    expect((await put(id, { provider: 'mailbox', enabled: false })).json).toMatchObject({ enabled: false, channels })
    const narrowed = (await put(id, { provider: 'mailbox', channel: 'sms' })).json
    expect([narrowed.channel, narrowed.channels]).toEqual(['sms', ['sms']])
  })

  test('deleted is gone, and foreign is as good as gone', async () => {
    const { id } = (await create({})).json
    expect((await api.call('DELETE', `/providers/${id}`, { apiKey: keys.test })).status).toBe(404)
    expect((await api.call('DELETE', `/providers/${id}`)).status).toBe(204)
    expect((await api.call('GET', `/providers/${id}`)).status).toBe(404)
  })

  test('every write notifies the nodes of the workspace to read again', async () => {
    expect(notified).not.toContain('2')
    await api.call('PUT', '/events/e', { apiKey: keys.test, body: { id: 'N', type: 'notification' } })
    await expect.poll(() => notified).toContain('2')
  })

  test('the catalog shows settings without values', async () => {
    const { results } = (await api.call('GET', '/providers/catalog?keys=sendgrid,twilio&channel=email')).json
    expect(results).toMatchObject([
      {
        provider: 'sendgrid',
        channel: 'email',
        settings: { apiKey: { type: 'string', required: true, secret: true } },
      },
    ])
    const all = (await api.call('GET', '/providers/catalog')).json.results
    expect(all.map((each: { provider: string }) => each.provider)).toContain('mailbox')
    expect((await api.call('GET', '/providers/catalog?name=SENDG')).json.results).toHaveLength(1)
  })

  test('one whose secrets were encrypted with another secret key is marked until they are entered again', async () => {
    const settings = { apiKey: 'SG.secret', fromAddress: 'a@b.co' }
    const { id, unreadable } = (await api.call('POST', '/providers', { body: { provider: 'sendgrid', settings } })).json
    expect(unreadable).toBeUndefined()
    const moved = await openApp({
      pipeline: 'recording',
      engine: api.engine,
      replace: { secretKey: secretKey(Buffer.alloc(32, 8)) },
    })
    const shown = async () => (await moved.call('GET', `/providers/${id}`)).json
    expect(await shown()).toMatchObject({ unreadable: true, settings: { fromAddress: 'a@b.co' } })
    await moved.call('PUT', `/providers/${id}`, { body: { provider: 'sendgrid', settings: { apiKey: 'SG.anew' } } })
    expect(await shown()).not.toHaveProperty('unreadable')
    await moved.stop()
  })
})
