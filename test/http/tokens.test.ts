/** A token grants what its scope names, as long as it and its key are valid, and nothing else in the whole contract. */
import { type Operation, operations, tokenScopes } from '@postrider/contract'
import { SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { pathWith } from '../support/fixtures.ts'
import { keys, type RecordingApp, appSecretKey as secret } from '../support/recording-app.ts'

const everything = tokenScopes.join(' ')

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const issueToken = (body: unknown, key = keys.production) =>
    api.call('POST', '/auth/issue-token', { apiKey: key, body })
  const issue = async (scope: string, expires_in: string | number = '1h', key = keys.production): Promise<string> =>
    (await issueToken({ scope, expires_in }, key)).json.token
  const knock = (key: string) => api.call('GET', '/events', { apiKey: key })

  test('it is a JWT that ends at its time, and holds no secret', async () => {
    const token = await issue('user_id:ada read:preferences', 90)
    const [head, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString())
    expect(JSON.parse(head!)).toEqual({ alg: 'HS256', kid: secret.id })
    const now = Math.floor(api.time.now / 1_000)
    expect(JSON.parse(claims!)).toEqual({
      iss: 'postrider',
      aud: 'postrider',
      iat: now,
      exp: now + 90,
      workspace: 1,
      key: 'PRODUCTION',
      scope: 'user_id:ada read:preferences',
    })
  })

  test.each([
    [60, 60],
    ['60', 60],
    ['2 days', 172_800],
    ['1y', 31_557_600],
  ])('expires_in %j is %i seconds', async (lifetime, seconds) => {
    const { iat, exp } = JSON.parse(
      Buffer.from((await issue(everything, lifetime)).split('.')[1]!, 'base64url').toString(),
    )
    expect(exp - iat).toBe(seconds)
  })

  test.each([
    [{ expires_in: 60 }],
    [{ scope: everything }],
    [{ scope: everything, expires_in: 'soon' }],
    [{ scope: everything, expires_in: 0 }],
    [{ scope: everything, expires_in: -60 }],
    [{ scope: everything, expires_in: '367 days' }],
    [{ scope: everything, expires_in: '1 ms' }],
    [{ scope: '', expires_in: 60 }],
    [{ scope: ' ', expires_in: 60 }],
    [{ scope: 'read:everything', expires_in: 60 }],
    [{ scope: 'user_id:', expires_in: 60 }],
    [{ scope: 'read:preferences:ada', expires_in: 60 }],
    [{ scope: `user_id:${'a'.repeat(2_048)}`, expires_in: 60 }],
  ])('%j is a 400', async (body) => {
    const answer = await issueToken(body)
    expect([answer.status, answer.json.type]).toEqual([400, 'invalid_request_error'])
  })

  const forbidden = operations.filter(({ access, token }) => access !== 'open' && !token)

  test.each(forbidden.map((operation) => [operation.id, operation] as const))(
    '%s is for keys only',
    async (_id, operation) => {
      const answer = await call(operation, await issue(`user_id:ada ${everything}`), operation.example?.params ?? {})
      expect([answer.status, answer.json.type]).toEqual([403, 'authorization_error'])
    },
  )

  const lent = operations.flatMap((operation) =>
    operation.token ? [[operation.id, operation, operation.token] as const] : [],
  )

  test.each(lent)('%s accepts a token whose scope reaches there, and no other', async (_id, operation, access) => {
    const params = operation.example?.params ?? {}
    const owner = access.user === undefined ? '' : `user_id:${params[access.user]} `
    const others = tokenScopes.filter((scope) => scope !== access.scope).join(' ')
    const statusWith = async (scope: string) => (await call(operation, await issue(scope), params)).status
    expect([401, 403]).not.toContain(await statusWith(`${owner}${access.scope}`))
    expect(await statusWith(`${owner}${others}`)).toBe(403)
    if (access.user) {
      expect(await statusWith(access.scope)).toBe(403)
      expect(await statusWith(`user_id:another-user ${access.scope}`)).toBe(403)
    }
    if (access.narrowedBy) {
      expect([401, 403]).not.toContain(await statusWith(`${access.scope}:${params[access.narrowedBy]}`))
      expect(await statusWith(`${access.scope}:another`)).toBe(403)
    }
  })

  function call({ method, path, body, example }: Operation, key: string, params: Record<string, string>) {
    const content = body && example?.body !== undefined ? { body: example.body } : {}
    // From the machine itself figures are open; a proxy is not the machine itself.
    return api.call(method, pathWith(path, params), {
      apiKey: key,
      headers: { 'x-forwarded-for': '203.0.113.7' },
      ...content,
    })
  }

  describe('a 401 is what answers', () => {
    test('a token that has ended', async () => {
      const token = await issue(everything, '1 minute')
      expect((await knock(token)).status).toBe(403)
      api.time.now += 60_000
      expect((await knock(token)).status).toBe(401)
    })

    test('a token of a revoked key, at once', async () => {
      const { id, key } = (await api.call('POST', '/keys', { body: { name: 'brief' } })).json
      const token = await issue(everything, '1h', key)
      expect((await knock(token)).status).toBe(403)
      expect((await api.call('DELETE', `/keys/${id}`)).status).toBe(204)
      expect((await knock(token)).status).toBe(401)
    })

    const claims = { workspace: 1, key: 'PRODUCTION', scope: everything }
    const signed = (
      content: Record<string, unknown>,
      { kid = secret.id, bytes = secret.derive('tokens'), alg = 'HS256', audience = 'postrider', exp = true } = {},
    ) => {
      const jwt = new SignJWT(content).setProtectedHeader({ alg, kid }).setIssuer('postrider').setAudience(audience)
      return (exp ? jwt.setExpirationTime(Math.floor(api.time.now / 1_000) + 60) : jwt).sign(bytes)
    }
    const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')

    test.each<[string, () => Promise<string> | string, number]>([
      ['one as we sign it', () => signed(claims), 403],
      ['one signed with another key', () => signed(claims, { bytes: Buffer.alloc(32, 8) }), 401],
      ['one signed with the secret key itself', () => signed(claims, { bytes: Buffer.alloc(32, 7) }), 401],
      ['one of another algorithm', () => signed(claims, { alg: 'HS512', bytes: Buffer.alloc(64, 7) }), 401],
      ['one of another secret key by name', () => signed(claims, { kid: 'another' }), 401],
      ['one for another audience', () => signed(claims, { audience: 'elsewhere' }), 401],
      ['one without an end', () => signed(claims, { exp: false }), 401],
      ['one of another environment than its key', () => signed({ ...claims, workspace: 2 }), 401],
      ['one of no key', () => signed({ ...claims, key: 'NONE' }), 401],
      ['one without a scope', () => signed({ workspace: 1, key: 'PRODUCTION' }), 401],
      [
        'one without a signature',
        () =>
          `${part({ alg: 'none', kid: secret.id })}.${part({ ...claims, iss: 'postrider', aud: 'postrider', exp: 4e9 })}.`,
        401,
      ],
      [
        'one whose scope was changed',
        async () => {
          const [head, , signature] = (await signed(claims)).split('.')
          return `${head}.${part({ ...claims, iss: 'postrider', aud: 'postrider', exp: 4e9 })}.${signature}`
        },
        401,
      ],
    ])('%s', async (_title, make, status) => {
      expect((await knock(await make())).status).toBe(status)
    })
  })

  test('a token issues no token, and works as the password too', async () => {
    const token = await issue(everything)
    expect((await issueToken({ scope: everything, expires_in: 60 }, token)).status).toBe(403)
    const basic = `Basic ${Buffer.from(`me@example.com:${token}`).toString('base64')}`
    expect((await api.call('GET', '/events', { apiKey: '', headers: { authorization: basic } })).status).toBe(403)
  })
})
