/** `npm run fuzz -- --requests 1000000 --engine local --seed 1`, `npm run fuzz -- --part time`: a long run from the command line. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { describeSlow, familiesWithLargeValues, searchForTime } from '../slow-inputs/families.ts'
import { startPostgres } from '../support/postgres.ts'
import { run } from './campaign.ts'
import { PING_MS_MAX, problemsOf } from './report.ts'
import { startTestedServer } from './tested-server.ts'

const usage =
  'npm run fuzz -- [--part all|time|requests] [--draws 300] [--requests 100000] [--engine local|postgres] [--seed 1]'
const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    part: { type: 'string', default: 'all' },
    draws: { type: 'string', default: '300' },
    requests: { type: 'string', default: '100000' },
    engine: { type: 'string', default: 'local' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})

if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit()
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

async function openPlace(): Promise<{ env: Record<string, string>; close(): Promise<void> }> {
  if (values.engine === 'postgres') {
    const server = await startPostgres()
    const secret = randomBytes(32).toString('base64')
    return {
      env: { POSTRIDER_DATABASE_URL: server.url, POSTRIDER_SECRET_KEY: secret },
      close: () => server.stop(),
    }
  }
  if (values.engine !== 'local') throw new Error('--engine is local or postgres')
  const folder = await mkdtemp(join(tmpdir(), 'postrider-fuzz-'))
  return { env: { POSTRIDER_DATA_DIR: folder }, close: () => rm(folder, { recursive: true, force: true }) }
}

/** The longest time that a call may block the process, whatever a caller wrote. */
const CALL_MS_MAX = 250

function searchTime(): string[] {
  print(
    `${values.draws} inputs for each thing that reads what callers write, grown to their bounds, seed ${values.seed}`,
  )
  const options = { draws: Number(values.draws), seed: Number(values.seed), msMax: CALL_MS_MAX, progress: print }
  const slow = searchForTime(familiesWithLargeValues, options).filter(({ ms }) => ms > CALL_MS_MAX)
  return slow.map(describeSlow)
}

async function sendRequests(): Promise<string[]> {
  const place = await openPlace()
  try {
    print(`${values.requests} requests on ${values.engine}, seed ${values.seed}`)
    const subject = await startTestedServer(place.env)
    const early = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => early.abort())
    const report = await run({
      url: subject.url,
      apiKey: subject.apiKey,
      requests: Number(values.requests),
      seed: Number(values.seed),
      heldBytes: subject.heldBytes,
      runQueueMs: subject.runQueueMs,
      progress: print,
      signal: AbortSignal.any([early.signal, subject.ended]),
    })
    const { requests, seconds, slowestPingMs, byStatus } = report
    const problems = problemsOf(report, await subject.stop())
    if (slowestPingMs > PING_MS_MAX) problems.push(`/livez took ${slowestPingMs} ms`)
    print(`${requests} requests in ${seconds} s; /livez took ${slowestPingMs} ms at most; ${JSON.stringify(byStatus)}`)
    return problems
  } finally {
    await place.close()
  }
}

if (!['all', 'time', 'requests'].includes(values.part)) throw new Error('--part is time, requests or all')
const problems = [
  ...(values.part === 'requests' ? [] : searchTime()),
  ...(values.part === 'time' ? [] : await sendRequests()),
]
for (const problem of problems) print(problem)
process.exitCode = problems.length > 0 ? 1 : 0
