/** The steps that read and write profiles, go over lists, start runs and collect for digests. */
import { bodyDepthMax } from '@postrider/contract'
import { describe, expect, test } from 'vitest'
import { answering, simulateRuns } from '../simulation/simulate-runs.harness.ts'

describe('update-profile', () => {
  const incoming = { name: 'Ada', address: { city: 'Graz' } }
  const storedProfile = { address: { zip: '8010', city: 'Linz' }, plan: 'pro' }

  test.each([
    ['replace', incoming],
    ['overwrite', { name: 'Ada', address: { zip: '8010', city: 'Graz' }, plan: 'pro' }],
    ['soft-merge', { name: 'Ada', address: { zip: '8010', city: 'Linz' }, plan: 'pro' }],
    ['none', storedProfile],
  ])('writes by %s what later steps and get-profile see', async (merge, expected) => {
    const steps = [
      { action: 'update-profile', recipient_id: 'ada', profile: incoming, merge },
      { action: 'get-profile', user_id: 'ada', path: 'people.owner' },
      { action: 'send', template: 'hello', recipient: 'ada' },
    ]
    const simulated = await simulateRuns(steps, [{ context: { data: { a: 1 } } }], { profiles: { ada: storedProfile } })
    expect(simulated.sent()[0]?.data).toEqual({ a: 1, people: { owner: expected } })
  })

  test.each(['draft', 'mock'] as const)('a run of a %s key changes no profile and no list', async (mode) => {
    const steps = [
      { action: 'update-profile', recipient_id: 'ada', profile: incoming },
      { action: 'update-list', list: 'news', operation: 'subscribe', recipient_id: 'ada' },
      { action: 'get-profile', user_id: 'ada', path: 'owner' },
    ]
    const profiles = { ada: storedProfile }
    const simulated = await simulateRuns(steps, [{ mode }], { profiles })
    const run = simulated.run(0)
    expect([...run.steps.values()].slice(0, 2)).toMatchObject([
      { status: 'SKIPPED', reason: `A ${mode} key changes no profile` },
      { status: 'SKIPPED', reason: `A ${mode} key changes no list` },
    ])
    expect(run.state.data).toEqual({ owner: storedProfile })
  })

  test('data that is nested too deeply ends the run with an error', async () => {
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) })
    const profile = { a: { b: { $ref: 'data' } } }
    const steps = [{ action: 'update-profile', recipient_id: 'ada', profile }]
    const simulated = await simulateRuns(steps, [{ context: { data: { a: deep(bodyDepthMax - 1) } } }])
    expect(simulated.run(0).error).toContain('nested')
  })

  test('more data than a profile may have ends the run with an error', async () => {
    const steps = [{ action: 'update-profile', recipient_id: 'ada', profile: { text: { $ref: 'data.text' } } }]
    const simulated = await simulateRuns(steps, [{ context: { data: { text: 'x'.repeat(300_000) } } }])
    expect(simulated.run(0).error).toContain('The profile would be larger')
  })
})

describe('get-profile', () => {
  test('the profile of a tenant is that of the recipient in it', async () => {
    const profiles = { ada: { role: 'reader' }, 'ada@acme': { role: 'owner' } }
    const steps = [{}, { tenant_id: 'acme' }].map((tenant) => ({
      action: 'get-profile',
      user_id: 'ada',
      path: 'p',
      ...tenant,
    }))
    for (const [n, role] of ['reader', 'owner'].entries()) {
      const simulated = await simulateRuns([steps[n] ?? {}], [{}], { profiles })
      expect(simulated.run(0).state.data).toEqual({ p: { role } })
    }
  })

  test('an unknown user adds nothing and is reported', async () => {
    const simulated = await simulateRuns(
      [{ action: 'get-profile', user_id: 'unknown', ref: 'who' }],
      [{ context: { data: { a: 1 } } }],
    )
    expect(simulated.run(0).steps.get(0)?.result).toEqual({ user_id: 'unknown', found: false })
    expect(simulated.run(0).state.data).toEqual({ a: 1 })
  })
})

