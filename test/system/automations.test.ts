/** Automations on a whole service: templates in versions, runs found and canceled, and a cancellation that always wins. */
import { beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { eachHouse, type House } from './house.ts'

eachHouse((open) => {
  let house: House
  beforeAll(async () => {
    house = await open()
  })

  const profile = { email: 'ada@example.com' }
  const send = { action: 'send', template: 'welcome' }
  const automations = () => house.client.automations
  const over = (runId: string) =>
    until(
      () => automations().run(runId),
      ({ status }) => status !== 'PROCESSING' && status !== 'WAITING',
      20_000,
    )

  test('cancelling wins against a delay that ends in the same moment', async () => {
    const steps = [{ action: 'delay', duration: '1 second' }, send]
    const runs = await Promise.all(
      Array.from({ length: 40 }, async () => {
        const { runId } = await automations().invoke({ automation: { steps }, recipient: 'raced', profile })
        return runId
      }),
    )
    const [first = ''] = runs
    const began = Date.parse((await automations().run(first)).created_at)
    await until(
      async () => Date.now() >= began + 990,
      (isClose) => isClose,
    )
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
    const { runId: after } = await automations().invoke({ automation: { steps } })
    await over(after)
    const { results } = (await house.ask('GET', '/messages?recipient=raced')).json
    const sent = results.map(({ runId }: { runId: string }) => runId)
    expect(sent.filter((id: string) => canceled.includes(id))).toEqual([])
  })

  test('two runs of one token that cancel each other: one is left', async () => {
    const steps = [
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
    const version = (name: string) => ({
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

  test('a template that could not be run is not kept', async () => {
    const put = (step: Record<string, unknown>) => automations().putTemplate('wrong', { automation: { steps: [step] } })
    await expect(put({ action: 'delay', duration: 'a while' })).rejects.toThrow('automation.steps[0].duration')
    await expect(put({ ...send, if: 'data.' })).rejects.toThrow('automation.steps[0].if')
    await expect(automations().template('wrong')).rejects.toThrow('Not Found')
  })

  test('an automation that invokes itself is stopped with its reason', async () => {
    const steps = [{ action: 'invoke', template: 'circle' }]
    await automations().putTemplate('circle', { automation: { steps } })
    await automations().invokeTemplate('circle')
    const runs = await until(
      async () => (await automations().runs({ template_id: 'circle', limit: 50 })).runs,
      (found) => found.length === 11 && found.every(({ status }) => status !== 'PROCESSING'),
    )
    expect(runs.map(({ status }) => status)).toEqual(['ERROR', ...Array<string>(10).fill('PROCESSED')])
    const [deepest] = runs
    expect((await automations().run(deepest?.run_id ?? '')).error).toContain('10 deep')
    expect(deepest?.source).toEqual([`invoke/${runs[1]?.run_id}`])
  })
})
