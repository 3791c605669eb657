/** The pause of deliveries: a restored copy that was started paused delivers nothing until it is resumed. */
import type { Log } from '../base/log.ts'
import { iso } from '../base/time/clock.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import { type Engine, failureLevel } from '../database/engine.ts'
import { readPause } from '../database/tables/installation/installation.ts'

export interface Pause {
  /** When the pause started; undefined without a pause. Only a start of the server can begin one. */
  readonly since: number | undefined
  /** Called once when it ends. */
  onResume(callback: () => void): void
  /** Its row was deleted: every node reads it again. */
  notifyEnd(): void
  close(): void
}

/** Notifies nodes of the end of the pause; a lost notification is made up by the next poll. */
const CHANNEL = 'pause'
const POLL_MS = 5 * SECOND
/** How often the log repeats that deliveries are paused. */
const REMIND_MS = 10 * MINUTE

/** For a process that delivers nothing. */
export const noPause: Pause = {
  since: undefined,
  onResume: () => undefined,
  notifyEnd: () => undefined,
  close: () => undefined,
}

export async function openPause(engine: Engine, log: Log): Promise<Pause> {
  let since = (await readPause(engine))?.since
  const callbacks: (() => void)[] = []
  // A poll and a notification may both find the row deleted.
  const end = () => {
    if (since === undefined) return
    since = undefined
    close()
    log.info({ event: 'deliveries.resumed' }, 'deliveries are resumed')
    for (const callback of callbacks.splice(0)) callback()
  }
  const poll = () => {
    readPause(engine)
      .then((pause) => pause ?? end())
      .catch((error: unknown) =>
        log[failureLevel(error)]({ event: 'deliveries.pause_unknown', err: error }, 'the pause could not be read'),
      )
  }
  const remind = () => {
    if (since !== undefined)
      log.warn(
        { event: 'deliveries.paused', since: iso(since) },
        'deliveries are paused: calls are answered, and nothing is sent until: postrider resume',
      )
  }
  const timers = since === undefined ? [] : [setInterval(poll, POLL_MS).unref(), setInterval(remind, REMIND_MS).unref()]
  const close = () => {
    for (const timer of timers) clearInterval(timer)
  }
  if (since !== undefined) await engine.listen(CHANNEL, poll)
  remind()
  return {
    get since() {
      return since
    },
    onResume: (callback) => void callbacks.push(callback),
    notifyEnd() {
      engine
        .notify(CHANNEL, '')
        .catch((error: unknown) => log.debug({ event: 'notification.lost', err: error }, 'wake-up notification lost'))
    },
    close,
  }
}
