/** WhatsApp: texts, templates and interactive messages, and the meaning of each answer. */
import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import type { HttpRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, receiptEffects, replied, runAdapter, runCallback, type Scene } from '../adapter.harness.ts'
import whatsapp from './whatsapp.ts'

const scene: Scene = {
  profile: { phone_number: '+1 (555) 010-0000' },
  settings: { phoneNumberId: '106540352242922', accessToken: 'whatsapp-secret' },
  content: { title: 'Hello', text: 'Hi *Ada*', body: 'Hi Ada' },
}
const accepted = replied(200, {
  messaging_product: 'whatsapp',
  contacts: [{ input: '15550100000', wa_id: '15550100000' }],
  messages: [{ id: 'wamid.1' }],
})
const run = (changes: Partial<Scene> = {}, reply: Reply = accepted) =>
  runAdapter(whatsapp, { ...scene, ...changes }, reply)
const bodyOf = (changes: Partial<Scene>) => JSON.parse((run(changes).requests[0] as HttpRequest).body ?? '')
const no = (status: number, code: number, details?: string) =>
  replied(status, { error: { message: `(#${code}) No`, code, ...(details && { error_data: { details } }) } })

/** https://developers.facebook.com/docs/whatsapp/cloud-api/messages/text-messages */
test('a message is one text', () => {
  const { requests, outcome } = run()
  expect(requests).toMatchObject([
    {
      kind: 'http',
      method: 'POST',
      url: 'https://graph.facebook.com/v23.0/106540352242922/messages',
      headers: { authorization: 'Bearer whatsapp-secret', 'content-type': 'application/json' },
      final: true,
    },
  ])
  expect(JSON.parse((requests[0] as HttpRequest).body ?? '')).toEqual({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '15550100000',
    type: 'text',
    text: { preview_url: false, body: 'Hi *Ada*' },
    biz_opaque_callback_data: 'delivery-1',
  })
  expect(outcome).toEqual({ kind: 'sent', reference: { id: 'wamid.1' }, delivered: false })
})

/** https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates */
test('a template of the settings receives the text as one line', () => {
  const settings = { ...scene.settings, template: 'notice', templateLanguage: 'de' }
  const template = (text: string) => ({
    name: 'notice',
    language: { code: 'de' },
    components: [{ type: 'body', parameters: [{ type: 'text', text }] }],
  })
  const body = bodyOf({ settings, content: { body: 'a\n\nb    c\td' } })
  expect(body).toMatchObject({ type: 'template', template: template('a b c d') })
  expect(body).not.toHaveProperty('text')
})

test('a template of the content or of an override replaces the text', () => {
  const ownTemplate = { name: 'order_shipped', language: { code: 'en' }, components: [] }
  expect(bodyOf({ content: { raw: { whatsappTemplate: ownTemplate } } })).toMatchObject({
    type: 'template',
    template: ownTemplate,
  })
  const overridden = bodyOf({ override: { body: { template: ownTemplate } } })
  expect(overridden).toMatchObject({ type: 'template', template: ownTemplate })
  expect(overridden).not.toHaveProperty('text')
  expect(() => run({ content: { raw: { whatsappTemplate: 'x' } } })).toThrow('raw.whatsappTemplate must be an object')
})

test.each([
  ['1 Main St\nFloor 2\tGate     5', '1 Main St Floor 2 Gate 5'],
  ['Dear x\r\n\r\ny', 'Dear x y'],
  ['x     y', 'x y'],
  ['x    y', 'x    y'],
  ['x \u2028 y', 'x y'],
  ['\n5\u00a0€\n', '5\u00a0€'],
])('the parameter %j of a template leaves as %j', (value, text) => {
  const parameters = (of: string) => [
    { type: 'text', text: of, parameter_name: 'n' },
    { type: 'currency', currency: { fallback_value: of, code: 'EUR', amount_1000: 5 } },
    { type: 'date_time', date_time: { fallback_value: of } },
    { type: 'image', image: { link: 'https://x.example/a' } },
    { type: 'payload', payload: 'a\nb' },
  ]
  const template = (of: string) => ({
    name: 'order_shipped',
    language: { code: 'en' },
    components: [
      { type: 'header', parameters: parameters(of) },
      { type: 'body', parameters: parameters(of) },
      { type: 'button', sub_type: 'url', index: '0', parameters: parameters(of) },
      { type: 'carousel', cards: [{ card_index: 0, components: [{ type: 'body', parameters: parameters(of) }] }] },
    ],
  })
  const changes = [
    { content: { raw: { whatsappTemplate: template(value) } } },
    { override: { body: { template: template(value) } } },
  ]
  for (const change of changes) expect(bodyOf(change).template).toEqual(template(text))
})

