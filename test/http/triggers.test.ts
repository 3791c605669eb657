/**
 * Runs without an invocation: one for each inbound event, in its commit; one for each time of a schedule, on any number
 * of nodes.
 */
import { beforeAll, expect, test } from 'vitest'
import { withApp } from '../support/app.ts'
import { startScheduledRuns } from '../support/background.ts'
import { keys, type RecordingApp } from '../support/recording-app.ts'

withApp((open) => {
  let api: RecordingApp
  const woken: string[] = []
  beforeAll(async () => {
    const jobs = { startRun: async () => undefined, wake: (job: string) => void woken.push(job) }
    api = await open({ pipeline: 'recording', replace: { jobs } })
  })

  const send = { action: 'send', template: 'welcome' }
  const put = (id: string, triggers: unknown, automation: object = { steps: [send] }, key = keys.production) =>
    api.call('PUT', `/automations/templates/${id}`, { body: { name: id, triggers, automation }, apiKey: key })
  let tracked = 0
  const track = (event: string, more: object = {}, key = keys.production) => {
    tracked += 1
    const body = {
      type: 'track',
      event,
      messageId: `event-${tracked}`,
      properties: { order: 7 },
      userId: 'ada',
      ...more,
    }
    return api.call('POST', '/inbound/courier', { body, apiKey: key })
  }
  const runs = async (template: string) => {
    const { rows } = await api.engine.run({
      text: `select id, workspace_id, mode, status, error, due_at, template_id, source, cancelation_token, start, created
        from runs where template_id = $1 order by created, id`,
      values: [template],
    })
    return rows.map(({ start, ...row }) => ({ ...row, ...JSON.parse(String(start)) }))
  }
  const schedule = (cron: string, timezone?: string) => ({ type: 'schedule', cron, ...(timezone && { timezone }) })
  const byEvent = (event: string) => ({ type: 'event', event })

  test('triggers are shown as they were written, in the versions too', async () => {
    const triggers = [byEvent('shown'), schedule('0 9 * * *')]
    const shown = [byEvent('shown'), schedule('0 9 * * *', 'UTC')]
    const answer = await put('shown', triggers)
    expect([answer.status, answer.json.triggers]).toEqual([200, shown])
    expect((await api.call('GET', '/automations/templates/shown')).json.triggers).toEqual(shown)
    await put('shown', [])
    expect((await api.call('GET', '/automations/templates/shown')).json).not.toHaveProperty('triggers')
    const { json } = await api.call('GET', '/automations/templates/shown/versions')
    expect(json.results.map(({ triggers = [] }) => triggers)).toEqual([[], shown])
  })

  test.each<[string, unknown, RegExp]>([
    ['a pattern that is none', [schedule('often')], /^triggers\.0: `often` is not a cron pattern/],
    ['a pattern that never comes', [byEvent('e'), schedule('0 9 31 2 *')], /^triggers\.1: `0 9 31 2 \*` never comes/],
    [
      'a zone that is misspelled',
      [schedule('0 9 * * *', 'Europe/Berln')],
      /`Europe\/Berln` is not a time zone\. Did you mean `Europe\/Berlin`\?/,
    ],
    ['a zone that is none', [schedule('0 9 * * *', 'Mars/Olympus')], /is not a time zone/],
    ['another kind', [{ type: 'webhook' }], /^triggers\.0\.type must be one of `event`, `schedule`$/],
    ['a schedule without a pattern', [byEvent('e'), { type: 'schedule' }], /^triggers\.1\.cron is required$/],
    ['an event without its name', [{ type: 'event' }], /^triggers\.0\.event is required$/],
    ['an event without a name', [{ type: 'event', event: '' }], /event/],
    ['too many', Array.from({ length: 21 }, (_, n) => byEvent(`e${n}`)), /20/],
  ])('%s is refused', async (_what, triggers, message) => {
    const answer = await put('refused', triggers)
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringMatching(message)])
    expect((await api.call('GET', '/automations/templates/refused')).status).toBe(404)
  })

  test('an event starts one run of each template that waits for it, with its properties for its user', async () => {
    const token = { cancelation_token: 'order/${data.order}', steps: [send] }
    await put('first', [byEvent('order.paid'), byEvent('order.sent'), byEvent('order.paid')], token)
    await put('second', [byEvent('order.paid')])
    await put('third', [byEvent('order.lost')])
    woken.length = 0
    expect((await track('order.paid')).status).toBe(202)
    const run = {
      workspace_id: 1,
      mode: 'live',
      status: 'PROCESSING',
      error: null,
      source: ['event/order.paid'],
      due_at: api.time.now,
      created: api.time.now,
      context: { recipient: 'ada', data: { order: 7 } },
    }
    expect(await runs('first')).toMatchObject([{ ...run, cancelation_token: 'order/7' }])
    expect(await runs('second')).toMatchObject([run])
    expect(await runs('third')).toEqual([])
    expect(woken).toEqual(['runs'])
    expect((await track('order.paid', { userId: undefined }, keys.draft)).status).toBe(202)
    expect((await runs('second')).map(({ mode, context }) => [mode, context.recipient])).toEqual([
      ['live', 'ada'],
      ['draft', undefined],
    ])
  })

  test('an event starts a hundred templates at the most', async () => {
    await put('crowd-0', [byEvent('crowd')])
    // A hundred more like it.
    const names = { automation_templates: 'id', automation_versions: 'template_id', automation_triggers: 'template_id' }
    for (const [table, name] of Object.entries(names))
      await api.engine.run({
        text: `insert into ${table} select (jsonb_populate_record(null::${table},
            to_jsonb(t) || jsonb_build_object('${name}', 'crowd-' || n))).*
          from ${table} t, generate_series(1, 100) n where t.${name} = 'crowd-0'`,
      })
    await track('crowd')
    const { rows } = await api.engine.run({
      text: `select count(distinct template_id)::int as started from runs where template_id like 'crowd-%'`,
      values: [],
    })
    expect(rows).toEqual([{ started: 100 }])
  })

  test('a repeated event, one of another workspace, or one without a trigger starts nothing', async () => {
    await put('once', [byEvent('once')])
    expect((await track('once', { messageId: 'the-same' })).status).toBe(202)
    expect((await track('once', { messageId: 'the-same' })).status).toBe(409)
    expect((await track('once', {}, keys.test)).status).toBe(202)
    expect((await track('nothing')).status).toBe(202)
    expect(await runs('once')).toHaveLength(1)
    await put('once', [byEvent('twice')])
    await track('once')
    await api.call('DELETE', '/automations/templates/once')
    await track('twice')
    expect(await runs('once')).toHaveLength(1)
  })

  test('the context of the automation comes after that of the event or the schedule', async () => {
    const runContext = {
      recipient: 'ops',
      brand: 'acme',
      data: { order: 1, note: 'n' },
      profile: { email: 'o@example.com' },
    }
    await put('nested', [byEvent('nested')], { ...runContext, steps: [send] })
    expect((await track('nested', { userId: undefined })).status).toBe(202)
    expect((await track('nested')).status).toBe(202)
    const [withoutRecipient, ofAda] = await runs('nested')
    expect(withoutRecipient.context).toEqual({ ...runContext, data: { order: 7, note: 'n' } })
    expect(ofAda.context).toMatchObject({ recipient: 'ada', brand: 'acme' })
  })

  test('a run whose token has a missing value exists, and has failed', async () => {
    await put('bare', [byEvent('bare')], { cancelation_token: '${data.missing}', steps: [send] })
    expect((await track('bare')).status).toBe(202)
    expect(await runs('bare')).toMatchObject([
      { status: 'ERROR', due_at: null, error: expect.stringMatching(/cancelation_token/) },
    ])
  })

  const at = async (time: string, nodes = 1) => {
    api.time.now = Date.parse(time)
    await startScheduledRuns(api, nodes)
  }
  const slots = async (template: string) => (await runs(template)).map(({ context }) => context.data.scheduled_for)

  test('the same template in two workspaces starts a run in each', async () => {
    api.time.now = Date.parse('2026-02-01T12:00:00Z')
    for (const key of [keys.production, keys.test]) await put('both', [schedule('0 9 * * *')], { steps: [send] }, key)
    await at('2026-02-02T09:00:00Z', 2)
    expect((await runs('both')).map(({ workspace_id }) => workspace_id).sort()).toEqual([1, 2])
    for (const key of [keys.production, keys.test]) await put('both', [], { steps: [send] }, key)
  })

  test('each time of a schedule starts one run, on any number of nodes, nine in the morning on both sides of a clock change', async () => {
    api.time.now = Date.parse('2026-03-27T12:00:00Z')
    await put('daily', [schedule('0 9 * * *', 'Europe/Berlin')])
    await at('2026-03-28T07:59:59.999Z', 3)
    expect(await slots('daily')).toEqual([])
    await at('2026-03-28T08:00:00Z', 3)
    await at('2026-03-28T12:00:00Z', 3)
    await at('2026-03-29T07:00:00.500Z', 3)
    expect(await slots('daily')).toEqual(['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z'])
    const [run] = await runs('daily')
    expect(run).toMatchObject({ source: ['schedule'], mode: 'live', status: 'PROCESSING', template_id: 'daily' })
    expect(run?.context).not.toHaveProperty('recipient')
    await put('daily', [])
  })

  test('the latest of several missed times starts one run', async () => {
    api.time.now = Date.parse('2026-04-01T12:00:00Z')
    await put('missed', [schedule('0 * * * *')])
    await at('2026-04-03T15:30:00Z', 2)
    await at('2026-04-03T16:00:00Z', 2)
    expect(await slots('missed')).toEqual(['2026-04-03T15:00:00.000Z', '2026-04-03T16:00:00.000Z'])
    await put('missed', [])
  })

  test('two schedules of a template that meet start one run, of two templates one each', async () => {
    api.time.now = Date.parse('2026-05-01T00:00:00Z')
    await put('meet', [schedule('0 9 * * *'), schedule('0 9 1 * *'), schedule('0 9 * * FRI')])
    await put('meet-too', [schedule('0 9 * * *')])
    await at('2026-05-01T09:00:00Z', 2)
    expect(await slots('meet')).toEqual(['2026-05-01T09:00:00.000Z'])
    expect(await slots('meet-too')).toEqual(['2026-05-01T09:00:00.000Z'])
    await put('meet', [])
    await put('meet-too', [])
  })

  test('a template that is written again keeps its next time; a changed schedule waits for its own next time', async () => {
    api.time.now = Date.parse('2026-06-01T00:00:00Z')
    await put('kept', [schedule('0 9 * * *')])
    api.time.now = Date.parse('2026-06-01T10:00:00Z')
    await put('kept', [schedule('0 9 * * *')], { steps: [send, send] })
    await at('2026-06-01T10:00:00Z')
    expect(await slots('kept')).toEqual(['2026-06-01T09:00:00.000Z'])
    api.time.now = Date.parse('2026-06-02T10:00:00Z')
    await put('kept', [schedule('0 8 * * *')])
    await at('2026-06-02T10:00:00Z')
    expect(await slots('kept')).toHaveLength(1)
    await at('2026-06-03T08:00:00Z')
    expect(await slots('kept')).toHaveLength(2)
    await api.call('DELETE', '/automations/templates/kept')
    await at('2026-06-04T08:00:00Z')
    expect(await slots('kept')).toHaveLength(2)
  })
})
