/** Nodes over one database share circuit breakers and limits: each node has a connection of its own, as a process would. */
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { limitStates } from '@postrider/server/internal/database/tables/workspace/integration-limits'
import type { Entry, GatedIntegration, Pass } from '@postrider/server/internal/limits/gate'
import { type IntegrationGates, openIntegrationGates } from '@postrider/server/internal/limits/integration-gates'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { until } from '../support/until.ts'

const NODES = 3
const WORKSPACE = 1
const SECOND = 1_000
const log = createLog('silent')

interface Node {
  engine: Engine
  gates: IntegrationGates
}

describe('gates of three nodes', () => {
  const nodes: Node[] = []
  let first: Node
  let clock = Date.now()

  beforeAll(async () => {
    const address = { connectionString: await newMigratedDatabase() }
    const options = { log, metrics: createMetrics(), now: () => clock, random: () => 0.5, works: true, waitMs: 200 }
    for (let n = 0; n < NODES; n += 1) {
      const engine = await openPostgres({ address, kind: 'server', log, connectionsMax: 2 })
      nodes.push({ engine, gates: await openIntegrationGates({ ...options, engine }) })
    }
    first = nodes[0]!
    for (const { gates } of nodes) await gates.refresh()
  })
  afterAll(() => Promise.all(nodes.map(({ engine }) => engine.close())))

  const integrate = async (id: string, limits: GatedIntegration['limits'] = {}): Promise<GatedIntegration> => {
    await first.engine.run({
      text: `insert into integrations (workspace_id, id, provider, title, enabled, priority, settings, version, created, updated)
        values ($1, $2, 'webhook', $2, true, 0, '{}', 1, 0, 0)`,
      values: [WORKSPACE, id],
    })
    return { id, version: 1, title: id, provider: { key: 'webhook' }, limits }
  }
  const change = (id: string) =>
    first.engine.run({ text: 'update integrations set version = version + 1 where id = $1', values: [id] })
  const enter = async (node: Node, integration: GatedIntegration, isOwnAddress = true): Promise<Entry> =>
    node.gates.enter(WORKSPACE, integration, { waitMs: 200, isOwnAddress })
  const passes = (entry: Entry): entry is Pass => entry.kind === 'passed'
  const breakerOf = async ({ id }: GatedIntegration) =>
    (await limitStates(first.engine, WORKSPACE, [id])).get(id)?.breaker
  const databaseMs = async () => {
    const text = 'select extract(epoch from clock_timestamp())::float8 * 1000 as ms'
    return (await first.engine.run<{ ms: number }>({ text, values: [] })).rows[0]!.ms
  }
  const readAgain = () => Promise.all(nodes.map(({ gates }) => gates.refresh()))

  /** Every node calls until it is refused; the number of calls. */
  const callUntilRefused = async (integration: GatedIntegration, result: 'failed' | 'unreachable') => {
    let calls = 0
    await Promise.all(
      nodes.map(async (node) => {
        for (;;) {
          const entry = await enter(node, integration)
          if (!passes(entry)) return
          calls += 1
          entry.leave(result, 'it is down')
        }
      }),
    )
    return calls
  }
  /** How many of a burst at every node may start. */
  const burst = async (integration: GatedIntegration) => {
    const entries = await Promise.all(
      nodes.flatMap((node) => Array.from({ length: 10 }, () => enter(node, integration))),
    )
    return entries.filter(passes)
  }

  test('a dead provider costs twenty calls at most, and then one for each wait', async () => {
    const dead = await integrate('dead')
    expect(await callUntilRefused(dead, 'failed')).toBeLessThanOrEqual(20)
    const opened = await until(
      () => breakerOf(dead),
      (row) => row !== undefined,
    )
    expect(opened).toMatchObject({ reason: 'failures', error: 'it is down', waits: 1, probing: false })
    await readAgain()
    let at = opened!
    for (const [waits, waitMs] of [
      [2, 20 * SECOND],
      [3, 40 * SECOND],
    ] as const) {
      clock = at.probe_at - 1
      expect(await burst(dead)).toHaveLength(0)
      clock = at.probe_at
      const probes = await burst(dead)
      expect(probes).toHaveLength(1)
      probes[0]!.leave('failed', 'it is still down')
      at = (await until(
        () => breakerOf(dead),
        (row) => row?.waits === waits,
      ))!
      expect(at).toMatchObject({ probing: false, probe_at: clock + waitMs, error: 'it is still down' })
      await readAgain()
    }
  })

  test('good probes close it for all nodes', async () => {
    const healed = await integrate('healed')
    await callUntilRefused(healed, 'unreachable')
    const row = await until(
      () => breakerOf(healed),
      (breaker) => breaker !== undefined,
    )
    expect(row!.reason).toBe('connection')
    clock = row!.probe_at
    for (let good = 1; good <= 3; good += 1) {
      await readAgain()
      const [probe, ...others] = await burst(healed)
      expect(others).toEqual([])
      probe!.leave('good')
      await until(
        () => breakerOf(healed),
        (breaker) => (good < 3 ? breaker?.good === good : breaker === undefined),
      )
    }
    await readAgain()
    for (const node of nodes)
      await until(
        () => enter(node, healed),
        ({ kind }) => kind === 'passed',
      )
  })

  test('a node that dies during its probe does not keep it half open', async () => {
    const left = await integrate('left')
    await callUntilRefused(left, 'failed')
    const row = await until(
      () => breakerOf(left),
      (breaker) => breaker !== undefined,
    )
    await readAgain()
    clock = row!.probe_at
    expect(await burst(left)).toHaveLength(1)
    await readAgain()
    clock += 44 * SECOND
    expect(await burst(left)).toHaveLength(0)
    await readAgain()
    clock += 2 * SECOND
    expect(await burst(left)).toHaveLength(1)
  })

  test('a change of the integration closes it, and calls with the earlier settings do not open it again', async () => {
    const changed = await integrate('changed')
    const late = await enter(first, changed)
    const refused = await enter(first, changed)
    if (passes(refused)) refused.leave('unauthorized', '401 Unauthorized')
    await until(
      () => breakerOf(changed),
      (row) => row?.reason === 'authentication',
    )
    expect((await enter(first, changed)).kind).toBe('refused')
    await change('changed')
    expect(await breakerOf(changed)).toBeUndefined()
    const now = { ...changed, version: 2 }
    expect((await enter(first, now)).kind).toBe('passed')
    if (passes(late)) late.leave('unauthorized', '401 Unauthorized')
    expect((await enter(first, now)).kind).toBe('passed')
    expect(await breakerOf(changed)).toBeUndefined()
  })

  test("a recipient's own address neither opens it nor is held up by it", async () => {
    const integration = await integrate('own')
    for (let n = 0; n < 30; n += 1) {
      const entry = await enter(first, integration, false)
      if (passes(entry)) entry.leave('failed', 'their server is down')
    }
    expect((await enter(first, integration)).kind).toBe('passed')
    await callUntilRefused(integration, 'failed')
    expect((await enter(first, integration)).kind).toBe('refused')
    expect((await enter(first, integration, false)).kind).toBe('passed')
  })

  test('calls at a time are divided among the nodes', async () => {
    clock = Date.now()
    const narrow = await integrate('narrow', { concurrency: 5 })
    const started = await burst(narrow)
    expect(started).toHaveLength(5)
    started[0]!.leave('good')
    const refused = await enter(first, { ...narrow, limits: { concurrency: 0 } })
    expect(refused).toMatchObject({ kind: 'refused', error: expect.stringContaining('at a time') })
  })

  test('calls of a day are counted over all nodes, until the next day of UTC', async () => {
    clock = Date.UTC(2026, 10, 23, 12)
    const daily = await integrate('daily', { perDay: 7 })
    const started = await burst(daily)
    expect(started).toHaveLength(7)
    const [refused] = await Promise.all([enter(first, daily)])
    expect(refused).toMatchObject({ kind: 'refused', error: expect.stringContaining('7 per day') })
    if (refused.kind === 'refused') expect(refused.waitMs).toBeGreaterThanOrEqual(12 * 3_600_000)
    clock += 12 * 3_600_000
    expect((await enter(first, daily)).kind).toBe('passed')
    expect((await limitStates(first.engine, WORKSPACE, ['daily'])).get('daily')?.usedOn?.used).toBe(1)
  })

  test('an integration without calls for an hour leaves the metrics, unless one is in progress', async () => {
    clock = Date.now()
    const metrics = createMetrics()
    const { engine } = first
    const gates = await openIntegrationGates({
      ...{ engine, log, metrics, now: () => clock, random: () => 0.5, works: false, waitMs: 200 },
    })
    const shown = async () =>
      [...(await metrics.registry.metrics()).matchAll(/^postrider_circuit_breaker_state\{.*integration="(\w+)"/gm)]
        .map(([, id]) => id)
        .filter((id) => id === 'ended' || id === 'inProgress')
    const call = async (id: string) => gates.enter(WORKSPACE, await integrate(id), { waitMs: 200, isOwnAddress: true })
    const [ended, inProgress] = [await call('ended'), await call('inProgress')]
    if (passes(ended)) ended.leave('good')
    clock += 3_600_000
    expect(await shown()).toEqual(['ended', 'inProgress'])
    clock += 1
    expect(await shown()).toEqual(['inProgress'])
    if (passes(inProgress)) inProgress.leave('good')
    expect(await shown()).toEqual([])
  })

  test('the metrics of an idle node show the breaker as the API does: open elsewhere, changed, opened again, deleted', async () => {
    clock = Date.now()
    const lines: object[] = []
    const write = (fields: object) => lines.push(fields)
    const recordingLog = { ...{ debug: write, info: write, warn: write, error: write }, isLevelEnabled: () => true }
    const metrics = createMetrics()
    const options = { now: () => clock, random: () => 0.5, works: true, waitMs: 200 }
    await openIntegrationGates({ ...options, engine: nodes[1]!.engine, log, metrics })
    const figure = async () => {
      clock += SECOND + 1
      const name = 'postrider_circuit_breaker_state{provider="webhook",integration="backup"} '
      return (await metrics.registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.slice(name.length)
    }
    const caller = await openIntegrationGates({
      ...{ ...options, engine: first.engine, metrics: createMetrics() },
      log: { ...recordingLog, child: () => recordingLog } as unknown as typeof log,
    })
    const backup = await integrate('backup')
    const open = async (version: number) => {
      const entry = await caller.enter(WORKSPACE, { ...backup, version }, { waitMs: 200, isOwnAddress: true })
      if (passes(entry)) entry.leave('unauthorized', '401 Unauthorized')
      await until(
        () => breakerOf(backup),
        (row) => row !== undefined,
      )
    }
    // A scrape can share a read that began before the change.
    const shown = (value: string) => until(figure, (now) => now === value)
    expect(await figure()).toBeUndefined()
    await open(1)
    await shown('2')
    await until(
      async () => lines,
      () => lines.length > 0,
    )
    expect(lines).toMatchObject([
      { event: 'integration.breaker_opened', integration: 'backup', title: 'backup', provider: 'webhook' },
    ])
    await change('backup')
    await shown('0')
    await open(2)
    await shown('2')
    await first.engine.run({ text: `delete from integrations where id = 'backup'`, values: [] })
    await shown('0')
  })

  test('calls of a second are spaced over all nodes', async () => {
    clock = Date.now()
    const timer = setInterval(() => {
      clock = Date.now()
    }, 1)
    const limited = await integrate('paced', { perSecond: 100 })
    let started = 0
    const before = await databaseMs()
    await Promise.all(
      nodes.flatMap((node) =>
        Array.from({ length: 20 }, async () => {
          while (started < 150) {
            const entry = await enter(node, limited)
            if (!passes(entry)) continue
            started += 1
            entry.leave('good')
          }
        }),
      ),
    )
    clearInterval(timer)
    // The clock of the database spaces them, ten milliseconds apart; a timer may be early by one.
    expect((await databaseMs()) - before).toBeGreaterThanOrEqual((started - 1) * 10 - 1)
  })
})