const tight = false
const text = { type: 'text', text: 'Hi', tight } as const
const button = { type: 'button', text: 'Go: https://x.y', url: 'https://x.y', plain: 'Go', tight } as const
const image = { type: 'image', text: 'Cat: https://x.y/i', url: 'https://x.y/i', plain: 'Cat', tight } as const

/** https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-cta-url-messages */
test('one button is a button, one picture a picture, and more of them text', () => {
  const shown = (...elements: (typeof text | typeof button | typeof image)[]) => {
    const { type, ...body } = bodyOf({ content: { text: 'all', elements } })
    return { type, content: body[type] }
  }
  const action = { name: 'cta_url', parameters: { display_text: 'Go', url: 'https://x.y' } }
  expect(shown(text, button)).toEqual({
    type: 'interactive',
    content: { type: 'cta_url', body: { text: 'Hi' }, action },
  })
  expect(shown(image, text, button).content).toMatchObject({
    header: { type: 'image', image: { link: 'https://x.y/i' } },
    body: { text: 'Hi' },
  })
  expect(shown(image, text)).toEqual({ type: 'image', content: { link: 'https://x.y/i', caption: 'Hi' } })
  expect(shown(image)).toEqual({ type: 'image', content: { link: 'https://x.y/i' } })
  for (const elements of [[text, button, button], [button], [text, image, image]] as const)
    expect(shown(...elements)).toMatchObject({ type: 'text', content: { body: 'all' } })
  const long = { ...button, plain: 'A label of more than twenty' }
  expect(bodyOf({ content: { text: 'all', elements: [text, long] } }).type).toBe('text')
})

test.each<[number, number, object]>([
  [400, 131026, { kind: 'rejected', scope: 'recipient', error: '400 Bad Request: (#131026) No' }],
  [400, 131047, { kind: 'rejected', scope: 'recipient' }],
  [400, 131030, { kind: 'rejected', scope: 'recipient' }],
  [400, 131050, { kind: 'rejected', scope: 'recipient' }],
  [401, 190, { kind: 'rejected', scope: 'configuration' }],
  [403, 200, { kind: 'rejected', scope: 'configuration' }],
  [500, 3, { kind: 'rejected', scope: 'configuration' }],
  [400, 131042, { kind: 'rejected', scope: 'configuration' }],
  [400, 133010, { kind: 'rejected', scope: 'configuration' }],
  [400, 132000, { kind: 'rejected', scope: 'content' }],
  [400, 100, { kind: 'rejected', scope: 'content' }],
  [400, 999_999, { kind: 'rejected', scope: 'content' }],
  [400, 131056, { kind: 'retry', attempted: false }],
  [429, 130429, { kind: 'retry', attempted: false }],
  [400, 4, { kind: 'retry', attempted: false }],
  [500, 131000, { kind: 'retry', attempted: true }],
  [400, 131057, { kind: 'retry', attempted: true }],
])('%i with the code %i', (status, code, outcome) => {
  expect(run({}, no(status, code)).outcome).toMatchObject(outcome)
})

test('an unusable template belongs to who named it', () => {
  const missing = no(404, 132001)
  const settings = { ...scene.settings, template: 'notice' }
  expect(run({ settings }, missing).outcome).toMatchObject({ scope: 'configuration' })
  const override = { body: { template: { name: 'mine', language: { code: 'en' } } } }
  expect(run({ settings, override }, missing).outcome).toMatchObject({ scope: 'content' })
})

test.each<[string, Reply, object]>([
  ['details', no(400, 131009, 'x is wrong'), { error: '400 Bad Request: (#131009) No: x is wrong' }],
  [
    'a secret',
    replied(401, { error: { message: 'whatsapp-secret', code: 190 } }),
    { error: '401 Unauthorized: ******** (190)' },
  ],
  ['200 without an id', replied(200, { messages: [] }), { kind: 'in_doubt' }],
  ['a page instead of an answer', replied(502, '<html>'), { kind: 'retry', attempted: true }],
])('%s', (_title, reply, outcome) => {
  expect(run({}, reply).outcome).toMatchObject(outcome)
})

test.each([
  [{ to: '' }, 'to is missing'],
  [{ text: { body: '' } }, 'text.body is missing'],
  [{ type: 'image' }, 'image is missing'],
])('the override %j is refused', (body, error) => {
  expect(run({ override: { body } })).toMatchObject({
    requests: [],
    outcome: { kind: 'rejected', scope: 'content', error },
  })
})

