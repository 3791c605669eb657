/** Keys of steps: a key is sent for once, whichever run uses it, and mock keys leave real ones alone. */
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'

withApp((open) => {
  let app: App
  let mock: string
  beforeAll(async () => {
    app = await open()
    mock = (await app.key('mock')).apiKey
    for (const user of ['ada', 'bob'])
      await app.call('POST', `/profiles/${user}`, { body: { profile: { email: `${user}@example.com` } } })
    await app.call('PUT', '/lists/team', { body: { name: 'Team' } })
    await app.call('PUT', '/lists/team/subscriptions', {
      body: { recipients: [{ recipientId: 'ada' }, { recipientId: 'bob' }] },
    })
  })

  const invoke = async (steps: object[], options: { apiKey?: string; token?: string } = {}) => {
    const { token, ...key } = options
    const automation = { steps, ...(token !== undefined && { cancelation_token: token }) }
    const { json } = await app.call('POST', '/automations/invoke', { body: { automation }, ...key })
    return json.runId as string
  }
  const run = async (id: string) => (await app.call('GET', `/automations/runs/${id}`)).json
  const done = (id: string) =>
    until(
      () => run(id),
      ({ status }) => status === 'PROCESSED',
    )
  const firstStep = async (id: string) => (await app.call('GET', `/automations/runs/${id}/steps`)).json.steps[0]
  const messages = async (event: string, count: number) => {
    const all = async () =>
      (await app.call('GET', '/messages')).json.results.filter((message: { event: string }) => message.event === event)
    return until(all, ({ length }) => length >= count)
  }
  const simulated = async (steps: object[], times: number) => {
    const ids = await Promise.all(Array.from({ length: times }, () => invoke(steps)))
    for (const id of ids) await done(id)
    return Promise.all(ids.map(firstStep))
  }

  test('to a list is sent once, by any number of concurrent runs', async () => {
    const steps = await simulated(
      [{ action: 'send-list', list: 'team', template: 'to-list', idempotency_key: 'list-1' }],
      5,
    )
    expect(new Set(steps.map(({ result }) => result.requestId)).size).toBe(1)
    expect(steps.filter(({ result }) => result.key_used)).toHaveLength(4)
    await simulated([{ action: 'send-list', list: 'team', template: 'to-list', idempotency_key: 'list-2' }], 1)
    expect(await messages('to-list', 4)).toHaveLength(4)
  })

  test('to many is sent once', async () => {
    const message = { to: [{ user_id: 'ada' }, { user_id: 'bob' }], template: 'to-many' }
    const steps = await simulated([{ action: 'send', message, idempotency_key: 'many-1' }], 3)
    expect(steps.filter(({ result }) => result.key_used)).toHaveLength(2)
    await simulated([{ action: 'send', message, idempotency_key: 'many-2' }], 1)
    expect(await messages('to-many', 4)).toHaveLength(4)
  })

  test('to each of a list with data of their own is sent once', async () => {
    const peer = await startRecorder()
    peer.answer('/data', { body: { a: 2 } })
    const source = { webhook: { url: `${peer.url}/data` } }
    const step = { action: 'send-list', list: 'team', template: 'with-data', data_source: source }
    await simulated([{ ...step, idempotency_key: 'data-1' }], 2)
    await until(
      async () => peer.all.length,
      (count) => count === 4,
    )
    await simulated([{ ...step, idempotency_key: 'data-2' }], 1)
    const sent = await messages('with-data', 4)
    expect(sent.map(({ listId }: { listId: string }) => listId)).toEqual(Array(4).fill('team'))
    await peer.close()
  })

  test('a step whose key was used refers to the message that has it', async () => {
    const send = { action: 'send', template: 'once', recipient: 'ada', idempotency_key: 'once-1', ref: 'mail' }
    const after = { action: 'send', template: 'after', recipient: 'ada', if: 'refs.mail.status_name !== null' }
    const steps = await simulated([send, { action: 'delay', duration: '1 second' }, after], 3)
    const [message] = await messages('once', 1)
    expect(steps.map(({ message_id }) => message_id)).toEqual([message.id, message.id, message.id])
    expect(steps.filter(({ reason }) => reason?.includes('key was used'))).toHaveLength(2)
    expect(await messages('after', 3)).toHaveLength(3)
  })

  test('a step whose key was used for another recipient ends its run with an error', async () => {
    const send = { action: 'send', template: 'person', recipient: { $ref: 'data.user' }, idempotency_key: 'person-1' }
    const address = { action: 'send', message: { to: { email: '${data.user}@example.com' }, template: 'person' } }
    const team = { action: 'send-list', list: '${data.user}', template: 'person', idempotency_key: 'person-3' }
    for (const step of [send, { ...address, idempotency_key: 'person-2' }, team]) {
      const started = async (user: string, more: object = {}) => {
        const { json } = await app.call('POST', '/automations/invoke', {
          body: { automation: { steps: [step] }, data: { user, ...more } },
        })
        return until(
          () => run(json.runId),
          ({ status }) => status !== 'PROCESSING',
        )
      }
      expect(await started('ada')).toMatchObject({ status: 'PROCESSED' })
      expect(await started('bob')).toMatchObject({
        status: 'ERROR',
        error: expect.stringContaining('idempotency_key was used for another recipient'),
      })
      // The same person once more, with other data: sent once, as the key says.
      const again = await started('ada', { other: 1 })
      expect(again).toMatchObject({ status: 'PROCESSED' })
      expect((await firstStep(again.runId)).result.key_used).toBe(true)
    }
  })

  test('keys of each kind and each workspace count and collect separately', async () => {
    const other = (await app.key('published', 'test')).apiKey
    const steps = [
      { action: 'throttle', max_allowed: 1, period: 'PT1H' },
      { action: 'add-to-batch', batch_id: 'all', max_items: 2, wait_period: 'PT1H' },
    ]
    const stands = async (apiKey: string) => {
      const id = await invoke(steps, { apiKey })
      const look = async () => (await app.call('GET', `/automations/runs/${id}`, { apiKey })).json.status
      return until(look, (status) => status !== 'PROCESSING')
    }
    const { apiKey } = app
    for (const key of [apiKey, mock, other]) expect(await stands(key)).toBe('WAITING')
    for (const key of [apiKey, mock, other]) expect(await stands(key)).toBe('THROTTLED')
  })

  test('a run of a mock key uses no real step key, and its tokens end no real run', async () => {
    const send = { action: 'send', template: 'mocked', recipient: 'ada', idempotency_key: 'mock-1' }
    const waiting = await invoke([{ action: 'delay', duration: '1 hour' }], { token: 'shared' })
    await done(await invoke([send, { action: 'cancel', cancelation_token: 'shared' }], { apiKey: mock }))
    const [step] = await simulated([send], 1)
    expect(step.result.key_used).toBeUndefined()
    expect(await messages('mocked', 2)).toHaveLength(2)
    expect((await run(waiting)).status).not.toBe('CANCELED')
    await done(await invoke([{ action: 'cancel', cancelation_token: 'shared' }]))
    expect((await run(waiting)).status).toBe('CANCELED')
  })
})
