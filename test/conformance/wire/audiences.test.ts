/** The documented calls about audiences; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { call, refused } from './wire.ts'

const filter = { operator: 'EQ', path: 'title', value: 'Software Engineer' }

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  test('case 51: every user that matches is a member, with the reason and the version of the audience', async () => {
    await call(app, 'PUT', '/profiles/ada', { body: { profile: { title: 'Software Engineer' } } })
    await call(app, 'PUT', '/profiles/bob', { body: { profile: { title: 'Baker' } } })
    const memberOf = (version: number) =>
      until(
        async () => (await call(app, 'GET', '/audiences/devs/members')).json.items,
        ([member]) => member?.audience_version === version,
      )
    const put = await call(app, 'PUT', '/audiences/devs', { body: { name: 'Devs', filter } })
    expect([put.status, put.json.audience]).toMatchObject([200, { id: 'devs', name: 'Devs', description: '', filter }])
    const member = {
      member_id: 'ada',
      audience_id: 'devs',
      added_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      reason: "EQ('title', 'Software Engineer') => true",
    }
    expect(await memberOf(1)).toEqual([{ ...member, audience_version: 1 }])
    expect((await call(app, 'PUT', '/audiences/devs', { body: { name: 'Developers', filter } })).status).toBe(200)
    expect(await memberOf(2)).toEqual([{ ...member, audience_version: 2 }])
  })

  test('case 52: an unknown operator is refused with the known ones', async () => {
    const answer = await call(app, 'PUT', '/audiences/odd', { body: { filter: { ...filter, operator: 'BOGUS' } } })
    refused(answer, 400)
    for (const operator of ['AND', 'EQ', 'GT', 'GTE', 'INCLUDES', 'LT', 'LTE', 'NEQ', 'OMIT', 'OR'])
      expect(answer.json.message).toMatch(new RegExp(`\\b${operator}\\b`))
  })
})
