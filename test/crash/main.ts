/** `npm run crash -- --kills 300 --engine local --seed 1`: a campaign from the command line. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../support/postgres.ts'
import { delaysOf, problemsOf, run } from './campaign.ts'
import type { Place } from './fleet.ts'

const usage = 'npm run crash -- [--kills 30] [--engine local|postgres] [--seed 1] [--lease 10]'
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    kills: { type: 'string', default: '30' },
    engine: { type: 'string', default: 'local' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    lease: { type: 'string', default: '10' },
  },
})

if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit()
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

async function openPlace(): Promise<{ place: Place; close(): Promise<void> }> {
  if (values.engine === 'postgres') {
    const server = await startPostgres()
    return { place: { engine: 'postgres', url: server.url }, close: () => server.stop() }
  }
  if (values.engine !== 'local') throw new Error('--engine is local or postgres')
  const folder = await mkdtemp(join(tmpdir(), 'postrider-crash-'))
  return { place: { engine: 'local', folder }, close: () => rm(folder, { recursive: true, force: true }) }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const { place, close } = await openPlace()
try {
  print(`${values.kills} kills on ${values.engine}, lease ${values.lease} s, seed ${values.seed}`)
  const report = await run({
    place,
    kills: Number(values.kills),
    seed: Number(values.seed),
    leaseSeconds: Number(values.lease),
    progress: print,
  })
  const { verdict, kills, leftBehindMsMax, seconds } = report
  print(
    `${kills} kills in ${seconds} s: ${verdict.accepted} accepted, ${verdict.lost.length} lost, ${verdict.received} received, ${verdict.duplicates} duplicates (${verdict.unexplained.length} unexplained), takeover at most ${verdict.takeoverMsMax} ms, PostgreSQL left for at most ${leftBehindMsMax} ms`,
  )
  const problems = Object.entries({ ...problemsOf(report), ...delaysOf(report) })
  for (const [name, list] of problems) print(`${name} (${list.length}):\n  ${list.slice(0, 20).join('\n  ')}`)
  process.exitCode = problems.length > 0 ? 1 : 0
} finally {
  await close()
}
