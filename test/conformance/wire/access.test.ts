/** The documented ways in, and what stands before them; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { call, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open({ env: { POSTRIDER_RATE_LIMITS: 'recommended' } })
  })

  test('case 53: no key and a wrong one are refused; basic authorization is let in', async () => {
    refused(await call(app, 'GET', '/lists', { apiKey: '' }), 401, 'authentication_error')
    refused(await call(app, 'GET', '/lists', { apiKey: 'pk_prod_wrong' }), 401, 'authentication_error')
    const authorization = `Basic ${Buffer.from(`me@x:${app.apiKey}`).toString('base64')}`
    expect((await call(app, 'GET', '/lists', { apiKey: '', headers: { authorization } })).status).toBe(200)
  })

  test('case 56: the 21st list written in a minute is one too many, for some seconds', async () => {
    const put = () => app.call('PUT', '/lists/limited', { body: { name: 'Limited' } })
    const answers = []
    // A call's share of the minute may pass meanwhile.
    do answers.push(await put())
    while (answers.length < 40 && answers.at(-1)?.status === 204)
    expect(answers.length).toBeGreaterThan(20)
    const last = answers.at(-1)!
    refused(last, 429, 'rate_limit_error')
    expect(Number(last.headers.get('retry-after'))).toBeLessThanOrEqual(3)
    expect((await call(app, 'GET', '/lists/limited')).status).toBe(200)
  })

  test('case 57: a token reaches as far as its scope', async () => {
    const body = { scope: 'user_id:a read:preferences', expires_in: '1 hour' }
    const issued = await call(app, 'POST', '/auth/issue-token', { body })
    expect(issued.json).toEqual({ token: expect.stringMatching(/^eyJ/) })
    const as = { apiKey: issued.json.token }
    expect((await call(app, 'GET', '/users/a/preferences', as)).status).toBe(200)
    const put = { ...as, body: { topics: [] } }
    refused(await call(app, 'PUT', '/users/a/preferences', put), 403, 'authorization_error')
    refused(await call(app, 'GET', '/users/b/preferences', as), 403, 'authorization_error')
  })
})
