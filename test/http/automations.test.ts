/** The input that runs are started with, and the output that shows them. */
import { beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  beforeAll(async () => {
    api = await open({ pipeline: 'recording' })
  })

  const send = { action: 'send', template: 'welcome', recipient: 'ada' }
  const invoke = (body: object) => api.call('POST', '/automations/invoke', { body })
  const shown = async (id: string) => (await api.call('GET', `/automations/runs/${id}`)).json
  const invoked = async (body: object) => {
    const { status, json } = await invoke(body)
    expect(status).toBe(200)
    return shown(json.runId)
  }

  test('a template is started with its own context as defaults', async () => {
    const sendFields = {
      recipient: 'ops',
      template: 'alert',
      data: { a: 1, b: 1 },
      profile: { email: 'ops@example.com' },
    }
    const automation = { steps: [{ action: 'send' }], ...sendFields }
    expect((await api.call('PUT', '/automations/templates/nested', { body: { automation } })).status).toBe(200)
    const begin = async (body: object) => {
      const { json } = await api.call('POST', '/automations/nested/invoke', { body })
      return shown(json.runId)
    }
    expect(await begin({})).toMatchObject(sendFields)
    expect(await begin({ recipient: 'ada', data: { b: 2 } })).toMatchObject({
      ...sendFields,
      recipient: 'ada',
      data: { a: 1, b: 2 },
    })
    const wrong = await api.call('PUT', '/automations/templates/wrong', {
      body: { automation: { ...automation, data: 7 } },
    })
    expect([wrong.status, wrong.json.message]).toEqual([400, 'automation.data must be an object'])
  })

  test('a template that was read is written back without a loss, secrets of its webhooks included', async () => {
    const webhook = { url: 'https://shop.example/', headers: { Authorization: 'Bearer hidden' } }
    const automation = { steps: [{ action: 'fetch-data', webhook }], cancelation_token: 't/${data.id}' }
    const path = '/automations/templates/with-secrets'
    await api.call('PUT', path, { body: { name: 'One', alias: 'other-name', automation } })
    const { json: read } = await api.call('GET', path)
    const { status, json } = await api.call('PUT', path, { body: read })
    expect([status, json.automation, json.alias, json.version]).toEqual([200, automation, 'other-name', 2])
  })

  test('an alias leads to the template, its versions and its runs; DELETE by alias is refused with the id', async () => {
    const path = '/automations/templates/by-alias'
    await api.call('PUT', path, { body: { alias: 'known-as', automation: { steps: [send] } } })
    const call = (method: string, at: string) =>
      api.call(method, at, method === 'POST' ? { body: { recipient: 'ada' } } : {})
    const { json: started } = await call('POST', '/automations/known-as/invoke')
    expect((await call('GET', '/automations/templates/known-as')).json).toEqual((await call('GET', path)).json)
    expect((await call('GET', '/automations/templates/known-as/versions')).json.results).toHaveLength(1)
    for (const name of ['known-as', 'by-alias'])
      expect((await call('GET', `/automations/runs?template_id=${name}`)).json.runs).toEqual([
        expect.objectContaining({ run_id: started.runId, template_id: 'by-alias' }),
      ])
    const refused = await call('DELETE', '/automations/templates/known-as')
    expect([refused.status, refused.json.message]).toEqual([
      404,
      '`known-as` is an alias; the id of the template is `by-alias`',
    ])
    expect((await call('DELETE', path)).status).toBe(204)
    expect((await call('GET', '/automations/templates/known-as')).status).toBe(404)
  })

  describe('a cancelation token', () => {
    test.each(['cancelation_token', 'cancelationToken', 'cancellation_token'])('may be called %s', async (name) => {
      const steps = [send, { action: 'cancel', [name]: 'other' }]
      const run = await invoked({ automation: { steps, [name]: 'order-${data.id}', data: { id: 7 } } })
      const { rows } = await api.engine.run({
        text: 'select cancelation_token from runs where id = $1',
        values: [run.runId],
      })
      expect(rows).toEqual([{ cancelation_token: 'order-7' }])
      expect(run.automation).toEqual({ steps, cancelation_token: 'order-${data.id}' })
      expect(run.data).toEqual({ id: 7 })
    })

    test.each<[string, unknown]>([
      ['of many references', { all: Array(14_000).fill({ $ref: 'data' }) }],
      ['of a text larger than any', '${data.text}'.repeat(2_000)],
      ['of everything', '${data}'],
      ['with an empty part', 'order-${data.none}'],
      ['of an object', { $ref: 'data' }],
    ])('%s is refused', async (_what, cancelation_token) => {
      const data = { text: 'x'.repeat(5_000_000), none: '' }
      const answer = await invoke({ automation: { steps: [send], cancelation_token }, data })
      expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('cancelation_token')])
    })
  })

  test('errors in the text of a step are reported before it starts, with their place', async () => {
    const content = { version: '2022-01-01', elements: [{ type: 'quote' }] }
    const automation = { steps: [send, { action: 'send', message: { content } }] }
    const answer = await invoke({ automation })
    const place = 'automation.steps.1.message.content'
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(place)])
    const written = await api.call('PUT', '/automations/templates/words', { body: { automation } })
    expect([written.status, written.json.message]).toEqual([400, expect.stringContaining(place)])
  })

  test('steps count from 0, as in the automation', async () => {
    const { runId } = await invoked({ automation: { steps: [send, send] } })
    const { steps } = (await api.call('GET', `/automations/runs/${runId}/steps`)).json
    expect(steps.map(({ step_id }: { step_id: string }) => step_id)).toEqual([`${runId}/0`, `${runId}/1`])
  })

  test('a canceled run reports its step, again and again; one that ended otherwise is a conflict', async () => {
    const { runId } = await invoked({ automation: { steps: [send, send] } })
    const cancel = (id: string, key = keys.production) =>
      api.call('POST', `/automations/runs/${id}/cancel`, { apiKey: key })
    expect((await cancel(runId, keys.test)).status).toBe(404)
    api.time.now += 5_000
    const canceled = await cancel(runId)
    expect([canceled.status, canceled.json.status]).toEqual([200, 'CANCELED'])
    const { steps } = (await api.call('GET', `/automations/runs/${runId}/steps`)).json
    expect(steps.map(({ status }: { status: string }) => status)).toEqual(['CANCELED', 'NOT PROCESSED'])
    expect(steps[0].updated_at).toBe(canceled.json.updated_at)
    api.time.now += 5_000
    const again = await cancel(runId)
    expect([again.status, again.json]).toEqual([200, canceled.json])
    const { runId: other } = await invoked({ automation: { steps: [send] } })
    await api.engine.run({
      text: `update runs set status = 'PROCESSED', due_at = null where id = $1`,
      values: [other],
    })
    const late = await cancel(other)
    expect([late.status, late.headers.get('x-should-retry'), late.json.type]).toEqual([
      409,
      'false',
      'invalid_request_error',
    ])
  })

  test('a mock key cancels its runs, and those of no other key', async () => {
    const body = { automation: { steps: [send] } }
    const cancel = async (runId: string) => api.call('POST', `/automations/runs/${runId}/cancel`, { apiKey: keys.mock })
    const { runId } = await invoked(body)
    expect((await cancel(runId)).json).toMatchObject({
      code: 'published_key_required',
      message: 'A published key sent this; this is a mock key',
    })
    expect((await api.call('GET', `/automations/runs/${runId}`)).json.status).not.toBe('CANCELED')
    const simulated = (await api.call('POST', '/automations/invoke', { body, apiKey: keys.mock })).json
    expect((await cancel(simulated.runId)).json.status).toBe('CANCELED')
  })

  test('runs are listed for their own workspace, by start and end of a period', async () => {
    const day = async (date: string, key = keys.production) => {
      api.time.now = Date.parse(`${date}T12:00:00Z`)
      const body = { automation: { steps: [send] } }
      return (await api.call('POST', '/automations/invoke', { body, apiKey: key })).json.runId as string
    }
    const [first, second, third] = [await day('2026-05-01'), await day('2026-05-02'), await day('2026-05-03')]
    const foreign = await day('2026-05-02', keys.test)
    const listed = async (query: string, key = keys.production) =>
      (await api.call('GET', `/automations/runs?${query}`, { apiKey: key })).json.runs.map(
        ({ run_id }: { run_id: string }) => run_id,
      )
    const from = 'start_date=2026-05-01T00:00:00Z'
    expect(await listed(from)).toEqual([third, second, first])
    expect(await listed(`${from}&end_date=2026-05-02T12:00:00Z`)).toEqual([first])
    expect(await listed(`${from}&end_date=2026-05-02T12:00:01Z`)).toEqual([second, first])
    expect(await listed(from, keys.test)).toEqual([foreign])
  })

  test('a day that no calendar has is refused', async () => {
    const until = { until: '2026-02-30T08:00', timezone: 'Europe/Vienna' }
    expect((await invoke({ automation: { steps: [{ action: 'delay', ...until }] } })).status).toBe(400)
    const message = { to: { user_id: 'ada' }, content: { title: 't', body: 'b' }, delay: until }
    const answer = await api.call('POST', '/send', { body: { message } })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('delay.until')])
  })
})
