/** The documented calls about bulk jobs; the titles carry the numbers of the case list. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { call, ID, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const definition = { event: 'V7E6M48EFQMB78H746QCCD1KSRAA' }
  const created = async () => {
    const { status, json } = await call(app, 'POST', '/bulk', { body: { message: definition } })
    expect([status, json]).toEqual([201, { jobId: expect.stringMatching(ID) }])
    return json.jobId as string
  }
  const ingest = (job: string, ...recipients: string[]) =>
    call(app, 'POST', `/bulk/${job}`, { body: { users: recipients.map((recipient) => ({ recipient })) } })

  test('case 44: a job is made, filled, run and completed', async () => {
    const job = await created()
    const filled = await ingest(job, 'u1', 'u2')
    expect([filled.status, filled.json]).toEqual([200, { errors: [], total: 2 }])
    expect((await call(app, 'POST', `/bulk/${job}/run`)).status).toBe(202)
    const done = await until(
      async () => (await call(app, 'GET', `/bulk/${job}`)).json.job,
      ({ status }) => status === 'COMPLETED',
    )
    expect(done).toEqual({ definition, received: 2, enqueued: 2, failures: 0, status: 'COMPLETED' })
  })

  test('case 45: an existing user is reported as an error', async () => {
    const { json } = await ingest(await created(), 'u1', 'u1', 'u2')
    expect(json).toEqual({ total: 2, errors: [{ error: 'Duplicate user', user: { recipient: 'u1' } }] })
  })

  test('case 46: a job without an event is refused with the documented message', async () => {
    const answer = await call(app, 'POST', '/bulk', { body: { message: {} } })
    refused(answer, 400)
    expect(answer.json.message).toBe("The 'event' parameter is required.")
    const { json } = await call(app, 'POST', '/bulk', { body: { message: { templat: 'welcome' } } })
    expect(json.message).toBe("The 'event' parameter is required. Unknown field `templat`. Did you mean `template`?")
  })
})
