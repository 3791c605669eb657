/** The official SDKs issue tokens as they are, and the newest works with one. */
import { CourierClient as Courier5 } from 'courier5'
import { CourierClient as Courier6 } from 'courier6'
import { Courier as Courier7 } from 'courier7'
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../../support/app.ts'
import { keys, type RecordingApp } from '../../support/recording-app.ts'

const issue = { scope: 'user_id:ada write:user-tokens read:user-tokens', expires_in: '2 days' }

type Issue = (url: string, key: string) => Promise<{ token?: string | undefined }>

const generations: [string, Issue][] = [
  [
    '5.7',
    (baseUrl, authorizationToken) =>
      Courier5({ baseUrl, authorizationToken }).issueToken({ scope: issue.scope, expiresIn: issue.expires_in }),
  ],
  [
    '6.6',
    async (baseUrl, authorizationToken) => new Courier6({ baseUrl, authorizationToken }).authTokens.issueToken(issue),
  ],
  ['7.10', async (baseURL, apiKey) => new Courier7({ baseURL, apiKey }).auth.issueToken(issue)],
]

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  test.each(generations)('generation %s', async (_generation, issue) => {
    const { token = '' } = await issue(api.url, keys.production)
    const { users } = new Courier7({ baseURL: api.url, apiKey: token })
    expect(await users.tokens.list('ada')).toMatchObject({ tokens: [] })
    await expect(users.tokens.list('grace')).rejects.toMatchObject({ status: 403 })
  })
})
