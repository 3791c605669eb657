/** Every kind of background work beside the messages themselves, on one page. */
import type { Clock } from './base/clock.ts'
import { DAY, HOUR, MINUTE, SECOND } from './base/duration.ts'
import type { Log } from './base/log.ts'
import type { Engine } from './database/engine.ts'
import { createHousekeeper } from './database/housekeeping.ts'
import { dropPartitions, makePartitions } from './database/partitions.ts'
import { dropExpiredKeys } from './database/tables/idempotency.ts'
import { startWorker, type Worker } from './queue/worker.ts'

export interface WorkContext {
  engine: Engine
  clock: Clock
  log: Log
  retentionDays: number
}

interface Task {
  name: string
  everyMs: number
  /** True when there is more to do at once. */
  run(): Promise<boolean>
}

const KEYS_A_STEP = 1_000

function tasks({ engine, clock, log, retentionDays }: WorkContext): Task[] {
  const always: Task[] = [
    {
      name: 'make-partitions',
      everyMs: HOUR,
      run: () => makePartitions(engine, clock.now()).then(() => false),
    },
    {
      name: 'drop-partitions',
      everyMs: HOUR,
      async run() {
        const report = await dropPartitions(engine, clock.now() - retentionDays * DAY)
        if (report.dropped.length + report.kept.length > 0) log.info(report, 'retention')
        return false
      },
    },
    {
      name: 'drop-idempotency-keys',
      everyMs: 10 * MINUTE,
      run: async () => (await dropExpiredKeys(engine, clock.now(), KEYS_A_STEP)) === KEYS_A_STEP,
    },
  ]
  if (engine.kind === 'postgres') return always
  const housekeeper = createHousekeeper(engine)
  return [...always, { name: 'housekeeping', everyMs: 5 * SECOND, run: () => housekeeper.step().then(() => false) }]
}

export function startWork(context: WorkContext): { stop(): Promise<void> } {
  const workers = tasks(context).map(
    ({ name, everyMs, run }): Worker =>
      startWorker({ name, log: context.log, poll: async () => ((await run()) ? 0 : everyMs) }),
  )
  return {
    async stop() {
      await Promise.all(workers.map((worker) => worker.stop()))
    },
  }
}
