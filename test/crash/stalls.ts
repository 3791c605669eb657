/** Messages that block the process, among others: it is killed, or kills itself, and started again until all have ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '@postrider/server/internal/base/log'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { databaseEnvironment } from '../support/databases.ts'
import { type ServerProcess, startServer } from '../support/process.ts'

interface Ended {
  recipient: string
  status: string
  error: string | null
  stalls: number | null
}

export interface StallReport {
  messages: Ended[]
  starts: number
  /** The log of each process. */
  logs: string[]
  /** How each of them ended. */
  ends: (number | NodeJS.Signals)[]
}

const KEY = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const GOOD = 30
/** On a busy machine a process may be killed before its stall is written. */
const UNCOUNTED_MAX = 3
/** Two stalls each, and one start to end the last of them. */
export const startsMax = (poison: number) => 2 * poison + 1 + UNCOUNTED_MAX

/**
 * `patienceMs`: how long `/livez` may be silent before the process is killed; for the n-th start. The failpoint holds the
 * process for ever when it decides a message to a recipient that begins with `poison`.
 */
export async function runStalls(poison: number, patienceMs: (start: number) => number): Promise<StallReport> {
  const env = {
    ...(await databaseEnvironment()),
    POSTRIDER_API_KEY: KEY,
    POSTRIDER_LEASE_SECONDS: '2',
    POSTRIDER_LOG_LEVEL: 'warn',
  }
  const engine = await openPostgres({
    address: { connectionString: env.POSTRIDER_DATABASE_URL },
    kind: 'server',
    connectionsMax: 2,
    log: createLog('silent'),
  })
  try {
    await acceptAll(env, poison)
    const report: StallReport = { messages: [], starts: 0, logs: [], ends: [] }
    const isOver = async () => {
      const { rows } = await engine.run({ text: 'select 1 from messages where due_at is not null limit 1', values: [] })
      return rows.length === 0
    }
    while (!(await isOver()) && report.starts < startsMax(poison)) {
      report.starts += 1
      const server = await startServer({ env: { ...env, POSTRIDER_FAILPOINT: 'stand-still:poison' } })
      await liveOn(server, patienceMs(report.starts), isOver)
      server.kill('SIGKILL')
      report.ends.push(await server.exited)
      report.logs.push(server.output())
    }
    const text = 'select recipient, status, error, stalls from messages order by recipient'
    report.messages = (await engine.run<Ended>({ text, values: [] })).rows
    return report
  } finally {
    await engine.close()
  }
}

/** Taken by a node that starts none of them. */
async function acceptAll(env: Record<string, string>, poison: number): Promise<void> {
  const api = await startServer({ env: { ...env, POSTRIDER_ROLE: 'api' } })
  try {
    const recipients = Array.from({ length: GOOD }, (_, n) => [...(n < poison ? [`poison-${n}`] : []), `good-${n}`])
    for (const recipient of recipients.flat()) {
      const body = JSON.stringify({ event: 'welcome', recipient })
      const reply = await fetch(`${api.url}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}` },
        body,
      })
      if (reply.status !== 200) throw new Error(`A send was answered ${reply.status}: ${await reply.text()}`)
      await reply.text()
    }
  } finally {
    api.kill('SIGKILL')
    await api.exited
  }
}

/** Returns when all messages have ended, the process has, or it was silent for too long. */
async function liveOn(server: ServerProcess, patienceMs: number, isOver: () => Promise<boolean>): Promise<void> {
  let hasEnded = false
  void server.exited.then(() => {
    hasEnded = true
  })
  let answered = Date.now()
  while (!hasEnded && Date.now() - answered < patienceMs && !(await isOver())) {
    const isAlive = await fetch(`${server.url}/livez`, { signal: AbortSignal.timeout(500) }).then(
      (reply) => reply.text().then(() => true),
      () => false,
    )
    if (isAlive) answered = Date.now()
    await pause(100)
  }
}
