/** The documented calls about automations; the titles carry the numbers of the case list. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../../support/app.ts'
import { startRecorder } from '../../support/peers/recorder.ts'
import { until } from '../../support/until.ts'
import { call, ID, refused } from './wire.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const profile = { email: 'ada@example.com' }
  const send = { action: 'send', template: 'welcome' }
  async function invoke(steps: object[], { token, ...context }: { token?: string; [key: string]: unknown } = {}) {
    const automation = { steps, ...(token !== undefined && { cancelation_token: token }) }
    const body = { automation, recipient: 'ada', profile, ...context }
    const { status, json } = await call(app, 'POST', '/automations/invoke', { body })
    expect([status, json]).toEqual([200, { runId: expect.stringMatching(ID) }])
    return json.runId as string
  }
  const run = async (id: string) => (await call(app, 'GET', `/automations/runs/${id}`)).json
  const hasStatus = (id: string, expected: string) =>
    until(
      () => run(id),
      ({ status }) => status === expected,
    )
  const stepsOf = async (id: string) => (await call(app, 'GET', `/automations/runs/${id}/steps`)).json.steps
  /** The messages of the runs that are found among the newest. */
  const messagesOf = async (...ids: string[]) => {
    const { results } = (await call(app, 'GET', '/messages')).json
    return results.filter(({ runId }: { runId?: string }) => runId !== undefined && ids.includes(runId))
  }

  test('case 47: a step is done when its `if` holds, else the run continues without it', async () => {
    const steps = [{ ...send, if: "data.foo === 'send-it'" }]
    const [matching, other] = [
      await invoke(steps, { data: { foo: 'send-it' } }),
      await invoke(steps, { data: { foo: 'no' } }),
    ]
    for (const id of [matching, other]) await hasStatus(id, 'PROCESSED')
    expect(await messagesOf(matching)).toMatchObject([{ recipient: 'ada', event: 'welcome' }])
    expect(await messagesOf(other)).toEqual([])
    expect(await stepsOf(matching)).toMatchObject([
      { action: 'send', status: 'PROCESSED', message_id: expect.stringMatching(ID) },
    ])
    expect(await stepsOf(other)).toMatchObject([
      { action: 'send', status: 'SKIPPED', reason: expect.stringContaining('data.foo') },
    ])
  })

  test('case 48: three runs fill a batch, and one message holds all three', async () => {
    const steps = [
      { action: 'add-to-batch', batch_id: 'likes', wait_period: 'PT1H', max_wait_period: 'PT2H', max_items: 3 },
      {
        action: 'send',
        message: {
          content: {
            title: 'Likes',
            body: '{batch.count}: {batch.items[0].like_from} {batch.items[1].like_from} {batch.items[2].like_from}',
          },
        },
      },
    ]
    const runs: string[] = []
    for (const like_from of ['Drew', 'Alex', 'Abby']) {
      runs.push(await invoke(steps, { data: { like_from } }))
      await until(
        () => stepsOf(runs.at(-1) as string),
        ([step]) => step.status !== 'PROCESSING',
      )
    }
    for (const id of runs) await hasStatus(id, 'PROCESSED')
    const sent = await messagesOf(...runs)
    expect(sent).toHaveLength(1)
    expect(sent[0].runId).toBe(runs[0])
    const kept = await until(
      async () => (await call(app, 'GET', `/mailbox?message_id=${sent[0].id}`)).json.results,
      ({ length }) => length > 0,
    )
    expect(kept[0].content).toMatchObject({ subject: 'Likes', text: expect.stringContaining('3: Drew Alex Abby') })
  })

  test('case 49: a run that waits is canceled by its token, and what it would have sent is not sent', async () => {
    const waiting = await invoke([{ action: 'delay', duration: '1 second' }, send], { token: 't1' })
    await hasStatus(waiting, 'WAITING')
    const canceling = await invoke([{ action: 'cancel', cancelation_token: 't1' }])
    await hasStatus(canceling, 'PROCESSED')
    expect((await run(waiting)).status).toBe('CANCELED')
    expect(await stepsOf(canceling)).toMatchObject([{ result: { cancelation_token: 't1', canceled: 1 } }])
    expect(await stepsOf(waiting)).toMatchObject([{ status: 'CANCELED' }, { status: 'NOT PROCESSED' }])
    const later = await invoke([{ action: 'delay', duration: '2 seconds' }])
    await hasStatus(later, 'PROCESSED')
    expect(await messagesOf(waiting)).toEqual([])
  })

  test('case 50: fetched data is merged into the data by the merge strategy', async () => {
    const peer = await startRecorder()
    peer.answer('/data', { body: { a: 2 } })
    const content = { title: 'Data', body: 'a={a} b={b}.' }
    for (const [merge_strategy, expected] of [
      ['replace', 'a=2 b={b}.'],
      ['overwrite', 'a=2 b=1.'],
      ['soft-merge', 'a=1 b=1.'],
      ['none', 'a=1 b=1.'],
    ]) {
      const fetch = { action: 'fetch-data', webhook: { url: `${peer.url}/data` }, merge_strategy }
      const id = await invoke([fetch, { action: 'send', message: { content } }], { data: { a: 1, b: 1 } })
      await hasStatus(id, 'PROCESSED')
      const [message] = await messagesOf(id)
      const kept = await until(
        async () => (await call(app, 'GET', `/mailbox?message_id=${message.id}`)).json.results,
        ({ length }) => length > 0,
      )
      expect([merge_strategy, kept[0].content.text]).toEqual([merge_strategy, expect.stringContaining(expected ?? '')])
    }
    expect(peer.all).toHaveLength(4)
    await peer.close()
  })

  test('the messages of a run are found by its id, and every word of a status is taken', async () => {
    const [threeSteps, other] = [await invoke([send, send]), await invoke([send])]
    for (const id of [threeSteps, other]) await hasStatus(id, 'PROCESSED')
    const { results } = (await call(app, 'GET', `/messages?runId=${threeSteps}`)).json
    expect(results.map(({ runId }: { runId: string }) => runId)).toEqual([threeSteps, threeSteps])
    expect((await call(app, 'GET', '/automations/runs?status=NOT%20PROCESSED')).json).toEqual({ runs: [] })
    const until9999 = await call(app, 'GET', '/automations/runs?limit=1&end_date=9999-12-31T00:00:00Z')
    expect(until9999.json.runs).toHaveLength(1)
  })

  test('messages and runs that a run started by a list are found by its id, page by page', async () => {
    const peer = await startRecorder()
    peer.answer('/data', { body: { a: 2 } })
    const recipients = Array.from({ length: 12 }, (_, n) => `reader-${n}`)
    for (const name of recipients) await call(app, 'PUT', `/lists/readers/subscriptions/${name}`, { body: {} })
    const list = { action: 'send-list', list: 'readers', template: 'welcome' }
    await call(app, 'PUT', '/automations/templates/child', { body: { automation: { steps: [send] } } })
    const id = await invoke([
      { ...list, data_source: { webhook: { method: 'GET', url: `${peer.url}/data` } } },
      { action: 'invoke', template: 'child' },
    ])
    await hasStatus(id, 'PROCESSED')
    const pages = async (path: string, of: 'runs' | 'results') => {
      const all: { id: string; run_id: string; source: string[]; status: string; runId: string; recipient: string }[] =
        []
      for (let cursor = ''; ; ) {
        const { json } = await call(app, 'GET', `${path}${cursor}`)
        all.push(...json[of])
        const next = of === 'runs' ? json.next_cursor : json.paging.cursor
        if (next === undefined) return all
        cursor = `&cursor=${encodeURIComponent(next)}`
      }
    }
    const children = await until(
      () => pages(`/automations/runs?parent_run_id=${id}&limit=5`, 'runs'),
      (runs) => runs.every(({ status }) => status === 'PROCESSED'),
    )
    const started = children.map(({ source }) => source[0]).toSorted()
    expect(started).toEqual([`invoke/${id}`, ...Array(12).fill(`send-list/${id}`)])
    const sent = await pages(`/messages?runId=${id}`, 'results')
    expect(sent.map(({ recipient }) => recipient).toSorted()).toEqual(recipients.toSorted())
    expect(new Set(sent.map(({ runId }) => runId))).toEqual(new Set([id]))
    const invoked = children.find(({ source }) => source[0] === `invoke/${id}`)?.run_id ?? ''
    expect(await pages(`/messages?runId=${invoked}`, 'results')).toMatchObject([{ runId: invoked }])
    const child = children.find(({ source }) => source[0] === `send-list/${id}`)?.run_id ?? ''
    const [, step] = await stepsOf(child)
    expect(sent.map(({ id }) => id)).toContain(step.message_id)
    await peer.close()
  })

  test('a send to a list in progress ends with the run that started it, also after that has ended', async () => {
    const hanging = createServer(() => {})
    await new Promise<void>((resolve) => hanging.listen(0, '127.0.0.1', resolve))
    const { port } = hanging.address() as AddressInfo
    for (const name of ['l1', 'l2', 'l3']) await call(app, 'PUT', `/lists/hanging/subscriptions/${name}`, { body: {} })
    const step = {
      action: 'send-list',
      list: 'hanging',
      template: 'welcome',
      data_source: { webhook: { method: 'GET', url: `http://127.0.0.1:${port}/` } },
    }
    const id = await invoke([step], { token: 'the list' })
    await hasStatus(id, 'PROCESSED')
    const children = async () => {
      const { runs } = (await call(app, 'GET', '/automations/runs')).json
      return runs.filter(({ source }: { source: string[] }) => source.includes(`send-list/${id}`))
    }
    expect((await children()).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('PROCESSING'))
    const again = await invoke([{ action: 'cancel', cancelation_token: 'the list' }])
    await hasStatus(again, 'PROCESSED')
    expect((await children()).map(({ status }: { status: string }) => status)).toEqual(Array(3).fill('CANCELED'))
    // They were asking for their data when they were canceled.
    for (const { run_id } of await children())
      expect(await stepsOf(run_id)).toMatchObject([
        { action: 'fetch-data', status: 'CANCELED' },
        { status: 'NOT PROCESSED' },
      ])
    hanging.closeAllConnections()
    hanging.close()
  })

  test('an empty list of steps, an unknown action and an unknown template are refused', async () => {
    const post = (body: object) => call(app, 'POST', '/automations/invoke', { body })
    refused(await post({ automation: { steps: [] } }), 400)
    refused(await post({ automation: {} }), 400)
    refused(await post({ automation: { steps: [{ action: 'dance' }] } }), 400)
    refused(await post({ automation: { steps: [{ action: 'cancel' }] } }), 400)
    refused(await call(app, 'POST', '/automations/nowhere/invoke', { body: {} }), 404)
  })
})
