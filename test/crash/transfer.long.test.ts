/**
 * Exports and imports killed at named points and at any time, and run again: every row once, what waited delivered
 * once.
 * @module-tag safety
 */
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FailpointName } from '@postrider/server/internal/base/failpoint'
import { seededRandom } from '@postrider/server/internal/base/seeded-random.harness'
import { describe, expect, onTestFinished, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
import { contentsOf, execute, type Installation, newInstallation } from '../support/installation.ts'
import { startRecorder } from '../support/peers/recorder.ts'
import { spawnServer, startServer } from '../support/process.ts'
import { defineCrash, REPLY_MS } from './prepare-campaign.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnop'
const waiting = 40

/** A start of the command takes most of a second, and what it does here about another one. */
const RANDOM_KILLS = 4
const KILL_AFTER_MS = { least: 400, most: 2_500 }

interface PlannedCrash {
  failpoint?: `${FailpointName}:${number}`
  afterMs?: number
}

/** Resolves with how the process ended. */
async function transfer(args: string[], installation: Installation, { failpoint, afterMs }: PlannedCrash = {}) {
  const env = { ...installation, ...(failpoint && { POSTRIDER_FAILPOINT: failpoint }) }
  const child = await spawnServer({ args, env })
  if (afterMs !== undefined) {
    await Promise.race([child.exited, pause(afterMs)])
    child.kill('SIGKILL')
  }
  return { end: await child.exited, output: child.output() }
}

/** Runs it again and again, to its end: each run is killed as planned, the last one is not. */
async function killedAgainAndAgain(args: string[], installation: Installation, points: PlannedCrash[], seed: number) {
  const { between, shuffled } = seededRandom(seed)
  const random = Array.from({ length: RANDOM_KILLS }, () => ({
    afterMs: between(KILL_AFTER_MS.least, KILL_AFTER_MS.most),
  }))
  let kills = 0
  for (const crash of [...points, ...shuffled(random)]) {
    const { end, output } = await transfer(args, installation, crash)
    // Once it is done, a run ends before it can be killed.
    if (end === 'SIGKILL') kills += 1
    else expect(end, output).toBe(0)
  }
  const { end, output } = await transfer(args, installation)
  expect(end, output).toBe(0)
  return kills
}

const points = (...names: NonNullable<PlannedCrash['failpoint']>[]) => names.map((failpoint) => ({ failpoint }))

/** Rows for some more chunks: two MB each, not compressible. */
const wide = `insert into mailbox select '1-0000000' || to_hex(n) || '-wide', 1, 'm', 'email', 'r', n,
  (select string_agg(md5(n || ' ' || i), '') from generate_series(1, 65536) i) from generate_series(1, 15) n`

describe('an installation whose server was killed', () => {
  test('moves through killed exports and imports, and loses and repeats nothing', async () => {
    const source = await newInstallation()
    const target = await newInstallation()
    const folder = join(await mkdtemp(join(tmpdir(), 'postrider-move-')), 'move')
    const recorder = await startRecorder()
    onTestFinished(() => recorder.close())
    // While the source runs, its provider never answers: everything is leased when it is killed.
    recorder.answer(() => true, { instead: 'hang' })
    const settings = { POSTRIDER_API_KEY: apiKey, POSTRIDER_ALLOW_PRIVATE_NETWORK: 'true', POSTRIDER_LOG_LEVEL: 'warn' }
    // Longer than the move takes: only an import makes free what the dead server had leased.
    const server = await startServer({ env: { ...source, ...settings, POSTRIDER_LEASE_SECONDS: '600' } })
    await defineCrash(server.url, apiKey, recorder.url)
    const ids = await Promise.all(
      Array.from({ length: waiting }, async (_, send) => {
        const body = { event: 'crash', recipient: `recipient-${send}`, data: { send } }
        return (await mustCall(apiCaller(server.url, apiKey, REPLY_MS), 'POST', '/send', body)).messageId as string
      }),
    )
    await recorder.waitForCount(waiting)
    server.kill('SIGKILL')
    await server.exited
    await execute(source, wide)

    const exportKills = await killedAgainAndAgain(
      ['export', folder],
      source,
      points('after-export-mark:1', 'mid-export:1', 'after-export-chunk:3', 'mid-export:5', 'before-export-end:1'),
      1,
    )
    const importKills = await killedAgainAndAgain(
      ['import', folder],
      target,
      points(
        'mid-migration:9',
        'after-import-mark:1',
        'mid-import:1',
        'after-import-chunk:1',
        'after-import-chunk:4',
        'mid-import:6',
        'before-import-end:1',
      ),
      2,
    )
    // The named ones for certain.
    expect(exportKills).toBeGreaterThanOrEqual(5)
    expect(importKills).toBeGreaterThanOrEqual(7)

    const leftOut = ['lease', 'due_at']
    expect(await contentsOf(target, leftOut)).toEqual(await contentsOf(source, leftOut))
    const arrived = recorder.all.length
    expect(arrived).toBe(waiting)

    recorder.answer(() => true, { status: 200 })
    const moved = await startServer({ env: { ...target, ...settings } })
    onTestFinished(() => moved.kill('SIGKILL'))
    await recorder.waitForCount(2 * waiting)
    moved.kill('SIGTERM')
    expect(await moved.exited).toBe(0)
    const delivered = recorder.all
      .slice(arrived)
      .map(({ body }) => (JSON.parse(body) as { messageId: string }).messageId)
    expect(delivered.toSorted()).toEqual(ids.toSorted())
  })

  test('a half imported database does not start, and takes no other export', async () => {
    const folders: string[] = []
    for (const _ of [1, 2]) {
      const source = await newInstallation()
      const server = await startServer({ env: { ...source, POSTRIDER_LOG_LEVEL: 'warn' } })
      server.kill('SIGTERM')
      await server.exited
      const folder = join(await mkdtemp(join(tmpdir(), 'postrider-move-')), 'move')
      expect((await transfer(['export', folder], source)).end).toBe(0)
      folders.push(folder)
    }
    const [first = '', second = ''] = folders
    const target = await newInstallation()
    expect((await transfer(['import', first], target, { failpoint: 'mid-import:3' })).end).toBe('SIGKILL')
    const start = await transfer(['serve'], target)
    expect(start.end).toBe(1)
    expect(start.output).toContain(`postrider import ${first}`)
    const other = await transfer(['import', second], target)
    expect(other.end).toBe(2)
    expect(other.output).toContain(`unfinished import of another export (${first})`)
    expect((await transfer(['export', second], target)).output).toContain('is not finished')
    expect((await transfer(['import', first], target)).end).toBe(0)
    const server = await startServer({ env: target })
    server.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  })
})
