/** The devices of a user are registered, changed and forgotten, and their tokens stay out of the log. */
import { deviceTokensMax } from '@postrider/contract'
import { createLog } from '@postrider/server'
import { beforeAll, describe, expect, test } from 'vitest'
import type { ApiReply } from '../support/api-client.ts'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

const fcm = { provider_key: 'firebase-fcm' }

withApp((open) => {
  let api: RecordingApp
  const logged: unknown[] = []
  beforeAll(async () => {
    const log = createLog('silent')
    for (const level of ['debug', 'info', 'warn', 'error'] as const)
      log[level] = ((...fields: unknown[]) => void logged.push(fields)) as typeof log.error
    api = await open({ pipeline: 'recording', replace: { log } })
  })

  const put = (path: string, body?: unknown) => api.call('PUT', `/users/${path}`, body === undefined ? {} : { body })
  const get = async (user: string, token: string) => (await api.call('GET', `/users/${user}/tokens/${token}`)).json
  const list = async (user: string) => (await api.call('GET', `/users/${user}/tokens`)).json.tokens
  const nothing = ({ status, text, headers }: ApiReply) =>
    expect([status, text, headers.get('content-type')]).toEqual([204, '', null])

  test('without an expiry date a token lasts two months, with false for ever', async () => {
    nothing(await put('ada/tokens/t1', fcm))
    const months = (Date.parse((await get('ada', 't1')).expiry_date) - api.time.now) / (30.4 * 86_400_000)
    expect(months).toBeCloseTo(2, 1)
    nothing(await put('ada/tokens/t1', { ...fcm, expiry_date: false }))
    expect((await get('ada', 't1')).expiry_date).toBe(false)
    nothing(await put('ada/tokens/t1', { ...fcm, expiry_date: '2031-02-03T04:05:06+01:00' }))
    expect((await get('ada', 't1')).expiry_date).toBe('2031-02-03T03:05:06.000Z')
  })

  test('the stored device of a token is shown again', async () => {
    const fields = {
      provider_key: 'apn',
      device: { app_id: 'app', platform: 'ios', model: null },
      tracking: { ip: '192.0.2.7', lat: '48.2', long: '16.4' },
      properties: { a: [1, { b: null }] },
      expiry_date: false,
    }
    nothing(await put('bob/tokens/t%2F1', { ...fields, token: 't/1' }))
    const shown = { ...fields, token: 't/1', status: 'active', status_reason: null }
    expect(await get('bob', 't%2F1')).toEqual(shown)
    expect(await list('bob')).toEqual([shown])
    nothing(await put('bob/tokens/t%2F1', { provider_key: 'expo', status: 'failed', status_reason: 'gone' }))
    expect(await get('bob', 't%2F1')).toMatchObject({
      provider_key: 'expo',
      device: null,
      properties: null,
      status: 'failed',
      status_reason: 'gone',
    })
  })

  test('several are stored as a list, as an object, and without a body nothing changes', async () => {
    nothing(await put('eve/tokens', [{ token: 'a', ...fcm }]))
    nothing(
      await put('eve/tokens', {
        tokens: [
          { token: 'b', ...fcm },
          { token: 'b', provider_key: 'expo' },
        ],
      }),
    )
    nothing(await put('eve/tokens'))
    nothing(await api.call('PUT', '/users/eve/tokens', { body: '', headers: { 'content-type': 'application/json' } }))
    nothing(await put('eve/tokens', []))
    const tokens = Object.fromEntries(
      (await list('eve')).map(({ token, provider_key }: Record<string, string>) => [token, provider_key]),
    )
    expect(tokens).toEqual({ a: 'firebase-fcm', b: 'expo' })
  })

  test('a patch changes what it names and nothing else', async () => {
    await put('pat/tokens/t', { ...fcm, device: { platform: 'ios', model: 'X' }, expiry_date: false })
    const patch = [
      { op: 'test', path: '/status', value: 'active' },
      { op: 'replace', path: '/status', value: 'revoked' },
      { op: 'replace', path: '/status_reason', value: 'signed out' },
      { op: 'remove', path: '/device/model' },
    ]
    nothing(await api.call('PATCH', '/users/pat/tokens/t', { body: { patch } }))
    expect(await get('pat', 't')).toEqual({
      token: 't',
      ...fcm,
      device: { platform: 'ios' },
      tracking: null,
      properties: null,
      expiry_date: false,
      status: 'revoked',
      status_reason: 'signed out',
    })
  })

  test('concurrent patches are all applied', async () => {
    await put('shared/tokens/t', { ...fcm, properties: {} })
    const names = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(
      names.map((name) =>
        api.call('PATCH', '/users/shared/tokens/t', {
          body: { patch: [{ op: 'add', path: `/properties/${name}`, value: 1 }] },
        }),
      ),
    )
    for (const answer of answers) nothing(answer)
    expect((await get('shared', 't')).properties).toEqual({ a: 1, b: 1, c: 1, d: 1 })
  })

  describe('a call is refused and changes nothing', () => {
    const original = { ...fcm, properties: { kept: true }, expiry_date: false }
    beforeAll(() => put('kept/tokens/t', original))

    const replace = (path: string, value: unknown) => ({ patch: [{ op: 'replace', path, value }] })
    test.each([
      ['a PUT without a provider', 'PUT', 't', {}, 400],
      ['a PUT with an unknown provider', 'PUT', 't', { provider_key: 'pigeon' }, 400],
      ['a PUT of another token', 'PUT', 't', { ...fcm, token: 'u' }, 400],
      ['a PUT with an unknown status', 'PUT', 't', { ...fcm, status: 'asleep' }, 400],
      ['a PUT with a date that is none', 'PUT', 't', { ...fcm, expiry_date: 'soon' }, 400],
      ['a PUT that expires true', 'PUT', 't', { ...fcm, expiry_date: true }, 400],
      ['a PUT of too much', 'PUT', 't', { ...fcm, properties: { a: 'x'.repeat(16_000) } }, 413],
      ['a PATCH of the token', 'PATCH', 't', replace('/token', 'u'), 400],
      ['a PATCH to an unknown provider', 'PATCH', 't', replace('/provider_key', 'pigeon'), 400],
      ['a PATCH to nothing', 'PATCH', 't', { patch: [{ op: 'remove', path: '/provider_key' }] }, 400],
      ['a PATCH that grows too large', 'PATCH', 't', replace('/properties', { a: 'x'.repeat(16_000) }), 400],
      ['a PATCH of the prototype', 'PATCH', 't', replace('/__proto__/x', 1), 400],
      ['a PATCH of 101 operations', 'PATCH', 't', { patch: Array(101).fill({ op: 'test', path: '', value: 1 }) }, 400],
      ['a PUT of a token with spaces', 'PUT', 'a%20b', fcm, 400],
      ['a PATCH of an unknown token', 'PATCH', 'none', { patch: [] }, 404],
    ])('%s', async (_title, method, token, body, status) => {
      const answer = await api.call(method, `/users/kept/tokens/${token}`, { body })
      expect([answer.status, answer.json.type]).toEqual([status, 'invalid_request_error'])
      expect(await list('kept')).toMatchObject([{ token: 't', ...original }])
    })

    test('a list with one error', async () => {
      expect((await put('kept/tokens', [{ token: 'u', ...fcm }, { token: 'v' }])).status).toBe(400)
      expect(await list('kept')).toHaveLength(1)
    })
  })

  test(`a user has ${deviceTokensMax} tokens; expired ones make room`, async () => {
    const many = Array.from({ length: deviceTokensMax }, (_, index) => ({
      token: `t${index}`,
      ...fcm,
      expiry_date: false,
    }))
    const soon = new Date(api.time.now + 1_000).toISOString()
    nothing(await put('full/tokens', [{ ...many[0], expiry_date: soon }, ...many.slice(1)]))
    const refused = await put('full/tokens/new', fcm)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([409, 'false'])
    nothing(await put('full/tokens/t7', { provider_key: 'expo' }))
    expect(await list('full')).toHaveLength(deviceTokensMax)
    api.time.now += 1_000
    nothing(await put('full/tokens/new', fcm))
    const left = (await list('full')).map(({ token }: { token: string }) => token)
    expect([left.length, left[0], left.includes('t0')]).toEqual([deviceTokensMax, 'new', false])
    expect((await put('full/tokens', [...many, { token: 'more', ...fcm }])).status).toBe(400)
  })

  test('a token is forgotten, and forgotten again', async () => {
    await put('gone/tokens/t', fcm)
    for (let times = 0; times < 2; times += 1) nothing(await api.call('DELETE', '/users/gone/tokens/t'))
    const answer = await api.call('GET', '/users/gone/tokens/t')
    expect([answer.status, answer.json]).toMatchObject([
      404,
      { message: 'Token not found', type: 'invalid_request_error' },
    ])
    expect(await list('gone')).toEqual([])
  })

  test('another environment, and another user, see none of it', async () => {
    await put('ours/tokens/t', fcm)
    expect((await api.call('GET', '/users/ours/tokens', { apiKey: keys.test })).json).toEqual({ tokens: [] })
    for (const [user, key] of [
      ['ours', keys.test],
      ['theirs', keys.production],
    ] as const) {
      expect((await api.call('GET', `/users/${user}/tokens/t`, { apiKey: key })).status).toBe(404)
      await api.call('DELETE', `/users/${user}/tokens/t`, { apiKey: key })
    }
    expect(await list('ours')).toHaveLength(1)
  })

  test('no log line has a token, not even when the database fails', async () => {
    const secret = 'fcm-5f1c0ffee'
    await put(`quiet/tokens/${secret}`, fcm)
    await put(`quiet/tokens/${secret}`, { ...fcm, token: 'other' })
    await api.call('PATCH', `/users/quiet/tokens/${secret}`, { body: { patch: [{ op: 'remove', path: '/nowhere' }] } })
    await api.engine.run({ text: 'alter table device_tokens rename to tokens_away', values: [] })
    expect((await put(`quiet/tokens/${secret}`, fcm)).status).toBe(500)
    expect((await put('quiet/tokens', [{ token: secret, ...fcm }])).status).toBe(500)
    await api.engine.run({ text: 'alter table tokens_away rename to device_tokens', values: [] })
    const lines = logged.map((fields) => {
      const { err, ...rest } = (fields as [{ err?: Error }])[0]
      return [rest, err?.message, err?.stack, String(err?.cause)]
    })
    expect(lines.length).toBeGreaterThanOrEqual(2)
    expect(JSON.stringify(lines)).not.toContain(secret)
  })
})