describe('invoke', () => {
  test('starts the stored automation with its own context as defaults', async () => {
    const sendStep = {
      recipient: 'ops',
      template: 'alert',
      data: { a: 1, b: 1 },
      profile: { email: 'ops@example.com' },
    }
    const automation = { steps: [{ action: 'send' }], ...sendStep }
    const steps = [{ action: 'invoke', template: 'T', context: { data: { b: 2 } } }]
    const { sends } = await simulateRuns(steps, [{}], { template: async () => ({ id: 'T', automation }) })
    expect(sends[0]?.send.input).toMatchObject({
      event: 'alert',
      recipient: 'ops',
      data: { a: 1, b: 2 },
      profile: { email: 'ops@example.com' },
    })
    const withProfile = await simulateRuns(steps, [{ context: { recipient: 'ada' } }], {
      template: async () => ({ id: 'T', automation }),
    })
    expect(withProfile.sent()).toMatchObject([{ to: 'ada', event: 'alert' }])
  })
})

describe('send-list', () => {
  const list = { action: 'send-list', list: 'team', template: 'news', data: { b: 2 } }
  const subscribers = async (_list: string, after: string, limit: number) =>
    Array.from({ length: 903 }, (_, n) => `user-${String(n).padStart(4, '0')}`)
      .filter((id) => id > after)
      .slice(0, limit)

  test('is one request for the whole list', async () => {
    const { requests } = await simulateRuns([list], [{ context: { data: { a: 1 } } }])
    expect(requests).toMatchObject([
      {
        kind: 'list',
        shared: { event: 'news', data: { a: 1, b: 2 } },
        addressing: { targets: [{ kind: 'list', listId: 'team' }] },
      },
    ])
  })

  test('with a data source fetches data for each subscriber and sends with it; a subscriber without data is left out', async () => {
    const step = { ...list, data_source: { webhook: { url: 'https://shop.example/', params: { v: '1' } } } }
    const requests: string[] = []
    const simulated = await simulateRuns([step], [{ context: { data: { a: 1, evil: '${data.a}' } } }], {
      subscribers: async (name, after, limit) => (await subscribers(name, after, limit)).slice(0, after === '' ? 3 : 0),
      async sendRequest({ url }) {
        requests.push(url)
        const status = url.endsWith('user-0001') ? 404 : 200
        return { kind: 'http', status, headers: {}, body: JSON.stringify({ own: url.slice(-4) }) }
      },
    })
    expect(requests).toEqual([0, 1, 2].map((n) => `https://shop.example/?v=1&recipientId=user-000${n}`))
    expect(simulated.sent()).toMatchObject([
      { to: 'user-0000', event: 'news', data: { a: 1, b: 2, evil: '${data.a}', own: '0000' } },
      { to: 'user-0002', data: { own: '0002' } },
    ])
    expect(simulated.sends[0]?.send.marks).toMatchObject({ listId: 'team' })
  })

  test('goes over a long list page by page', async () => {
    const step = { ...list, data_source: { webhook: { url: 'https://shop.example/' } } }
    const simulated = await simulateRuns([step], [{}], { subscribers, sendRequest: answering({}) })
    expect(simulated.run(0).steps.get(0)).toMatchObject({ status: 'PROCESSED', result: { runs: 903 } })
    expect(simulated.runs.size).toBe(904)
    expect(simulated.run(0).state.taken).toBe(1)
  })
})

