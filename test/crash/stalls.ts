/** Messages that block the process, among others: it is killed, or kills itself, and started again until all have ended. */
import { setTimeout as pause } from 'node:timers/promises'
import { createLog } from '@postrider/server/internal/base/log'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { voidEveryLease } from '@postrider/server/internal/database/queues'
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
  /** The log of each process. */
  logs: string[]
  /** How each of them ended. */
  ends: (number | NodeJS.Signals)[]
}

const KEY = 'pk_prod_0123456789abcdefghijklmnopqrstuvwxyz'
const GOOD = 30
/** Two stalls each, and one start to end the last of them. */
const startsMax = (poison: number) => 2 * poison + 1

/** Whether a process whose poison message is counted is killed now, by its log; for the n-th start. */
type Impatience = (start: number, log: string) => boolean

/**
 * Processes that stand still are killed, as by a probe from outside, once the stall of their message is counted.
 * The failpoint holds the process for ever when it decides a message to a recipient that begins with `poison`.
 */
export async function runStalls(poison: number, isOutOfPatience: Impatience): Promise<StallReport> {
  const env = {
    ...(await databaseEnvironment()),
    POSTRIDER_API_KEY: KEY,
    POSTRIDER_LEASE_SECONDS: '10',
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
    const report: StallReport = { messages: [], logs: [], ends: [] }
    const isOver = async () => {
      const { rows } = await engine.run({ text: 'select 1 from messages where due_at is not null limit 1', values: [] })
      return rows.length === 0
    }
    for (let start = 1; start <= startsMax(poison) && !(await isOver()); start += 1) {
      const server = await startServer({ env: { ...env, POSTRIDER_FAILPOINT: 'stand-still:poison' } })
      await liveOn(server, { isOutOfPatience: (log) => isOutOfPatience(start, log), poisonIds, isOver })
      server.kill('SIGKILL')
      report.ends.push(await server.exited)
      await voidEveryLease(engine, Date.now())
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
  isOutOfPatience(log: string): boolean
  poisonIds: string[]
  isOver(): Promise<boolean>
}

/** Returns when all messages have ended, the process has, or patience with it. */
async function liveOn(server: ServerProcess, { isOutOfPatience, poisonIds, isOver }: Life): Promise<void> {
  let hasEnded = false
  void server.exited.then(() => {
    hasEnded = true
  })
  // On a busy machine others are counted too, until they turn out to be slow only.
  const stall = new RegExp(`"event":"message.stalled","message":"(?:${poisonIds.join('|')})"`)
  const isKilledNow = (log: string) => stall.test(log) && isOutOfPatience(log)
  while (!hasEnded && !isKilledNow(server.output()) && !(await isOver())) await pause(100)
}