const signing = { ...scene.settings, appSecret: 'app-secret', verifyToken: 'verify-token' }
const deliveryId = '1-691f0000-0000000000000000000000ab-0'
const rejection = (error: string) => ({ kind: 'refused', error })

/** Signed as the documentation describes it. */
function callback(content: unknown, { secret = 'app-secret', settings = signing as object } = {}) {
  const body = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`
  return runCallback(whatsapp, { ...settings }, { body, headers: { 'x-hub-signature-256': signature } })
}
const statuses = (...all: object[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: [{ field: 'messages', value: { messaging_product: 'whatsapp', statuses: all } }] }],
})
const status = (name: string, more = {}) => ({
  id: 'wamid.1',
  status: name,
  timestamp: String(RUN_AT / 1_000 - 60),
  recipient_id: '15550100000',
  biz_opaque_callback_data: deliveryId,
  ...more,
})

test.each([
  ['delivered', {}, { kind: 'delivered' }],
  ['read', {}, { kind: 'opened' }],
  [
    'failed',
    { errors: [{ code: 131026, title: 'Message undeliverable', error_data: { details: 'Not on WhatsApp' } }] },
    { kind: 'bounced', error: 'Message undeliverable (131026): Not on WhatsApp' },
  ],
  ['failed', { errors: [7] }, { kind: 'bounced', error: 'WhatsApp reported a failure' }],
])('the status %s %j', (name, more, receipt) => {
  const receipts = [{ deliveryId, at: RUN_AT - 60_000, address: '15550100000', ...receipt }]
  expect(callback(statuses(status(name, more)))).toEqual({ kind: 'accepted', receipts })
})

/** Each status with its code, and what follows from it. */
test.each<[string, string, string[]]>([
  ['sent', '', []],
  ['delivered', '', ['delivered']],
  ['read', '', ['opened']],
  ['deleted', '', []],
  ['failed', '130472', ['bounced SOFT']],
  ['failed', '131026', ['bounced SOFT']],
  ['failed', '131047', ['bounced SOFT']],
  ['failed', '131049', ['bounced SOFT']],
  ['failed', '131050', ['bounced SOFT']],
  ['failed', '131053', ['bounced SOFT']],
  ['failed', '130429', ['bounced SOFT']],
])('%s %s does %j', (name, code, effects) => {
  expect(
    receiptEffects(
      callback(statuses(status(name, { errors: [{ code: Number(code), title: 'No' }] }))),
      'direct_message',
    ),
  ).toEqual(effects)
})

test('a callback may have several statuses; sent, those of others and garbage are no receipts', () => {
  const none = { kind: 'accepted', receipts: [] }
  const foreign = status('delivered', { biz_opaque_callback_data: 'order-7' })
  expect(callback(statuses(status('sent'), foreign, status('read'), status('delivered')))).toMatchObject({
    receipts: [{ kind: 'opened' }, { kind: 'delivered' }],
  })
  for (const garbage of ['', '{{', 'null', '{"entry":[7,{"changes":[{"value":{"statuses":{}}}]}]}', { messages: [{}] }])
    expect(callback(garbage)).toEqual(none)
})

test('a callback that is not signed with the secret of the app is refused', () => {
  const event = statuses(status('delivered'))
  expect(callback(event, { secret: 'other' })).toEqual(rejection('The signature is missing or wrong'))
  expect(runCallback(whatsapp, signing, { body: Buffer.from(JSON.stringify(event)) })).toEqual(
    rejection('The signature is missing or wrong'),
  )
  expect(callback(event, { settings: scene.settings })).toEqual(
    rejection('The integration has no appSecret to verify callbacks with'),
  )
})

test('the challenge of Meta is answered to the verify token', () => {
  const verify = (parameters: Record<string, string>, settings: object = signing) =>
    runCallback(
      whatsapp,
      { ...settings },
      { method: 'GET', url: `https://postrider.test/callbacks/t.s?${new URLSearchParams(parameters)}` },
    )
  const request = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': 'verify-token' }
  expect(verify(request)).toEqual({ kind: 'accepted', receipts: [], reply: '1158201444' })
  expect(verify({ ...request, 'hub.verify_token': 'other' })).toEqual(rejection('The verify token is wrong'))
  expect(verify({ ...request, 'hub.mode': 'other' })).toEqual(rejection('The request verifies no address'))
  expect(verify({})).toEqual(rejection('The request verifies no address'))
  expect(verify(request, scene.settings)).toEqual(
    rejection('The integration has no verifyToken to verify the address with'),
  )
})
