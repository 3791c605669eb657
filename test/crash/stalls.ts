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
export const UNCOUNTED_MAX = 3
/** The watchdog connects to the database first, which takes a second or two, and more on a busy machine. */
const COUNTING_MS_MAX = 20_000
/** Two stalls each, and one start to end the last of them. */
export const startsMax = (poison: number) => 2 * poison + 1 + UNCOUNTED_MAX

/**
 * `patienceMs`: how long `/livez` may be silent before the process is killed, once its stall is counted; for the n-th start.
 * The failpoint holds the process for ever when it decides a message to a recipient that begins with `poison`.
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
    const poisonIds = await acceptAll(env, poison)
    const report: StallReport = { messages: [], starts: 0, logs: [], ends: [] }
    const isOver = async () => {
      const { rows } = await engine.run({ text: 'select 1 from messages where due_at is not null limit 1', values: [] })
      return rows.length === 0
    }
    while (!(await isOver()) && report.starts < startsMax(poison)) {
      report.starts += 1
      const server = await startServer({ env: { ...env, POSTRIDER_FAILPOINT: 'stand-still:poison' } })
      await liveOn(server, { patienceMs: patienceMs(report.starts), poisonIds, isOver })
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

/** Taken by a node that starts none of them. Returns the ids of the poison messages. */
async function acceptAll(env: Record<string, string>, poison: number): Promise<string[]> {
  const api = await startServer({ env: { ...env, POSTRIDER_ROLE: 'api' } })
  try {
    const poisonIds: string[] = []
    const recipients = Array.from({ length: GOOD }, (_, n) => [...(n < poison ? [`poison-${n}`] : []), `good-${n}`])
    for (const recipient of recipients.flat()) {
      const body = JSON.stringify({ event: 'welcome', recipient })
      const reply = await fetch(`${api.url}/send`, {
        method: 'POST',
        headers: { authorization: `Bearer ${KEY}` },
        body,
      })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`A send was answered ${reply.status}: ${text}`)
      if (recipient.startsWith('poison')) poisonIds.push((JSON.parse(text) as { messageId: string }).messageId)
    }
    return poisonIds
  } finally {
    api.kill('SIGKILL')
    await api.exited
  }
}

interface Life {
  patienceMs: number
  poisonIds: string[]
  isOver(): Promise<boolean>
}

/** Returns when all messages have ended, the process has, or it was silent for too long. */
async function liveOn(server: ServerProcess, { patienceMs, poisonIds, isOver }: Life): Promise<void> {
  let hasEnded = false
  void server.exited.then(() => {
    hasEnded = true
  })
  let answered = Date.now()
  // On a busy machine others are counted too, until they turn out to be slow only.
  const stall = new RegExp(`"event":"message.stalled","message":"(?:${poisonIds.join('|')})"`)
  const isOutOfPatience = () => {
    const silentMs = Date.now() - answered
    const isCounted = stall.test(server.output())
    return silentMs >= (isCounted ? patienceMs : Math.max(patienceMs, COUNTING_MS_MAX))
  }
  while (!hasEnded && !isOutOfPatience() && !(await isOver())) {
    const isAlive = await fetch(`${server.url}/livez`, { signal: AbortSignal.timeout(500) }).then(
      (reply) => reply.text().then(() => true),
      () => false,
    )
    if (isAlive) answered = Date.now()
    await pause(100)
  }
}
