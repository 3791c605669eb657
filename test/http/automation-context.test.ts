/** A template to send is required where a run is started; faults beside the steps are named. */
import { describe, expect, test } from 'vitest'
import { content, hello, withAutomationCalls } from './automation-calls.ts'

const wait = { action: 'delay', duration: '1 day' }

withAutomationCalls(({ call, answerTo, invoke, simulate }) => {
  describe.each<[string, object, object, string]>([
    ['a send of nothing', { action: 'send', recipient: 'ada' }, { template: 'welcome' }, 'template'],
    [
      'a message without words',
      { action: 'send', message: { to: { user_id: 'ada' } } },
      { template: 'welcome' },
      'template',
    ],
    ['a list that is sent nothing', { action: 'send-list', list: 'l' }, { template: 'welcome' }, 'template'],
  ])('%s', (_what, step, context, field) => {
    const message = `automation.steps.1.${field} is required: neither the step nor the run has one`
    const automation = { steps: [wait, step] }

    test('is refused unless the run has the field that the step lacks', async () => {
      expect(await Promise.all([invoke(automation), simulate(automation)])).toEqual([
        [400, message],
        [400, message],
      ])
      expect(await invoke(automation, context)).toEqual([200, undefined])
      expect(await invoke({ ...automation, ...context })).toEqual([200, undefined])
    })

    test('is stored as a template, whose run may have the field or ends with an error', async () => {
      const id = `with-${field}`
      expect((await answerTo('PUT', `/automations/templates/${id}`, { automation }))[0]).toBe(200)
      expect(await answerTo('POST', `/automations/${id}/invoke`, {})).toEqual([200, undefined])
      expect((await answerTo('POST', '/automations/simulate', { template_id: id }))[0]).toBe(200)
      expect(await answerTo('POST', `/automations/${id}/invoke`, context)).toEqual([200, undefined])
    })
  })

  test.each<[string, object]>([
    ['a send', { action: 'send', template: 'welcome' }],
    ['a message', { action: 'send', message: { content } }],
    ['a digest', { action: 'add-to-digest', subscription_topic_id: 't' }],
    ['a batch', { action: 'add-to-batch', scope: 'user' }],
    ['a send with empty fields', { ...hello, recipient: '', ref: '', if: '' }],
  ])('%s without a recipient is no error of the automation: its run reports what it lacks', async (_what, step) => {
    expect(await invoke({ steps: [wait, step] })).toEqual([200, undefined])
  })

  test.each([
    [{ body: { a: '${data.a}' } }, 400],
    [{ body: {} }, 200],
    [{ method: 'GET', body: '' }, 200],
    [{ method: 'GET', body: [] }, 200],
    [{ method: 'GET', body: 'text' }, 400],
    [{ method: 'POST', body: {} }, 200],
    [{ method: '${data.method}', body: {} }, 200],
    [{ method: 'GET', body: null }, 200],
  ])('a fetch with %j is answered %i: a GET sends no body', async (more, status) => {
    const webhook = { url: 'https://shop.example/', ...more }
    const message = (at: string) => [
      status,
      status === 400 ? `${at}.body needs a \`method\` that sends one: POST, PUT, PATCH or DELETE` : undefined,
    ]
    const fetching = { steps: [{ action: 'fetch-data', webhook }] }
    expect(await invoke(fetching)).toEqual(message('automation.steps.0.webhook'))
    const listing = { steps: [{ action: 'send-list', list: 'l', template: 't', data_source: { webhook } }] }
    expect(await invoke(listing)).toEqual(message('automation.steps.0.data_source.webhook'))
  })

  test('a token that leads nowhere, a time that is none and an automation for `invoke` are named', async () => {
    const automation = { steps: [hello] }
    expect(await invoke({ ...automation, cancelation_token: { $ref: 'data.no' } })).toEqual([
      400,
      'automation.cancelation_token is `data.no`, which leads to no value',
    ])
    await answerTo('PUT', '/automations/templates/with-token', {
      automation: { ...automation, cancelation_token: 'for-${recipient}' },
    })
    expect(await answerTo('POST', '/automations/with-token/invoke', {})).toEqual([
      400,
      expect.stringMatching(/^The template: automation\.cancelation_token .*recipient/),
    ])
    const listed = await call('GET', '/automations/runs?start_date=soon')
    expect([listed.status, listed.json.message]).toEqual([400, 'start_date must be an ISO 8601 timestamp'])
    const templates = { other: { steps: [{ action: 'dance' }] } }
    expect(await answerTo('POST', '/automations/simulate', { automation, templates })).toEqual([
      400,
      expect.stringMatching(/^templates\.other\.steps\.0\.action must be one of `send`, /),
    ])
  })
})