describe('invoke', () => {
  const template = async (name: string) =>
    name === 'again'
      ? { id: 'AGAIN', automation: { steps: [{ action: 'send' }, { action: 'invoke', template: 'again' }] } }
      : undefined

  test('starts a run with the context of this one below its own, and guards against a chain without end', async () => {
    const steps = [{ action: 'invoke', template: 'again', ref: 'child', context: { recipient: 'bob', data: { b: 2 } } }]
    const context = { recipient: 'ada', template: 'hello', data: { a: 1 } }
    const simulated = await simulateRuns(steps, [{ context }], { template })
    expect(simulated.sent()[0]).toMatchObject({ to: 'bob', event: 'hello', data: { a: 1, b: 2 } })
    expect(simulated.sent()).toHaveLength(10)
    expect([...simulated.runs.values()].at(-1)).toMatchObject({
      status: 'ERROR',
      error: 'steps.1 (invoke): Runs may start runs at most 10 deep',
      start: { templateId: 'AGAIN', depth: 10 },
    })
  })

  test('a missing automation ends the run with an error', async () => {
    expect((await simulateRuns([{ action: 'invoke', template: 'gone' }])).run(0).error).toContain(
      'Unknown automation template `gone`',
    )
  })

  test('starts so many runs a minute and no more', async () => {
    const many = { steps: Array(100).fill({ action: 'invoke', template: 'leaf' }) }
    const leaf = { steps: [{ action: 'cancel', cancelation_token: 'none' }] }
    const named = async (name: string) => ({ id: name, automation: name === 'many' ? many : leaf })
    const simulated = await simulateRuns(Array(8).fill({ action: 'invoke', template: 'many' }), [{}], {
      template: named,
    })
    expect(simulated.runs.size).toBe(601)
    expect([...simulated.runs.values()].find(({ error }) => error)?.error).toContain(
      'More than 600 runs were started within a minute',
    )
  })
})

test('every started run has the mode, the workspace and the root of its starter, and a depth of one more', async () => {
  const source = { webhook: { url: 'https://shop.example/' } }
  const steps = [
    { action: 'invoke', template: 'leaf' },
    { action: 'send-list', list: 'team', template: 'news', data_source: source },
  ]
  const leaf = { steps: [{ action: 'cancel', cancelation_token: 'none' }] }
  const simulated = await simulateRuns(steps, [{ mode: 'mock', workspaceId: 7 }], {
    template: async () => ({ id: 'leaf', automation: leaf }),
    subscribers: async (_list, after) => (after === '' ? ['ada'] : []),
    sendRequest: answering({}),
  })
  const [parent, ...children] = [...simulated.runs.values()].map(({ start }) => start)
  expect(children).toHaveLength(2)
  for (const child of children)
    expect(child).toMatchObject({ mode: 'mock', workspaceId: 7, root: parent?.id, depth: 1 })
  expect(simulated.sends.map(({ send: { mode, workspaceId } }) => [mode, workspaceId])).toEqual([['mock', 7]])
})

describe('add-to-digest', () => {
  test('needs a recipient', async () => {
    const steps = [{ action: 'add-to-digest', subscription_topic_id: 'T' }]
    expect((await simulateRuns(steps)).run(0).status).toBe('ERROR')
    expect((await simulateRuns(steps, [{ context: { recipient: 'ada' } }])).run(0).status).toBe('PROCESSED')
  })

  test('a topic without a digest ends the run with the reason', async () => {
    const digestProblem = async (topicId: string, data: object) => `${topicId} takes no ${JSON.stringify(data)}`
    const steps = [{ action: 'add-to-digest', subscription_topic_id: 'T' }]
    const simulated = await simulateRuns(steps, [{ context: { recipient: 'ada', data: { a: 1 } } }], { digestProblem })
    expect(simulated.run(0)).toMatchObject({ status: 'ERROR', error: expect.stringContaining('T takes no {"a":1}') })
  })

  test('for a recipient who opted out is skipped, and the run continues', async () => {
    const digestOptOut = async (topicId: string, recipient: string) => `${recipient} opted out of ${topicId}`
    const steps = [
      { action: 'add-to-digest', subscription_topic_id: 'T' },
      { action: 'send', template: 'x' },
    ]
    const simulated = await simulateRuns(steps, [{ context: { recipient: 'ada' } }], { digestOptOut })
    expect(simulated.run(0).steps.get(0)).toMatchObject({
      status: 'SKIPPED',
      reason: 'ada opted out of T',
      result: { subscription_topic_id: 'T', collected: false },
    })
    expect(simulated.run(0).steps.get(0)).not.toHaveProperty('messageIds')
    expect(simulated.statuses(0)).toEqual(['SKIPPED', 'PROCESSED'])
  })
})
