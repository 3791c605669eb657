/** The pause of deliveries, in the database: every node keeps it, from its start or from a call while it runs, until it is resumed. */
import type { Log } from '../base/log.ts'
import { iso } from '../base/time/clock.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { type PauseRow, readPause } from '../database/tables/installation/installation.ts'

export interface Pause {
  /** When the pause started; undefined without a pause. */
  readonly since: number | undefined
  /** The key of the call that started it; undefined without a pause, and after a start that was paused. */
  readonly by: string | undefined
  /** Called each time a pause ends. */
  onResume(callback: () => void): void
  /** Its row was written or deleted: every node reads it again. Resolves when this one has. */
  changed(): Promise<void>
  close(): void
}

/** Notifies nodes of a pause and of its end; a lost notification is made up by the next poll. */
const CHANNEL = 'pause'
const POLL_MS = 5 * SECOND
/** How often the log repeats that deliveries are paused. */
const REMIND_MS = 10 * MINUTE

/** For a process that delivers nothing. */
export const noPause: Pause = {
  since: undefined,
  by: undefined,
  onResume: () => undefined,
  changed: async () => undefined,
  close: () => undefined,
}

export async function openPause(engine: Engine, log: Log): Promise<Pause> {
  let row: PauseRow | undefined
  const callbacks: (() => void)[] = []
  const remind = () => {
    if (row)
      log.warn(
        { event: 'deliveries.paused', since: iso(row.since), ...(row.source !== null && { by: row.source }) },
        'deliveries are paused: calls are answered, and nothing is sent until: postrider resume',
      )
  }
  let started = 0
  let applied = 0
  const read = async () => {
    started += 1
    const turn = started
    const after = await readPause(engine)
    // A read that started later knows more. One that ends first still counts: where each takes longer than a poll, none would.
    if (turn < applied) return
    applied = turn
    apply(after)
  }
  const apply = (after: PauseRow | undefined) => {
    const before = row
    row = after
    if (after && !before) remind()
    if (after || !before) return
    log.info({ event: 'deliveries.resumed' }, 'deliveries are resumed')
    for (const callback of callbacks) callback()
  }
  const poll = () =>
    read().catch((error: unknown) =>
      log[failureLevel(error)]({ event: 'deliveries.pause_unknown', err: error }, 'the pause could not be read'),
    )
  const timers = [setInterval(poll, POLL_MS).unref(), setInterval(remind, REMIND_MS).unref()]
  await engine.listen(CHANNEL, () => void poll())
  await read()
  return {
    get since() {
      return row?.since
    },
    get by() {
      return row?.source ?? undefined
    },
    onResume: (callback) => void callbacks.push(callback),
    async changed() {
      engine
        .notify(CHANNEL, '')
        .catch((error: unknown) => log.debug({ event: 'notification.lost', err: error }, 'wake-up notification lost'))
      await poll()
    },
    close() {
      for (const timer of timers) clearInterval(timer)
    },
  }
}
