/**
 * Automations on a whole service: templates in versions, runs found and canceled, and a cancellation that always wins.
 */
import type { AutomationStep, AutomationTemplateInput } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { type App, withApp } from '../support/app.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { until, untilTime } from '../support/until.ts'

withApp((open) => {
  let app: App
  beforeAll(async () => {
    app = await open()
  })

  const profile = { email: 'ada@example.com' }
  const send = { action: 'send' as const, template: 'welcome' }
  const automations = () => app.client.automations
  const over = (runId: string) =>
    until(
      () => automations().run(runId),
      ({ status }) => status !== 'PROCESSING' && status !== 'WAITING',
    )

  test('canceling wins against a delay that ends at the same time', async () => {
    const steps: AutomationStep[] = [{ action: 'delay', duration: '1 second' }, send]
    const runs = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { runId } = await automations().invoke({ automation: { steps }, recipient: 'raced', profile })
        return runId
      }),
    )
    const [first = ''] = runs
    const began = Date.parse((await automations().run(first)).created_at)
    await untilTime(began + 990)
    const answers = await Promise.all(
      runs.map((id) =>
        automations()
          .cancelRun(id)
          .catch((error: unknown) => error),
      ),
    )
    const canceled = runs.filter((_, n) => !(answers[n] instanceof Error))
    for (const id of runs) expect((await over(id)).status).toBe(canceled.includes(id) ? 'CANCELED' : 'PROCESSED')
    // Later than anything that could still be written.
    const { runId: after } = await automations().invoke({ automation: { steps }, recipient: 'after' })
    await over(after)
    const { results } = (await app.call('GET', '/messages?recipient=raced')).json
    const sent = results.map(({ runId }: { runId: string }) => runId)
    expect(sent.filter((id: string) => canceled.includes(id))).toEqual([])
  })

  test('canceling a run by its id cancels the runs of its list, though it has ended itself', async () => {
    const peer = await startRecorder()
    const lists = ['l1', 'l2', 'l3']
    peer.answer('/own', { instead: 'hang' })
    for (const name of lists) await app.client.lists.subscribe('hung', name)
    const source = { webhook: { url: `${peer.url}/own` } }
    const step: AutomationStep = { ...send, action: 'send-list', list: 'hung', data_source: source }
    const { runId } = await automations().invoke({ automation: { steps: [step] } })
    const { runId: other } = await automations().invoke({ automation: { steps: [step] } })
    for (const id of [runId, other]) await over(id)
    const children = async (of: string) => {
      const { runs } = await automations().runs({ limit: 50 })
      return runs.filter(({ source }) => source.includes(`send-list/${of}`)).map(({ status }) => status)
    }
    await until(
      async () => peer.all.length,
      (count) => count === 2 * lists.length,
    )
    expect(await children(runId)).toEqual(lists.map(() => 'PROCESSING'))
    const { apiKey } = await app.key('published', 'test')
    expect((await app.call('POST', `/automations/runs/${runId}/cancel`, { apiKey })).status).toBe(404)
    expect(await automations().cancelRun(runId)).toMatchObject({ runId, status: 'PROCESSED' })
    expect(await children(runId)).toEqual(lists.map(() => 'CANCELED'))
    expect(await children(other)).toEqual(lists.map(() => 'PROCESSING'))
    expect((await app.call('POST', `/automations/runs/${runId}/cancel`)).status).toBe(409)
    await automations().cancelRun(other)
    await peer.close()
    expect((await app.call('GET', '/messages?list=hung')).json.results).toEqual([])
  })

  test('runs that write one profile at the same time all complete, and no write is lost', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `key-${n}`)
    const runs = await Promise.all(
      names.map((name) => {
        const write: AutomationStep = {
          ...{ action: 'update-profile', recipient_id: 'busy', merge: 'overwrite' },
          profile: { [name]: name },
        }
        return automations().invoke({ automation: { steps: [write] } })
      }),
    )
    for (const { runId } of runs) expect((await over(runId)).status).toBe('PROCESSED')
    const { profile } = await app.client.profiles.get('busy')
    expect(Object.keys(profile).toSorted()).toEqual(names)
  })

  test('the fields of a step override those of the run', async () => {
    const step = {
      action: 'send' as const,
      recipient: 'step-wins',
      profile: { email: 'step@example.com' },
      data: { n: 'step' },
    }
    const message = { content: { title: 'T', body: 'n={n}' } }
    const { runId } = await automations().invoke({
      automation: { steps: [{ ...step, message }] },
      ...{ recipient: 'run-loses', profile: { email: 'run@example.com' }, data: { n: 'run' } },
    })
    expect((await over(runId)).status).toBe('PROCESSED')
    const [sent] = (await automations().steps(runId)).steps.flatMap(({ message_id }) => message_id ?? [])
    const delivered = await until(
      () => app.client.messages.get(sent ?? ''),
      ({ status }) => status === 'DELIVERED',
    )
    expect(delivered).toMatchObject({ recipient: 'step-wins' })
    const output = await app.call('GET', `/messages/${sent}/output`)
    expect(output.text).toContain('n=step')
  })

  test('a recipient that leads to no value is not replaced by the one of the run', async () => {
    const steps: AutomationStep[] = [{ ...send, recipient: { $ref: 'data.unknown' } }]
    const { runId } = await automations().invoke({ automation: { steps }, recipient: 'bystander', profile })
    expect(await over(runId)).toMatchObject({
      status: 'ERROR',
      error: expect.stringContaining('(send): recipient is `data.unknown`, which leads to no value'),
    })
  })

  test('a step has an error when it went wrong, and a reason when it waits or does nothing', async () => {
    const begin = async (...steps: AutomationStep[]) => {
      const { runId } = await automations().invoke({ automation: { steps } })
      const settled = await until(
        () => automations().run(runId),
        ({ status }) => status !== 'PROCESSING',
      )
      return { status: settled.status, steps: (await automations().steps(runId)).steps }
    }
    const waiting = await begin(
      { ...send, recipient: 'ada', if: 'data.never' },
      { action: 'delay', duration: '1 hour' },
    )
    expect(waiting.status).toBe('WAITING')
    expect(waiting.steps).toMatchObject([
      { status: 'SKIPPED', reason: '`data.never` is not true' },
      { status: 'WAITING', reason: expect.stringMatching(/^waits until 2/) },
    ])
    const throttle: AutomationStep = {
      ...{ action: 'throttle', max_allowed: 1, period: 'PT1H', scope: 'dynamic', throttle_key: 'one' },
    }
    await begin(throttle)
    const throttled = await begin(throttle)
    expect(throttled.steps).toMatchObject([{ status: 'THROTTLED', reason: expect.any(String) }])
    for (const step of [...waiting.steps, ...throttled.steps]) expect(step).not.toHaveProperty('error')
    const failed = await begin({ action: 'invoke', template: 'nowhere-at-all' })
    expect(failed.steps).toMatchObject([{ status: 'ERROR', error: expect.stringContaining('nowhere-at-all') }])
    expect(failed.steps[0]).not.toHaveProperty('reason')
  })

  test('a token with a missing value matches no run', async () => {
    const automation = { steps: [send], cancelation_token: 'cart/${data.cart}' }
    const answer = await app.call('POST', '/automations/invoke', { body: { automation, recipient: 'ada' } })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining('data.cart')])
    const steps: AutomationStep[] = [{ action: 'cancel', cancelation_token: 'cart/${data.cart}' }]
    const { runId } = await automations().invoke({ automation: { steps } })
    expect(await over(runId)).toMatchObject({ status: 'ERROR', error: expect.stringContaining('data.cart') })
  })

  test.each([
    [{ action: 'delay', duration: '1 day', until: 'soon' }, 'until must be'],
    [{ action: 'throttle', max_allowed: 1, period: 'PT1H', scope: 'dynamic' }, 'throttle_key'],
    [{ action: 'add-to-batch', scope: 'dynamic' }, 'batch_key'],
  ])('a step that can never work is refused: %j', async (step, message) => {
    const answer = await app.call('POST', '/automations/invoke', { body: { automation: { steps: [step] } } })
    expect([answer.status, answer.json.message]).toEqual([400, expect.stringContaining(message)])
  })

  test('a name leads to one template: an alias cannot be the id of another template', async () => {
    const put = (id: string, alias?: string) =>
      app.call('PUT', `/automations/templates/${id}`, { body: { alias, automation: { steps: [send] } } })
    expect((await put('first-name', 'second-name')).status).toBe(200)
    expect((await put('second-name')).status).toBe(409)
    expect((await put('third-name', 'first-name')).status).toBe(409)
    expect((await put('first-name', 'second-name')).status).toBe(200)
  })

  test('two runs of one token that cancel each other: one is left', async () => {
    const steps: AutomationStep[] = [
      { action: 'cancel', cancelation_token: 'twins' },
      { action: 'delay', duration: '1 hour' },
    ]
    const automation = { steps, cancelation_token: 'twins' }
    const runs = await Promise.all(Array.from({ length: 8 }, () => automations().invoke({ automation })))
    const statuses = await until(
      () => Promise.all(runs.map(async ({ runId }) => (await automations().run(runId)).status)),
      (all) => !all.includes('PROCESSING'),
    )
    expect(statuses.toSorted()).toEqual([...Array<string>(7).fill('CANCELED'), 'WAITING'])
  })

  test('a template is invoked by id and by alias, and a run keeps the steps it was started with', async () => {
    const version = (name: string): AutomationTemplateInput => ({
      ...{ name, alias: 'hello-there' },
      automation: {
        steps: [
          { action: 'delay', duration: '1 second' },
          { ...send, ref: name },
        ],
      },
    })
    const put = (name: string) => automations().putTemplate('hello', version(name))
    expect(await put('first')).toMatchObject({ id: 'hello', alias: 'hello-there', version: 1 })
    const { runId } = await automations().invokeTemplate('hello-there', { recipient: 'ada', profile })
    expect(await put('second')).toMatchObject({ name: 'second', version: 2 })
    await expect(automations().putTemplate('other', version('third'))).rejects.toThrow('alias')
    const { results } = await automations().versions('hello')
    expect(results.map(({ version, name }) => [version, name])).toEqual([
      [2, 'second'],
      [1, 'first'],
    ])
    await automations().deleteTemplate('hello')
    await expect(automations().template('hello')).rejects.toThrow('Not Found')
    expect(await over(runId)).toMatchObject({ status: 'PROCESSED', template_id: 'hello', source: ['api'] })
    const { steps } = await automations().steps(runId)
    expect(steps).toMatchObject([{ status: 'PROCESSED' }, { status: 'PROCESSED', ref: 'first' }])
    const listed = []
    for await (const run of automations().runs({ template_id: 'hello', limit: 1 })) listed.push(run.run_id)
    expect(listed).toEqual([runId])
  })

  test('runs are counted by version, status and step, and the list names the latest of each template', async () => {
    const write = (steps: AutomationStep[]) =>
      automations().putTemplate('counted', { alias: 'counted-alias', automation: { steps } })
    const start = async (recipient: string) =>
      (await automations().invokeTemplate('counted', { recipient, profile, data: { isGood: recipient === 'good' } }))
        .runId
    const failing: AutomationStep = { action: 'invoke', template: 'there-is-none' }
    await write([{ ...send, if: 'data.isGood' }, failing])
    for (const recipient of ['good', 'other']) await over(await start(recipient))
    await write([{ action: 'delay', duration: '1 hour' }, send])
    const waiting = await start('good')
    await until(
      () => automations().run(waiting),
      ({ status }) => status === 'WAITING',
    )
    expect(await automations().progress('counted-alias', { version: 1 })).toEqual({
      ...{ version: 1, counted: 2, more: false },
      runs: [{ status: 'ERROR', count: 2 }],
      steps: [
        { position: 0, status: 'PROCESSED', count: 1 },
        { position: 0, status: 'SKIPPED', count: 1 },
        { position: 1, status: 'ERROR', count: 2 },
      ],
    })
    expect(await automations().progress('counted')).toEqual({
      ...{ version: 2, counted: 1, more: false },
      runs: [{ status: 'WAITING', count: 1 }],
      steps: [{ position: 0, status: 'WAITING', count: 1 }],
    })
    await expect(automations().progress('counted', { version: 3 })).rejects.toMatchObject({ status: 404 })
    await expect(automations().progress('uncounted')).rejects.toMatchObject({ status: 404 })
    const { templates } = await automations().templates({ limit: 100 })
    expect(templates.find(({ id }) => id === 'counted')?.latest_run).toMatchObject({ run_id: waiting, source: ['api'] })
  })

  test('the secrets of a data source are not shown with the runs it started', async () => {
    const peer = await startRecorder()
    peer.answer('/hidden', { instead: 'hang' })
    await app.client.lists.subscribe('sourced', 'ada')
    const webhook = { url: `${peer.url}/hidden`, headers: { 'x-shop': 'hidden' }, params: { token: 'hidden' } }
    const step = {
      list: 'sourced',
      template: 'welcome',
      data_source: { webhook },
      override: { slack: { body: { b: 1 } } },
    }
    const { runId } = await automations().invoke({ automation: { steps: [{ ...step, action: 'send-list' }] } })
    await over(runId)
    const { runs } = await automations().runs({ parent_run_id: runId })
    const child = runs[0]?.run_id ?? ''
    const { automation } = (await app.call('GET', `/automations/runs/${child}`)).json
    expect(JSON.stringify(automation)).not.toMatch(/hidden|\$value/)
    expect(automation.steps).toMatchObject([
      { webhook: { url: '********', headers: '********', params: { recipientId: 'ada' } } },
      { override: { slack: { body: { b: 1 } } } },
    ])
    await automations().cancelRun(runId)
    await peer.close()
  })

  test('a run that ends with an error deletes its batch in the same commit: the next run opens another', async () => {
    const writes = (key: string) => app.call('POST', '/profiles/ada', { body: { profile: { key } } })
    const collect = { action: 'add-to-batch', batch_id: 'b', wait_period: 'PT2S', category_key: '${profile.key}' }
    const invoke = async () => {
      const body = { automation: { steps: [collect] }, recipient: 'ada' }
      return (await app.call('POST', '/automations/invoke', { body })).json.runId as string
    }
    const reaches = (id: string, expected: string) =>
      until(
        async () => (await app.call('GET', `/automations/runs/${id}`)).json,
        ({ status }) => status === expected,
      )
    await writes('good')
    const opener = await invoke()
    await reaches(opener, 'WAITING')
    await writes('__proto__')
    expect(await reaches(opener, 'ERROR')).toMatchObject({ status: 'ERROR' })
    await writes('good')
    const next = await invoke()
    await reaches(next, 'WAITING')
    await reaches(next, 'PROCESSED')
  })

  test('a template that could not be run is not kept', async () => {
    const put = (step: AutomationStep) => automations().putTemplate('wrong', { automation: { steps: [step] } })
    await expect(put({ action: 'delay', duration: 'a while' })).rejects.toThrow('automation.steps.0.duration')
    await expect(put({ ...send, if: 'data.' })).rejects.toThrow('automation.steps.0.if')
    await expect(automations().template('wrong')).rejects.toThrow('Not Found')
  })

  test('an automation that invokes itself is stopped with its reason', async () => {
    const steps: AutomationStep[] = [{ action: 'invoke', template: 'circle' }]
    await automations().putTemplate('circle', { automation: { steps } })
    await automations().invokeTemplate('circle')
    const runs = await until(
      async () => (await automations().runs({ template_id: 'circle', limit: 50 })).runs,
      (runs) => runs.length === 11 && runs.every(({ status }) => status !== 'PROCESSING'),
    )
    expect(runs.map(({ status }) => status)).toEqual(['ERROR', ...Array<string>(10).fill('PROCESSED')])
    const [deepest] = runs
    expect((await automations().run(deepest?.run_id ?? '')).error).toContain('10 deep')
    expect(deepest?.source).toEqual([`invoke/${runs[1]?.run_id}`])
  })
})
