/** The watchdog's thread: samples the main thread, logs what blocks it, and records stalls in the message's row. */
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { type Activity, readActivity } from '../base/activity.ts'
import { createLog } from '../base/log.ts'
import { SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { createObserver, SAMPLE_MS, type WatchdogData, type WatchdogFinding, type WatchdogMessage } from './watchdog.ts'

/** A database that does not answer must not keep the process alive. */
const QUERY_TIMEOUT_MS = 3 * SECOND

const { memory, address, kind, logLevel } = workerData as WatchdogData
const log = createLog(logLevel)
let opened: Promise<Engine> | undefined
/** Writes in the order of the findings. */
let writes: Promise<void> = Promise.resolve()

/** The driver is loaded and connected when it is first needed: a service that never stalls starts without it. */
async function openDatabase(): Promise<Engine> {
  const { openPostgres } = await import('../database/postgres.ts')
  return openPostgres({ address, kind, connectionsMax: 1, queryTimeoutMs: QUERY_TIMEOUT_MS, log })
}
const database = () =>
  (opened ??= openDatabase().catch((err: unknown) => {
    opened = undefined
    throw err
  }))
const tables = () => import('../database/tables/messages/stalls.ts')

const post = (message: WatchdogMessage) => parentPort?.postMessage(message)

function write(activity: Activity, act: (activity: Activity) => Promise<void>): void {
  if (activity.kind !== 'message') return
  writes = writes.then(() => act(activity)).catch((err: unknown) => warn(err, activity))
}

const warn = (err: unknown, { id }: Activity) =>
  log.warn({ event: 'message.stall_not_recorded', err, message: id }, 'a stall could not be recorded')

/**
 * Tried again for as long as the message blocks the process, which may be killed at any time. The total is read once,
 * so that a write whose answer was lost is not counted twice.
 */
async function record(activity: Activity): Promise<void> {
  const { id, what } = activity
  const { countStalls, recordStalls } = await tables()
  let before: number | undefined
  for (;;) {
    try {
      const engine = await database()
      before ??= await countStalls(engine, id)
      if (before === undefined) return
      const stalls = before + 1
      await recordStalls(engine, id, { stalls, activity: what })
      log.warn({ event: 'message.stalled', message: id, activity: what, stalls }, 'a message blocks the process')
      post({ kind: 'message', messageId: id, stalls })
      return
    } catch (err) {
      if (readActivity(memory).activity?.id !== id) throw err
      warn(err, activity)
      await pause(SAMPLE_MS)
    }
  }
}

async function withdraw({ id }: Activity): Promise<void> {
  const { withdrawStall } = await tables()
  const stalls = await withdrawStall(await database(), id)
  post({ kind: 'message', messageId: id, stalls })
}

function act(finding: WatchdogFinding): void {
  switch (finding.kind) {
    case 'suspected':
      write(finding.activity, record)
      break
    case 'cleared':
      write(finding.activity, withdraw)
      break
    case 'stalled':
      log.error({ event: 'process.stalled', ...described(finding) }, 'the process does not respond')
      post({ kind: 'process' })
      break
    case 'resumed':
      log.warn({ event: 'process.resumed', seconds: seconds(finding.ms) }, 'the process responds again')
      break
    case 'unresponsive':
      log.error(
        { event: 'process.ended', ...described(finding) },
        'the process did not respond for too long and is ended',
      )
      void end()
  }
}

/** Without its main thread the process is useless, and holds the database of a local installation. */
async function end(): Promise<void> {
  await Promise.race([writes, pause(QUERY_TIMEOUT_MS)])
  process.kill(process.pid, 'SIGKILL')
}

function described({ activity, ms }: { activity: Activity | undefined; ms: number }) {
  return { seconds: seconds(ms), ...(activity && { [activity.kind]: activity.id, activity: activity.what }) }
}

const seconds = (ms: number) => Math.round(ms / SECOND)

// A monotonic clock: the system time can be changed.
const observe = createObserver(performance.now())
setInterval(() => {
  for (const finding of observe(readActivity(memory), performance.now())) act(finding)
}, SAMPLE_MS)
