/** Ends a request at its time limit or when its batch is aborted, at a microsecond's cost. */

export interface Limits {
  /** Shared by many requests: the worker's lease, or shutdown. */
  signal: AbortSignal
  timeoutMs: number
}

/** Ended at most once. */
export interface Limited {
  cut(failure: 'timeout' | 'aborted', message: string): void
}

/** One listener per signal: adding and removing one per request walks the signal's list of all others. */
const listening = new WeakMap<AbortSignal, Set<Limit>>()

export class Limit {
  readonly #limited: Limited
  readonly #others: Set<Limit>
  readonly #timer: NodeJS.Timeout

  constructor({ signal, timeoutMs }: Limits, limited: Limited) {
    this.#limited = limited
    this.#others = listening.get(signal) ?? listen(signal)
    this.#others.add(this)
    this.#timer = setTimeout(expire, timeoutMs, this, timeoutMs)
  }

  /** It has ended by itself. */
  end(): void {
    clearTimeout(this.#timer)
    this.#others.delete(this)
  }

  cut(failure: 'timeout' | 'aborted', message: string): void {
    this.end()
    this.#limited.cut(failure, message)
  }
}

function expire(limit: Limit, timeoutMs: number): void {
  limit.cut('timeout', `No answer within ${timeoutMs} ms`)
}

function listen(signal: AbortSignal): Set<Limit> {
  const limits = new Set<Limit>()
  listening.set(signal, limits)
  signal.addEventListener(
    'abort',
    () => {
      for (const limit of limits) limit.cut('aborted', 'Aborted')
    },
    { once: true },
  )
  return limits
}
