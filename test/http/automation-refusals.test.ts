/** An automation that could never work is refused wherever it is given, in one sentence that names the place. */
import { describe, expect, test } from 'vitest'
import { hello, message, withAutomationCalls } from './automation-calls.ts'

const fetching = (webhook: object, more: object = {}) => [{ action: 'fetch-data', webhook, ...more }]
const url = 'https://shop.example/'
const wait = { action: 'delay', duration: '1 day' }

withAutomationCalls(({ call, invoke, simulate, put, answerTo, warningsOf }) => {
  describe.each<[string, readonly object[], string]>([
    [
      'a ref that no step has, in `if`',
      [{ ...hello, if: 'refs.nope.status > 1' }],
      'steps.0.if names `refs.nope`, but no',
    ],
    [
      'a ref that no step has, in a text',
      [
        { ...hello, ref: 'a' },
        { ...hello, data: { x: ['to ${refs.nope.messageId}'] } },
      ],
      'steps.1.data names `refs.nope`, but no earlier step has that `ref`: there are a',
    ],
    [
      'a ref that no step has, in a `$ref`',
      [{ ...hello, data: { x: { $ref: 'refs.nope.count' } } }],
      'steps.0.data names `refs.nope`, but no earlier step has that `ref`',
    ],
    [
      'a ref that no step has, by itself',
      [{ ...hello, recipient: 'refs.nope.id' }],
      'steps.0.recipient names `refs.nope`',
    ],
    ['a ref in brackets', [{ ...hello, if: '!refs["no-pe"]?.status' }], 'steps.0.if names `refs.no-pe`, but'],
    [
      'a ref of a later step',
      [
        { ...hello, if: 'refs.last.status > 1' },
        { ...hello, ref: 'last' },
      ],
      'steps.0.if names `refs.last`, which is there only after steps.1',
    ],
    ['its own ref', [{ ...hello, ref: 'me', if: 'refs.me' }], 'steps.0.if names `refs.me`, which is there only after'],
    [
      'a status that is none',
      [{ ...hello, if: 'refs.data.n < MessageStatus.Bogus' }],
      'steps.0.if names `MessageStatus.Bogus`',
    ],
    [
      'a name that is none',
      [{ ...hello, if: 'dta.plan === "pro"' }],
      'steps.0.if names `dta`, but there are only data,',
    ],
    [
      'a name that is none in a text',
      [{ ...hello, brand: 'b-${name}' }],
      'steps.0.brand names `name`, but there are only',
    ],
    ['a text that is not closed', [{ ...hello, brand: 'b-${data.x' }], 'steps.0.brand has a `${` that is not closed'],
    ['a condition of nothing', [{ ...hello, if: ' ' }], 'steps.0.if must be an expression such as `data.total > 10`'],
    [
      'a method beside a reference',
      fetching({ url: 'https://x.example/${data.id}', method: 'FETCH' }),
      'steps.0.webhook.method must be one of `GET`, `POST`',
    ],
    ['a webhook without an address', fetching({ headers: { a: '${data.a}' } }), 'steps.0.webhook.url is required'],
    [
      'a context of another kind',
      [{ action: 'invoke', template: 't', context: { recipient: {}, data: { $ref: 'data' } } }],
      'steps.0.context.recipient must be a string or a whole number',
    ],
    ['a number that is none', [{ action: 'add-to-batch', max_items: 'x' }], 'steps.0.max_items must be a whole number'],
    ['an address that is none', fetching({ url: 'ftp://x' }), 'steps.0.webhook.url must be an http or https address'],
    [
      'another scheme before a reference',
      fetching({ url: 'ftp://x/${data.id}' }),
      'steps.0.webhook.url must be an http',
    ],
    [
      'a password in an address',
      fetching({ url: 'https://u:p@x.example/' }),
      'steps.0.webhook.url must not hold a user',
    ],
    [
      'a password before a reference',
      fetching({ url: 'https://u:p@x.example/${data.id}' }),
      'steps.0.webhook.url must not hold a user name or password',
    ],
    [
      'a line break in a header',
      fetching({ url: 'https://x.example/${data.id}', headers: { 'X-Key': 'a\r\nX-Other: b' } }),
      'steps.0.webhook.headers.X-Key must not hold a line break',
    ],
    [
      'a line break in the name of a header',
      fetching({ url, headers: { 'a\nb': 'c' } }),
      'steps.0.webhook.headers.a\\nb is',
    ],
    [
      'a header of the connection',
      fetching({ url, headers: { Host: 'x' } }),
      'steps.0.webhook.headers.Host cannot be set',
    ],
    [
      'an address of a data source that is none',
      [{ action: 'send-list', list: 'l', template: 't', data_source: { webhook: { url: 'nowhere' } } }],
      'steps.0.data_source.webhook.url must be an http or https address',
    ],
    ['content that is a text', message({ content: 'Hello' }), 'steps.0.message.content must be an object'],
    [
      'a condition of an element that is filled in',
      message({ content: { elements: [{ type: 'text', content: 'x', if: '${data.x}' }] } }),
      'steps.0.message.content.elements.0.if cannot be filled in',
    ],
    [
      'a method of routing that is none',
      message({ routing: { method: 'any', channels: ['email'] } }),
      'steps.0.message.routing.method must be one of',
    ],
    [
      'channels that are none',
      message({ routing: { method: 'all', channels: [7] } }),
      'steps.0.message.routing.channels',
    ],
    [
      'a condition in the routing',
      message({ routing: { method: 'all', channels: [{ channel: 'sms', if: 'a =' }] } }),
      'steps.0.message.routing',
    ],
    ['a delay of a message that is none', message({ delay: { until: 'soon' } }), 'steps.0.message.delay.until must be'],
    [
      'an expiry that is none',
      message({ expiry: { expires_in: 'soon' }, data: { x: '${data.x}' } }),
      'steps.0.message.expiry.expires_in must',
    ],
  ])('%s', (_what, steps, message) => {
    test('is refused when it is invoked, simulated and kept', async () => {
      const refused = [400, expect.stringContaining(`automation.${message}`)]
      const automation = { steps }
      const answers = await Promise.all([invoke(automation), simulate(automation), put(automation)])
      expect(answers).toEqual([refused, refused, refused])
      expect(answers[0]?.[1]).toMatch(/^automation\.steps/)
    })
  })

  test.each<[string, readonly object[]]>([
    [
      'the names of older samples',
      [
        { action: 'delay', delayFor: '1 day' },
        { action: 'cancel', cancelationToken: 't' },
        { action: 'cancel', cancellation_token: 't' },
        { action: 'add_to_batch', wait_period: 'PT1H', max_wait_period: 'PT2H', retain: { type: 'first', count: 10 } },
        {
          action: 'fetch-data',
          webhook: { url, method: 'GET' },
          idempotency_key: 'k',
          idempotency_expiry: '2030-01-01',
        },
        { action: 'update-profile', recipient_id: 'ada', profile: { a: 1 }, merge: 'none' },
        { action: 'throttle', max_allowed: 1, period: 'PT1H', scope: 'global', should_alert: false },
      ],
    ],
    ['a field that is null', [{ ...hello, tempalte: null }, ...fetching({ url, headers: null, body: null })]],
    ['what is escaped', [{ ...hello, data: { a: '\\${data.a} \\${b', b: 'costs $ {b}' } }]],
    [
      'what is known only when the step is taken',
      [
        ...fetching({ url: '${data.url}', headers: { a: '${data.a}', b: { $ref: 'data.b' } } }, { ref: 'got' }),
        ...fetching({ url: 'https://${data.host}:8080/x' }),
        ...fetching({ $ref: 'refs.got.webhook' } as object),
        { action: 'send', message: { $ref: 'data.message' } },
        {
          action: 'send',
          message: { to: { $ref: 'data.to' }, content: { title: { $ref: 'data.t' }, body: '${data.b}' } },
        },
        { action: 'send', template: { $ref: 'data.t' }, recipient: '${data.r}' },
        { ...hello, if: 'refs.got.a && refs[data.name] && MessageStatus.SENT < 3 && data.x !== undefined' },
      ],
    ],
  ])('%s: nothing is refused', async (_what, steps) => {
    expect(await Promise.all([invoke({ steps }), put({ steps })])).toEqual([
      [200, undefined],
      [200, undefined],
    ])
  })

  test.each<[string, readonly object[], string]>([
    [
      'a misspelled field',
      [wait, { ...hello, tempalte: 'x' }],
      'Unknown field `tempalte` at automation.steps.1. Did you mean `template`?',
    ],
    [
      'a field in another case',
      [{ action: 'cancel', cancelToken: 'x', cancelation_token: 'x' }],
      'Unknown field `cancelToken` at automation.steps.0. Did you mean `cancelation_token`?',
    ],
    [
      'a field of another step',
      [{ ...wait, template: 'x' }],
      'Unknown field `template` at automation.steps.0. Delay has `duration`, `until`, `timezone`, `if`, `ref`.',
    ],
    [
      'a condition in capitals',
      [{ ...hello, IF: 'false' }],
      'Unknown field `IF` at automation.steps.0. Did you mean `if`?',
    ],
    [
      'a misspelled field inside',
      fetching({ url, header: {} }),
      'Unknown field `header` at automation.steps.0.webhook. Did you mean `headers`?',
    ],
    [
      'a misspelled field of what is retained',
      [{ action: 'add-to-batch', retain: { type: 'last', cuont: 2 } }],
      'Unknown field `cuont` at automation.steps.0.retain. Did you mean `count`?',
    ],
    [
      'a misspelled field of a context',
      [{ action: 'invoke', template: 't', context: { recipent: 'ada' } }],
      'Unknown field `recipent` at automation.steps.0.context. Did you mean `recipient`?',
    ],
    [
      'an expiry of a key that is none',
      [{ ...hello, idempotency_expiry: 'soon' }],
      'automation.steps.0.idempotency_expiry is neither a timestamp nor a duration: the key is kept for 25 hours.',
    ],
    [
      'two ends of a delay',
      [{ ...wait, until: '2026-02-01' }],
      'automation.steps.0.duration is ignored beside `until`.',
    ],
    [
      'a delay without an end',
      [{ action: 'delay', duration: '', until: null }],
      'automation.steps.0 does not wait: it has neither `duration` nor `until`.',
    ],
    [
      'a time zone that is none, for a profile',
      [
        {
          action: 'update-profile',
          recipient_id: 'ada',
          profile: { timezone: 'Europe/Berln', zoneinfo: '${data.zone}' },
        },
      ],
      'automation.steps.0.profile.timezone is `Europe/Berln`, which is not a time zone: delays and opening hours of the recipient ignore it. Did you mean `Europe/Berlin`?',
    ],
    [
      'a recipient as JSONPath',
      [{ ...hello, recipient: '$.data.user_id' }],
      'automation.steps.0.recipient is sent as `$.data.user_id`, which is not a reference. Did you mean `{"$ref": "data.user_id"}`?',
    ],
    [
      'a recipient as a variable',
      [{ ...hello, recipient: '{{ profile.id }}' }],
      'automation.steps.0.recipient is sent as `{{ profile.id }}`, which is not a reference. Did you mean `{"$ref": "profile.id"}`?',
    ],
    [
      'a recipient of a message as a bare path',
      message({ to: [{ user_id: 'data.user_id' }] }),
      'automation.steps.0.message.to.0.user_id is sent as `data.user_id`, which is not a reference. Did you mean `{"$ref": "data.user_id"}`?',
    ],
    [
      'a profile to load as JSONPath',
      [{ action: 'get-profile', user_id: '$.data.users.first' }],
      'automation.steps.0.user_id is sent as `$.data.users.first`, which is not a reference. Did you mean `{"$ref": "data.users.first"}`?',
    ],
  ])('%s is ignored when it is invoked, and named when it is kept', async (_what, steps, warning) => {
    expect(await invoke({ steps })).toEqual([200, undefined])
    expect(await warningsOf({ steps })).toEqual([warning])
  })

  test('fields that public clients send beside those of a step are ignored', async () => {
    const more = { name: 'n', id: '1', recipients: [], to: {}, user_id: 'u', brand_id: 'b', profile: [], data: [] }
    const filled = { ...hello, ...more, brand: '', idempotency_key: '', if: '' }
    expect(await invoke({ steps: [filled], name: 'n', id: '1' })).toEqual([200, undefined])
    expect(await warningsOf({ steps: [hello] })).toBeUndefined()
  })

  test('the body that starts a template may hold more than parts of a context', async () => {
    expect(await put({ steps: [{ action: 'send', template: 'welcome' }] })).toEqual([200, undefined])
    const start = (body: object) => answerTo('POST', '/automations/kept/invoke', body)
    expect(await start({ recipient: 'ada', dta: {}, campaign: 7 })).toEqual([200, undefined])
    expect(await start({ recipient: '', data: [], profile: [], brand: '' })).toEqual([200, undefined])
    const context = { recipient: 'ada', data: { anything: { at: 'all' } }, profile: { plan: 'pro' }, brand: null }
    expect(await start({ ...context, dta: null })).toEqual([200, undefined])
  })

  test('the body that starts a template may be `null`, as clients write it that have none', async () => {
    expect(await put({ steps: [hello] })).toEqual([200, undefined])
    expect((await call('POST', '/automations/kept/invoke', { body: 'null' })).status).toBe(200)
  })

  test('an automation that leads back to itself is kept, and named', async () => {
    const put = (id: string, body: object) => call('PUT', `/automations/templates/${id}`, { body })
    const invoke = (template: string) => ({ automation: { steps: [{ action: 'invoke', template }] } })
    const again = expect.stringContaining('invokes this automation again')
    expect((await put('circle', invoke('circle'))).json.warnings).toEqual([again])
    expect((await put('circle', { ...invoke('round'), alias: 'round' })).json.warnings).toEqual([again])
    expect((await put('other', invoke('circle'))).json.warnings).toBeUndefined()
    const back = expect.stringContaining('automation.steps.0 invokes `other`, which leads back here')
    expect((await put('circle', invoke('other'))).json.warnings).toEqual([back])
    const inspect = async (body: object) => (await call('POST', '/automations/inspect', { body })).json.warnings
    expect(await inspect({ id: 'circle', ...invoke('other') })).toEqual([back])
    expect(await inspect({ id: 'third', ...invoke('other') })).toEqual([])
    expect(await inspect(invoke('other'))).toEqual([])
  })

  test('references and events with a dot are not taken for forgotten references', async () => {
    const steps = [
      { ...hello, template: 'profile.updated', recipient: '${data.user_id}' },
      { ...hello, recipient: 'refs.data.user_id', data: { note: '$.data.user_id' } },
    ]
    expect(await warningsOf({ steps })).toBeUndefined()
  })
})
