/** A missing value in a field that identifies something ends the run with an error that names the field; text may miss values. */
import { describe, expect, test } from 'vitest'
import { simulateRuns } from '../simulation/simulate-runs.harness.ts'

const content = { title: 'Hi', body: 'There' }
const hello = { action: 'send', template: 'hello', recipient: 'ada' }
const to = (to: unknown) => ({ action: 'send', message: { to, content } })
const webhook = { url: 'https://shop.example/users/${data.k}', method: 'DELETE' }

describe.each<[string, object]>([
  ['idempotency_key', { ...hello, idempotency_key: 'w/${data.k}' }],
  ['recipient', { ...hello, recipient: 'user-${data.k}' }],
  ['recipient', { ...hello, recipient: '${data.k}' }],
  ['template', { ...hello, template: 'hello-${data.k}' }],
  ['message.to.user_id', to({ user_id: 'u-${data.k}' })],
  ['message.to.email', to({ user_id: 'u', email: '${data.k}' })],
  ['message.to.user_id', to([{ user_id: 'a' }, { user_id: 'u-${data.k}' }])],
  ['message.to.list_id', to({ list_id: 'l-${data.k}' })],
  ['list', { action: 'send-list', list: 'l-${data.k}', template: 'hello' }],
  [
    'data_source.webhook.url',
    { action: 'send-list', list: 'l', template: 'hello', data_source: { webhook: { url: webhook.url } } },
  ],
  ['webhook.url', { action: 'fetch-data', webhook: webhook }],
  [
    'idempotency_key',
    { action: 'fetch-data', webhook: { url: 'https://shop.example' }, idempotency_key: 'f-${data.k}' },
  ],
  ['recipient_id', { action: 'update-profile', recipient_id: 'u-${data.k}', profile: { a: 1 } }],
  ['user_id', { action: 'get-profile', user_id: 'u-${data.k}' }],
  [
    'throttle_key',
    { action: 'throttle', max_allowed: 1, period: 'PT1H', scope: 'dynamic', throttle_key: 'o/${data.k}' },
  ],
  ['throttle_key', { action: 'throttle', max_allowed: 1, period: 'PT1H', scope: 'dynamic', throttle_key: '${data.k}' }],
  ['batch_key', { action: 'add-to-batch', wait_period: 'PT1H', scope: 'dynamic', batch_key: 'o/${data.k}' }],
  ['batch_id', { action: 'add-to-batch', wait_period: 'PT1H', batch_id: 'b-${data.k}' }],
  ['cancelation_token', { action: 'cancel', cancelation_token: 't/${data.k}' }],
  ['profile.user_id', { action: 'send', template: 'hello', profile: { user_id: 'u-${data.k}' } }],
  ['context.recipient', { action: 'invoke', template: 't', context: { recipient: 'u-${data.k}' } }],
  ['context.template', { action: 'invoke', template: 't', context: { template: 'hello-${data.k}' } }],
  ['context.brand', { action: 'invoke', template: 't', context: { brand: 'b-${data.k}' } }],
  ['context.profile.user_id', { action: 'invoke', template: 't', context: { profile: { user_id: 'u-${data.k}' } } }],
  ['subscription_topic_id', { action: 'add-to-digest', subscription_topic_id: 't-${data.k}' }],
])('a missing value in %s of %j', (field, step) => {
  test.each([
    ['of nothing', {}, 'leads to no value'],
    ['of null', { k: null }, 'leads to no value'],
    ['of an empty text', { k: '' }, 'is empty'],
  ])('%s ends the run before anything is done', async (_what, data, problem) => {
    const requests: string[] = []
    const store = {
      sendRequest: async ({ url }: { url: string }) => {
        requests.push(url)
        return { kind: 'http', status: 200, headers: {}, body: '{}' }
      },
    }
    const simulated = await simulateRuns(
      [step, hello] as never,
      [{ context: { recipient: 'ada', data } }],
      store as never,
    )
    expect(simulated.run(0).error).toContain(`${field} holds \`data.k\`, which ${problem}`)
    expect([simulated.sends, simulated.requests, requests]).toEqual([[], [], []])
  })
})

describe.each<[string, object]>([
  ['recipient', { ...hello, recipient: { $ref: 'data.k' } }],
  ['template', { ...hello, template: { $ref: 'data.k' } }],
  ['message', { ...hello, message: { $ref: 'data.k' } }],
  ['message.to', to({ $ref: 'data.k' })],
  ['message.template', { action: 'send', message: { to: { user_id: 'u' }, template: { $ref: 'data.k' } } }],
  ['recipient_id', { action: 'update-list', list: 'l', operation: 'subscribe', recipient_id: { $ref: 'data.k' } }],
  ['context.recipient', { action: 'invoke', template: 't', context: { recipient: { $ref: 'data.k' } } }],
  ['context.template', { action: 'invoke', template: 't', context: { template: { $ref: 'data.k' } } }],
])('%s from a reference in %j', (field, step) => {
  test.each([{}, { k: null }, { k: '' }])('is not replaced by that of the run: %j', async (data) => {
    const context = { recipient: 'ada', template: 'hello', data }
    const simulated = await simulateRuns([step, hello] as never, [{ context }])
    expect(simulated.run(0).error).toContain(`: ${field} `)
    expect([simulated.sends, simulated.requests]).toEqual([[], []])
  })
})

test('text and data may miss values', async () => {
  const step = {
    action: 'send',
    message: {
      to: { user_id: 'ada', data: { a: 'x${data.k}' } },
      content: { title: 'T${data.k}', body: 'B' },
      data: { b: 'y${data.k}' },
    },
  }
  expect((await simulateRuns([step])).sends[0]?.send.input.data).toMatchObject({ b: 'y' })
})
