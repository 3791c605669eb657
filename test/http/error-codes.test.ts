/** Errors name what a program decides by: a code of the catalog, the faulty input, and a page that the server shows. */
import { connect } from 'node:net'
import { errorCodes } from '@postrider/contract'
import { beforeAll, expect, test } from 'vitest'
import type { ApiCallOptions } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

type Case = [code: string, param: string | undefined, method: string, path: string, options?: ApiCallOptions]

const to = [{ user_id: 'ada' }, { user_id: 'bea', email: 5 }]
const automation = (...steps: object[]) => ({ body: { automation: { steps } } })
const send = { event: 'e', recipient: 'r' }

const cases: Case[] = [
  ['unauthorized', undefined, 'GET', '/messages', { apiKey: '' }],
  ['published_key_required', undefined, 'POST', '/keys', { apiKey: keys.draft, body: {} }],
  ['key_environment', undefined, 'POST', '/keys', { apiKey: keys.test, body: { environment: 'production' } }],
  ['production_key_required', undefined, 'POST', '/resume', { apiKey: keys.test }],
  ['unknown_path', undefined, 'GET', '/nowhere'],
  ['method_not_allowed', undefined, 'PATCH', '/messages'],
  ['not_found', undefined, 'GET', '/messages/none'],
  ['path_too_long', undefined, 'GET', `/profiles/${'x'.repeat(7_000)}`],
  ['malformed_request', undefined, 'POST', '/send', { body: '{"event":' }],
  ['malformed_request', undefined, 'GET', '/messages?event=%00'],
  ['missing_field', undefined, 'POST', '/send'],
  ['unsupported_encoding', undefined, 'POST', '/send', { body: 'x', headers: { 'content-encoding': 'gzip' } }],
  ['payload_too_large', undefined, 'POST', '/send', { body: 'x'.repeat(6 * 1_048_576 + 1) }],
  ['headers_too_large', undefined, 'GET', '/livez', { headers: { 'x-large': 'x'.repeat(20_000) } }],
  ['missing_field', 'recipient', 'POST', '/send', { body: { event: 'e' } }],
  ['invalid_field', 'message.to.1.email', 'POST', '/send', { body: { message: { to, template: 't' } } }],
  ['invalid_field', 'delay.until', 'POST', '/send', { body: { ...send, delay: { until: 'soon' } } }],
  [
    'invalid_field',
    'message.delay.until',
    'POST',
    '/send',
    { body: { message: { to: {}, template: 't', delay: { until: 'soon' } } } },
  ],
  [
    'invalid_content',
    'message.content',
    'POST',
    '/send',
    {
      body: { message: { to: { user_id: 'a' }, content: { elements: [{ type: 'text', content: 'x', if: 'a ==' }] } } },
    },
  ],
  [
    'invalid_idempotency_key',
    'Idempotency-Key',
    'POST',
    '/send',
    { body: send, headers: { 'idempotency-key': 'x'.repeat(300) } },
  ],
  ['invalid_field', 'enqueued_after', 'GET', '/messages?enqueued_after=soon'],
  ['invalid_field', 'status', 'GET', '/messages?status=LOST'],
  ['unknown_field', 'paint', 'GET', '/mailbox?paint=red'],
  ['invalid_cursor', undefined, 'GET', '/messages?cursor=x'],
  ['invalid_field', 'list_id', 'PUT', '/lists/a..b', { body: { name: 'n' } }],
  ['unknown_provider', 'provider', 'POST', '/providers', { body: { provider: 'pigeon', settings: {} } }],
  [
    'unknown_field',
    'settings.hots',
    'POST',
    '/providers',
    { body: { provider: 'smtp', settings: { host: 'mail.example', fromAddress: 'a@mail.example', hots: 'h' } } },
  ],
  ['missing_field', 'settings.host', 'POST', '/providers', { body: { provider: 'smtp', settings: {} } }],
  ['unknown_tenant', 'parent_tenant_id', 'PUT', '/tenants/t', { body: { name: 't', parent_tenant_id: 'none' } }],
  ['invalid_field', 'parent_account_id', 'PUT', '/accounts/t', { body: { name: 't', parent_account_id: 't' } }],
  ['unknown_template', 'template_id', 'POST', '/automations/simulate', { body: { template_id: 'none' } }],
  [
    'missing_field',
    'automation.steps.1.list',
    'POST',
    '/automations/invoke',
    automation({ action: 'cancel', cancelation_token: 't' }, { action: 'send-list' }),
  ],
  [
    'invalid_field',
    'automation.steps.0.if',
    'POST',
    '/automations/invoke',
    automation({ action: 'cancel', cancelation_token: 't', if: 'refs.later.x == 1' }),
  ],
  [
    'unknown_field',
    'paint',
    'PUT',
    '/automations/templates/t',
    { body: { paint: 1, automation: { steps: [{ action: 'delay', duration: '1 day' }] } } },
  ],
]

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test.each(cases)('%s, %s: %s %s', async (code, param, method, path, options) => {
    const { status, json } = await api.call(method, path, options)
    expect([status, json.code, json.param]).toEqual([errorCodes[code as keyof typeof errorCodes].status, code, param])
    expect(json.doc).toBe(`http://postrider.test/docs/errors#${code}`)
    if (code === 'invalid_field' && param?.includes('.')) expect(json.message).toContain(`${param} `)
  })

  test('the secrets of an integration are required again for another address, and the setting is named', async () => {
    const settings = { url: 'https://one.example', authentication: 'bearer', token: 'secret' }
    const made = await api.call('POST', '/providers', { body: { provider: 'webhook', settings } })
    const body = { provider: 'webhook', settings: { url: 'https://two.example/' } }
    const refused = await api.call('PUT', `/providers/${made.json.id}`, { body })
    expect(refused.json).toMatchObject({ code: 'secrets_required', param: 'settings.url' })
  })

  test('an existing, a required and an exhausted resource have codes of their own', async () => {
    const brand = { id: 'b', name: 'B', settings: {} }
    expect((await api.call('POST', '/brands', { body: brand })).status).toBe(200)
    expect((await api.call('POST', '/brands', { body: brand })).json).toMatchObject({ code: 'already_exists' })
    await api.call('PUT', '/tenants/above', { body: { name: 'a' } })
    await api.call('PUT', '/tenants/below', { body: { name: 'b', parent_tenant_id: 'above' } })
    expect((await api.call('DELETE', '/tenants/above')).json).toMatchObject({ code: 'in_use' })
    const hook = { body: { url: 'https://hooks.example/' } }
    for (let n = 0; n < 20; n += 1) await api.call('POST', '/webhooks', hook)
    expect((await api.call('POST', '/webhooks', hook)).json).toMatchObject({ code: 'limit_reached' })
  })

  test('refused sessions and roles have codes of their own', async () => {
    const viewer = (await api.call('POST', '/keys', { body: { role: 'viewer' } })).json.key
    expect((await api.call('POST', '/keys', { apiKey: viewer })).json.code).toBe('role_required')
    const filtered = await api.call('GET', '/messages?recipient=ada', { apiKey: viewer })
    expect(filtered.json).toMatchObject({ code: 'role_required', param: 'recipient' })
    expect((await api.call('DELETE', '/session')).json.code).toBe('session_required')
    const signedIn = await api.call('POST', '/session', { apiKey: '', body: { key: keys.production } })
    const cookie = signedIn.headers.get('set-cookie')?.split(';', 1)[0] ?? ''
    const codeOf = async (headers: Record<string, string>) =>
      (await api.call('GET', '/session', { apiKey: '', headers })).json.code
    expect(await codeOf({ cookie })).toBe('cross_site_refused')
    expect(await codeOf({ cookie, 'x-postrider-session': 'test' })).toBe('environment_switched')
    const unknown = `${cookie.split('=')[0]}=${'x'.repeat(43)}`
    expect(await codeOf({ cookie: unknown, 'x-postrider-session': '1' })).toBe('session_expired')
  })

  test('a request that is not HTTP has a code as well', async () => {
    const { port, hostname } = new URL(api.url)
    const socket = connect(Number(port), hostname).setEncoding('utf8')
    socket.write('GARBAGE\r\n\r\n')
    let text = ''
    for await (const part of socket) text += part
    expect(JSON.parse(text.slice(text.indexOf('{')))).toMatchObject({ code: 'malformed_request' })
  })

  test('the log events are a page among the guides', async () => {
    const page = await api.call('GET', '/docs/log-events', { apiKey: '' })
    expect(page.text).toContain('<code>message.dead_lettered</code>')
    const guide = await api.call('GET', '/docs/running', { apiKey: '' })
    expect(guide.text).toContain('<a href="/docs/log-events">Log events</a>')
    expect(guide.text).toContain('href="/docs/log-events">log events</a>')
  })

  test('the page has an entry for every code, and stands among the guides', async () => {
    const page = await api.call('GET', '/docs/errors', { apiKey: '' })
    for (const code of Object.keys(errorCodes)) expect(page.text).toContain(`<h2 id="${code}">`)
    const index = await api.call('GET', '/docs/guides', { apiKey: '' })
    expect(index.text).toContain('<a href="/docs/errors">Errors</a>')
    expect(index.text).toContain('<section><h2>Reference</h2>')
  })
})
