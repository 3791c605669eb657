/** A call that is not strict is answered as ever, and says in a header what in it has no effect; a strict one is refused for it. */
import { Postrider } from '@postrider/client'
import { type Operation, operations } from '@postrider/contract'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiCallOptions, ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { pathWith } from '../support/fixtures.ts'
import { type Accepted, keys, type RecordingApp } from '../support/recording-app.ts'

const warningsOf = ({ headers }: ApiReply): string[] | undefined => {
  const header = headers.get('postrider-warnings')
  return header === null ? undefined : JSON.parse(header)
}
function clientOf({ url }: RecordingApp) {
  const seen: unknown[] = []
  const onWarning = (...all: unknown[]) => void seen.push(all)
  return { seen, client: new Postrider({ baseUrl: url, apiKey: keys.production, retries: 0, onWarning }) }
}

const STRICT = { prefer: 'handling=strict' }

withApp((open) => {
  let api: RecordingApp
  let outcome: Accepted | undefined
  beforeAll(async () => {
    api = await open({
      pipeline: 'recording',
      replace: {
        pipeline: {
          accept: async (send) => outcome ?? { kind: 'accepted', messageId: `m${api.sends.push(send)}` },
          sendProblems: async (_workspace, _mode, sends) => sends.map(() => ({ shared: [], ofMessage: [] })),
        },
      },
    })
  })

  const warnings = async (method: string, path: string, options: ApiCallOptions = {}) => {
    const reply = await api.call(method, path, options)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.text}`)
    return warningsOf(reply)
  }
  const errorOf = async (method: string, path: string, { headers, ...options }: ApiCallOptions = {}) => {
    const {
      status,
      headers: replied,
      json,
    } = await api.call(method, path, { ...options, headers: { ...STRICT, ...headers } })
    expect([status, replied.get('postrider-warnings')]).toEqual([400, null])
    return { code: json.code, param: json.param, message: json.message }
  }

  const strictBodies = operations.filter(
    ({ origin, readsPublicBody, body, access, example }) =>
      origin === 'postrider' &&
      !readsPublicBody &&
      body !== undefined &&
      'properties' in body &&
      access !== 'open' &&
      example?.body,
  )

  test.each(strictBodies.map((operation): [string, Operation] => [operation.id, operation]))(
    '%s, of this API alone, takes no field that it does not have',
    async (_id, { method, path, example }) => {
      const { params = {}, query = {}, body } = example ?? {}
      const search = new URLSearchParams(query as Record<string, string>).toString()
      const address = `${pathWith(path, params)}${search === '' ? '' : `?${search}`}`
      const { status, json } = await api.call(method, address, { body: { ...(body as object), zzz: 1 } })
      expect([status, json.message]).toEqual([400, expect.stringContaining('Unknown field `zzz`')])
    },
  )

  test('a setting that does not exist changes nothing, and no other column of the environment', async () => {
    const before = (await api.call('GET', '/tracking')).json
    for (const body of [{ tracking: { channels: {} } }, { name: 'x' }, { on_missing_varible: 'fail' }])
      expect((await api.call('PUT', '/settings', { body })).status).toBe(400)
    expect((await api.call('GET', '/tracking')).json).toEqual(before)
  })

  describe('a query', () => {
    test.each([
      ['/messages?emial=ada@example.com', 'Unknown query parameter `emial`. Did you mean `email`?', 'emial'],
      ['/lists?sort=%zz', 'Unknown query parameter `sort`. The call has `cursor`, `limit`, `pattern`.', 'sort'],
      ['/events?paint=red', 'Unknown query parameter `paint`. The call has no query parameters.', 'paint'],
    ])('%s', async (path, sentence, param) => {
      expect(await warnings('GET', path)).toEqual([sentence])
      if (!path.includes('%zz'))
        expect(await errorOf('GET', path)).toEqual({ code: 'unknown_field', param, message: sentence })
    })

    test.each([
      ['abc', 'which is not a whole number: it is ignored', 'must be a whole number'],
      ['5000', 'which is read as 200', 'must be at most 200'],
      ['2.7', 'which is read as 2', 'must be a whole number'],
    ])('limit=%s', async (limit, reading, rule) => {
      const path = `/messages?limit=${limit}`
      expect(await warnings('GET', path)).toEqual([`The query parameter \`limit\` is \`${limit}\`, ${reading}.`])
      expect(await errorOf('GET', path)).toEqual({ code: 'invalid_field', param: 'limit', message: `limit ${rule}` })
    })

    test('several values of a parameter that has a single one', async () => {
      const path = '/lists?pattern=a.*&pattern=b.*'
      const sentence = 'The query parameter `pattern` has several values: `a.*` is ignored.'
      expect(await warnings('GET', path)).toEqual([sentence])
      const message = 'pattern must have a single value: it has `a.*` and `b.*`'
      expect(await errorOf('GET', path)).toEqual({ code: 'invalid_field', param: 'pattern', message })
      const right = ['/lists?pattern=a&pattern=a', '/lists?pattern=a&pattern=', '/messages?channel=email&channel=sms']
      for (const each of right) expect([each, await warnings('GET', each)]).toEqual([each, undefined])
    })

    test('nothing where all is read, where it is empty, and where a call is open', async () => {
      for (const path of ['/messages?limit=10&recipient=ada', '/messages?paint=&flag&x=undefined', '/livez?at=5'])
        expect([path, await warnings('GET', path, { headers: STRICT })]).toEqual([path, undefined])
      expect(await warnings('GET', '/messages?emial=x', { headers: { prefer: 'handling=lenient' } })).toHaveLength(1)
    })

    test('the client refuses unknown parameters, and takes them where its call says so', async () => {
      const { client } = clientOf(api)
      const call = { method: 'GET', path: '/messages', query: { emial: 'ada@example.com' } } as const
      await expect(client.call({ ...call, options: {} })).rejects.toMatchObject({
        code: 'unknown_field',
        param: 'emial',
        message: 'Unknown query parameter `emial`. Did you mean `email`?',
      })
      const headers = { Prefer: 'handling=lenient' }
      expect(await client.call({ ...call, options: { headers } })).toMatchObject({ results: [] })
    })

    test('many are counted', async () => {
      const path = `/messages?${Array.from({ length: 30 }, (_, n) => `paint${n}=1`).join('&')}`
      const sentences = (await warnings('GET', path)) ?? []
      expect([sentences[0], sentences.length, sentences[10]]).toEqual([
        'Unknown query parameter `paint0`.',
        11,
        'There are 20 more warnings.',
      ])
    })
  })

  describe('a send', () => {
    const event = { event: 'e', recipient: 'r', dta: { name: 'Ada' } }
    const message = { message: { to: { user_id: 'r', emial: 'a@b.example' }, template: 'e', dta: {} } }

    test('its fields, as a strict send is refused for them', async () => {
      api.sends.length = 0
      expect(await warnings('POST', '/send', { body: event })).toEqual(['Unknown field `dta`. Did you mean `data`?'])
      expect(await warnings('POST', '/send?emial=x', { body: message })).toEqual([
        'Unknown query parameter `emial`. The call has `strict`.',
        'Unknown field `dta` at message. Did you mean `data`?',
        'Unknown field `emial` at message.to. Did you mean `email`?',
      ])
      expect(await warnings('POST', '/send', { body: { event: 'e', recipient: 'r' } })).toBeUndefined()
      expect(api.sends).toHaveLength(3)
      expect(await errorOf('POST', '/send?emial=x', { body: event })).toEqual({
        code: 'strict_send_refused',
        param: undefined,
        message:
          'The strict send is refused. Unknown query parameter `emial`. The call has `strict`. Unknown field `dta`. Did you mean `data`?',
      })
      expect(await warnings('POST', '/send?strict=false', { body: event, headers: STRICT })).toHaveLength(1)
      expect(api.sends).toHaveLength(4)
    })

    test('the client gives them to its caller', async () => {
      const { client, seen } = clientOf(api)
      await client.send(message as never)
      await client.profiles.replace('ada', { profile: { locale: 'german' } })
      expect(seen).toEqual([
        [
          [
            'Unknown field `dta` at message. Did you mean `data`?',
            'Unknown field `emial` at message.to. Did you mean `email`?',
          ],
          { method: 'POST', path: '/send' },
        ],
        [
          ['The `locale` of the profile, `german`, is not a locale such as `de` or `pt-BR`.'],
          { method: 'PUT', path: '/profiles/ada' },
        ],
      ])
    })

    test('a list, an audience or a tenant that does not exist', async () => {
      for (const [name, kind] of [
        ['list_id', 'list'],
        ['audience_id', 'audience'],
        ['tenant_id', 'tenant'],
      ] as const) {
        const body = { message: { to: [{ [name]: 'nope' }, { user_id: 'ada' }], template: 'e' } }
        expect(await warnings('POST', '/send', { body })).toEqual([`Unknown ${kind} \`nope\`.`])
      }
      await api.call('PUT', '/lists/readers', { body: { name: 'Readers' } })
      expect(await warnings('POST', '/send/list', { body: { event: 'e', list: 'reader' } })).toEqual([
        'Unknown list `reader`. Did you mean `readers`?',
      ])
      const body = { message: { to: [{ list_id: 'readers' }, { list_pattern: 'x.*' }], template: 'e' } }
      expect(await warnings('POST', '/send', { body })).toBeUndefined()
    })

    test('to lists and by jobs', async () => {
      await api.call('PUT', '/lists/news', { body: { name: 'News' } })
      const list = { event: 'e', list: 'news', dta: {} }
      expect(await warnings('POST', '/send/list', { body: list })).toEqual([
        'Unknown field `dta`. Did you mean `data`?',
      ])
      expect(await warnings('POST', '/bulk', { body: { message: { event: 'e', dta: {} } } })).toEqual([
        'Unknown field `dta` at message. Did you mean `data`?',
      ])
    })

    test('the expiry of its key', async () => {
      const headers = { 'idempotency-key': 'k1', 'x-idempotency-expiration': 'soon' }
      expect(await warnings('POST', '/send', { body: { event: 'e', recipient: 'r' }, headers })).toEqual([
        'x-idempotency-expiration is neither a timestamp nor a duration: the key is kept for 25 hours.',
      ])
    })

    test('a key that an SDK uses again with other content: nothing was sent', async () => {
      const headers = { 'idempotency-key': 'k2', 'user-agent': 'courier-node/6.1.0' }
      await api.call('PUT', '/lists/news', { body: { name: 'News' } })
      const list = (data: object) => ({ body: { event: 'e', list: 'news', data }, headers })
      expect(await warnings('POST', '/send/list', list({ a: 1 }))).toBeUndefined()
      expect(await warnings('POST', '/send/list', list({ a: 2 }))).toEqual([
        expect.stringMatching(/nothing was sent for this call/),
      ])
    })
  })

  describe('another write', () => {
    test('its fields', async () => {
      const body = { recipients: [{ recipientId: 'ada', prefrences: {} }], recipents: [] }
      expect(await warnings('PUT', '/lists/news/subscriptions', { body })).toEqual([
        'Unknown field `prefrences` at recipients.0. Did you mean `preferences`?',
        'Unknown field `recipents`. Did you mean `recipients`?',
      ])
      const change = { profile: { email: 'ada@example.com' }, emial: 'ada@example.com' }
      expect(await warnings('POST', '/profiles/ada', { body: change })).toEqual([
        'Unknown field `emial`. The body has `profile`, `patch`.',
      ])
      expect(await errorOf('POST', '/brands', { body: { name: 'Acme', settings: {}, nmae: 'x' } })).toEqual({
        code: 'unknown_field',
        param: 'nmae',
        message: 'Unknown field `nmae`. Did you mean `name`?',
      })
    })

    test('a catalog of a locale that is not a language', async () => {
      const call = { body: 'msgid "Yes"\nmsgstr "Ja"\n', headers: { 'content-type': 'text/plain' } }
      expect(await warnings('PUT', '/translations/default/englsh', call)).toEqual([
        'The locale `englsh` is not a language, as `de` or `de-AT` is.',
      ])
      expect(await warnings('PUT', '/translations/default/de-AT', call)).toBeUndefined()
    })

    test('an event of a notification that does not exist, which may come later', async () => {
      const write = { body: { id: 'nowhere', type: 'notification' } }
      const sentence = 'Unknown notification `nowhere`: the event leads to nothing until it exists.'
      expect(await errorOf('PUT', '/events/order', write)).toMatchObject({ message: sentence })
      expect((await api.call('GET', '/events/order')).status).toBe(404)
      expect(await warnings('PUT', '/events/order', write)).toEqual([sentence])
      expect((await api.call('GET', '/events/order')).json.id).toBe('nowhere')
      const { json } = await api.call('POST', '/notifications', {
        body: { notification: { name: 'Hello', content: { title: 'Hi', body: 'There' } }, state: 'DRAFT' },
      })
      const existing = { body: { id: json.id, type: 'notification' } }
      expect(await warnings('PUT', '/events/order', existing)).toBeUndefined()
    })

    test('a notification and a tenant that refer to what does not exist', async () => {
      const strategy = { name: 'Mail', routing: { method: 'single', channels: ['email'] } }
      const { id: strategyId } = (await api.call('POST', '/routing-strategies', { body: strategy })).json
      await api.call('POST', '/brands', { body: { id: 'harbor', name: 'Harbor', settings: {} } })
      const written = (brand: string, strategy_id: string, more = {}) => ({
        ...{ name: 'Hello', content: { title: 'Hi', body: 'There' } },
        ...{ brand: { id: brand }, routing: { strategy_id }, ...more },
      })
      const write = {
        notification: written('harbr', 'nowhere', { subscription: { topic_id: 'offers' } }),
        state: 'DRAFT',
      }
      const sentences = [
        'Unknown brand `harbr`: the default is used until it exists. Did you mean `harbor`?',
        'Unknown topic `offers`: it has no effect until it exists.',
        'Unknown routing strategy `nowhere`: the default channels are used until it exists.',
      ]
      const warned = ({ status, headers }: ApiReply) => [status, JSON.parse(headers.get('postrider-warnings') ?? '[]')]
      expect(await errorOf('POST', '/notifications', { body: write })).toMatchObject({ message: sentences.join(' ') })
      const created = await api.call('POST', '/notifications', { body: write })
      expect(warned(created)).toEqual([201, sentences])
      const path = `/notifications/${created.json.id}`
      expect(await warnings('PUT', path, { body: write })).toEqual(sentences)
      expect(warned(await api.call('POST', `${path}/publish`))).toEqual([204, sentences])
      const right = [
        written('harbor', strategyId),
        { ...write.notification, brand: null, subscription: null, routing: null },
      ]
      for (const notification of right)
        expect(await warnings('PUT', path, { body: { notification, state: 'PUBLISHED' } })).toBeUndefined()
      expect(warned(await api.call('POST', `${path}/publish`))).toEqual([204, []])

      const items = [{ id: 'offers', status: 'OPTED_OUT' }]
      for (const place of ['/tenants/port', '/accounts/port']) {
        const tenant = { name: 'Port', brand_id: 'harbr', default_preferences: { items } }
        expect(await errorOf('PUT', place, { body: tenant })).toMatchObject({
          message: sentences.slice(0, 2).join(' '),
        })
        expect(await warnings('PUT', place, { body: tenant })).toEqual(sentences.slice(0, 2))
        expect(await warnings('PUT', place, { body: { name: 'Port', brand_id: 'harbor' } })).toBeUndefined()
        expect(await warnings('PUT', place, { body: { name: 'Port', brand_id: null } })).toBeUndefined()
      }
    })

    test('a preference for a handling that does not exist', async () => {
      const sentence =
        'The `handling` of `Prefer` must be one of `strict`, `lenient`; `stict` has no effect. Did you mean `strict`?'
      const headers = { prefer: 'handling=stict' }
      const body = { event: 'welcome', recipient: 'ada' }
      expect(await warnings('POST', '/send', { body, headers })).toEqual([sentence])
      expect(await warnings('GET', '/brands', { headers })).toEqual([sentence])
    })

    test('an automation, started or stored', async () => {
      const steps = [{ action: 'send', recipient: 'ada', template: 'welcome', profil: {} }]
      const sentence = 'Unknown field `profil` at automation.steps.0. Did you mean `profile`?'
      const refused = { code: 'invalid_field', param: undefined, message: sentence }
      const run = { body: { automation: { steps } } }
      expect(await errorOf('POST', '/automations/invoke', run)).toEqual(refused)
      expect((await api.call('GET', '/automations/runs')).json.runs).toEqual([])
      expect(await warnings('POST', '/automations/invoke', run)).toEqual([sentence])
      const template = { body: { name: 'Welcome', automation: { steps } } }
      expect(await errorOf('PUT', '/automations/templates/strict', template)).toEqual(refused)
      expect((await api.call('GET', '/automations/templates/strict')).status).toBe(404)
      const { status, json } = await api.call('PUT', '/automations/templates/strict', template)
      expect([status, json.warnings]).toEqual([200, [sentence]])
    })

    test('a profile with values of no use, which is stored by a liberal call alone', async () => {
      const sentences = [
        'The `email` of the profile, `ada(at)example`, is not an email address: it has no `@`.',
        'The `timezone` of the profile, `Europe/Berln`, is not a time zone. Did you mean `Europe/Berlin`?',
      ]
      const body = { profile: { email: 'ada(at)example', timezone: 'Europe/Berln', plan: 'pro' } }
      for (const method of ['PUT', 'POST']) {
        const path = `/profiles/ada-${method}`
        expect(await errorOf(method, path, { body })).toEqual({
          code: 'invalid_field',
          param: undefined,
          message: sentences.join(' '),
        })
        expect((await api.call('GET', path)).status).toBe(404)
        expect(await warnings(method, path, { body })).toEqual(sentences)
        expect((await api.call('GET', path)).json.profile).toEqual(body.profile)
      }
      const patch = [{ op: 'replace', path: '/timezone', value: 'Mars' }]
      expect(await warnings('PATCH', '/profiles/ada-PUT', { body: { patch } })).toEqual([
        'The `timezone` of the profile, `Mars`, is not a time zone.',
      ])
    })

    test.each([
      ['a tenant', '/tenants/acme', (user_profile: object) => ({ name: 'Acme', user_profile }), 'user_profile'],
      ['an account', '/accounts/acme', (user_profile: object) => ({ name: 'Acme', user_profile }), 'user_profile'],
      [
        'a membership',
        '/users/ada/tenants',
        (profile: object) => ({ tenants: [{ tenant_id: 'acme', profile }] }),
        'the profile in `acme`',
      ],
    ])('the profile of %s, which is stored by a liberal call alone', async (_name, path, body, what) => {
      await api.call('PUT', '/tenants/acme', { body: { name: 'Acme' } })
      const write = { body: body({ locale: 'german', emial: 'ada@example.com', plan: 'pro' }) }
      const sentences = [
        `The \`locale\` of ${what}, \`german\`, is not a locale such as \`de\` or \`pt-BR\`.`,
        `${what.replace(/^./, (letter) => letter.toUpperCase())} has \`emial\`, which is data only. Did you mean \`email\`?`,
      ]
      expect(await errorOf('PUT', path, write)).toMatchObject({ message: sentences.join(' ') })
      expect((await api.call('GET', '/tenants/acme')).json.user_profile).toEqual({})
      expect(await warnings('PUT', path, write)).toEqual(sentences)
    })

    test('content for a channel or in a locale that does not exist', async () => {
      const content = {
        version: '2022-01-01',
        elements: [{ type: 'text', content: 'x', channels: ['emial'], locales: { german: { content: 'y' } } }],
      }
      const { status, headers } = await api.call('POST', '/notifications', {
        body: { notification: { name: 'Hello', content }, state: 'PUBLISHED' },
      })
      expect([status, JSON.parse(headers.get('postrider-warnings') ?? '[]')]).toEqual([
        201,
        [
          'elements.0.channels: `emial` is neither a channel nor a provider, and has no effect. Did you mean `email`?',
          'elements.0.locales: `german` is not a language, as `de` or `de-AT` is.',
        ],
      ])
    })
  })
})
