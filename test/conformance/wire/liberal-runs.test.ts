/** Runs of automations that lack a recipient or hold more than they need start, and report what they lack. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { until } from '../../support/until.ts'
import { publish } from '../../system/templates.ts'
import { call, EVENT } from './wire.ts'

const ENDED = ['PROCESSED', 'ERROR', 'THROTTLED', 'CANCELED']

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
    await publish(app.client, EVENT, { channels: ['email'] })
    await call(app, 'PUT', '/profiles/ada', { body: { profile: { email: 'ada@example.com' } } })
  })

  const keep = async (id: string, steps: object[]) => {
    const { status, json } = await call(app, 'PUT', `/automations/templates/${id}`, { body: { automation: { steps } } })
    expect([status, json.message]).toEqual([200, undefined])
    return json
  }
  const ended = async (path: string, body?: unknown) => {
    const { status, json } = await call(app, 'POST', path, body === undefined ? {} : { body })
    expect([status, json.message]).toEqual([200, undefined])
    return until(
      async () => (await call(app, 'GET', `/automations/runs/${json.runId}`)).json,
      (run) => ENDED.includes(run.status),
    )
  }
  const recipients = async (runId: string) =>
    (await call(app, 'GET', `/messages?runId=${runId}`)).json.results.map((row: { recipient: string }) => row.recipient)

  describe('a run of a template', () => {
    test.each<[string, unknown]>([
      ['an empty body', {}],
      ['no body', undefined],
      ['an empty list', []],
      ['a JSON content type without a body', ''],
    ])('without a recipient starts with %s, and ends with the reason', async (_what, body) => {
      await keep('lacking', [{ action: 'send', template: EVENT }])
      expect(await ended('/automations/lacking/invoke', body)).toMatchObject({
        status: 'ERROR',
        error: 'steps.0 (send): Neither the step nor the run has a recipient',
      })
    })

    test('an empty cancelation token is none', async () => {
      const automation = { cancelation_token: '', steps: [{ action: 'send', template: EVENT, recipient: 'ada' }] }
      expect((await ended('/automations/invoke', { automation })).status).toBe('PROCESSED')
    })

    test('a skipped step without a recipient does not stop the others', async () => {
      const steps = [
        { action: 'send', template: EVENT, if: 'data.chosen' },
        { action: 'send', template: EVENT, recipient: 'ada' },
      ]
      await keep('skipping', steps)
      const run = await ended('/automations/skipping/invoke', { data: {} })
      expect([run.status, await recipients(run.runId)]).toEqual(['PROCESSED', ['ada']])
      const adHoc = await ended('/automations/invoke', { automation: { steps } })
      expect([adHoc.status, await recipients(adHoc.runId)]).toEqual(['PROCESSED', ['ada']])
    })

    test('reaches the user whose profile it has', async () => {
      await keep('by-profile', [{ action: 'send', template: EVENT }])
      const run = await ended('/automations/by-profile/invoke', { profile: { user_id: 'ada' } })
      expect([run.status, run.recipient, await recipients(run.runId)]).toEqual(['PROCESSED', 'ada', ['ada']])
    })

    test('is simulated as it would run', async () => {
      await keep('simulated', [{ action: 'send', template: EVENT, brand_id: 'b' }])
      const { status, json } = await call(app, 'POST', '/automations/simulate', { body: { template_id: 'simulated' } })
      expect([status, json.runs?.[0]]).toMatchObject([
        200,
        { status: 'ERROR', error: expect.stringContaining('Neither the step nor the run has a recipient') },
      ])
      expect(json.warnings).toEqual([expect.stringMatching(/^Unknown field `brand_id` at automation\.steps\.0\. /)])
    })
  })

  test('the documented call of a digest reaches the user in its data', async () => {
    const { json: section } = await call(app, 'POST', '/preferences/sections', { body: { name: 'News' } })
    const digest = { template_id: EVENT, schedules: [{ frequency: 'daily', time: '09:00' }] }
    const topic = { name: 'Comments', default_status: 'OPTED_IN', digest }
    const made = await call(app, 'POST', `/preferences/sections/${section.id}/topics`, { body: topic })
    const step = { action: 'add-to-digest', subscription_topic_id: made.json.id }
    await keep('digesting', [step])
    const run = await ended('/automations/digesting/invoke', { data: { user_id: 'ada', comment: 'Hi' } })
    expect([run.status, run.error]).toEqual(['PROCESSED', undefined])
    const { json } = await until(
      () => call(app, 'GET', '/users/ada/digests'),
      (answer) => answer.json.items.length > 0,
    )
    expect(json.items).toMatchObject([{ topic_id: made.json.id, user_id: 'ada' }])
    const lost = await ended('/automations/digesting/invoke', { data: { comment: 'Hi' } })
    expect(lost.error).toContain('A digest needs a recipient')
    const adHoc = { automation: { steps: [step] }, data: { user_id: 'bob' } }
    expect((await ended('/automations/invoke', adHoc)).status).toBe('PROCESSED')
  })

  describe('superfluous fields of an automation', () => {
    const step = { action: 'send', template: EVENT, recipient: 'ada' }
    const more = {
      name: 'Welcome',
      id: 'step-1',
      recipients: ['bob'],
      to: { user_id: 'bob' },
      user_id: 'bob',
      brand_id: 'b',
    }

    test('is ignored when it is invoked', async () => {
      const automation = { steps: [{ ...step, ...more }], name: 'Onboarding', id: 'a-1' }
      const run = await ended('/automations/invoke', { automation, user_id: 'bob' })
      expect([run.status, await recipients(run.runId)]).toEqual(['PROCESSED', ['ada']])
    })

    test('is named by simulations and where a template is written', async () => {
      const automation = { steps: [{ ...step, templte: 'x' }], cancelation_tokn: 't' }
      const warnings = [
        'Unknown field `cancelation_tokn` at automation. Did you mean `cancelation_token`?',
        'Unknown field `templte` at automation.steps.0. Did you mean `template`?',
      ]
      const simulated = await call(app, 'POST', '/automations/simulate', { body: { automation } })
      expect([simulated.status, simulated.json.warnings]).toEqual([200, warnings])
      const kept = await call(app, 'PUT', '/automations/templates/more', { body: { automation } })
      expect([kept.status, kept.json.warnings]).toEqual([200, warnings])
    })

    test('a delay of two kinds, an unreadable expiry and an empty body of a GET hold nothing up', async () => {
      const webhook = { url: 'http://127.0.0.1:1/', method: 'GET', body: {} }
      const steps = [
        { action: 'delay', duration: '2 days', until: '2020-04-08T08:09:10+7:00' },
        { ...step, idempotency_key: 'k', idempotency_expiry: 'soon' },
        { ...step, idempotency_key: 'l', idempotency_expiry: '1 Day' },
        { action: 'fetch-data', webhook, if: 'false' },
        {
          action: 'send',
          message: {
            to: { user_id: 'ada', data: 'none' },
            template: EVENT,
            delay: { duration: 86_400_000, until: '2020-04-08T08:09:10Z' },
          },
        },
      ]
      const run = await ended('/automations/invoke', { automation: { steps } })
      expect([run.status, run.error, await recipients(run.runId)]).toEqual([
        'PROCESSED',
        undefined,
        ['ada', 'ada', 'ada'],
      ])
      const { json } = await call(app, 'POST', '/automations/simulate', { body: { automation: { steps } } })
      expect(json.warnings).toEqual([
        'automation.steps.0.duration is ignored beside `until`.',
        'automation.steps.1.idempotency_expiry is neither a timestamp nor a duration: the key is kept for 25 hours.',
        'automation.steps.4.message.delay.duration is ignored beside `until`.',
        'automation.steps.4.message.to.data is ignored: it is a string, not an object.',
      ])
    })
  })
})
