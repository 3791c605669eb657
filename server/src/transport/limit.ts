/** Ends a request at its time limit or when its batch is aborted, at a microsecond's cost. */

export interface Limits {
  /** Shared by many requests: the worker's lease, or shutdown. */
  signal: AbortSignal
  timeoutMs: number
}

type Cut = (failure: 'timeout' | 'aborted', message: string) => void

/** One listener per signal: adding and removing one per request walks the signal's list of all others. */
const listening = new WeakMap<AbortSignal, Set<Cut>>()

/** Calls `cut` at most once; the returned function ends the watch. */
export function limit({ signal, timeoutMs }: Limits, cut: Cut): () => void {
  const cuts = listening.get(signal) ?? listen(signal)
  const end = () => {
    clearTimeout(timer)
    cuts.delete(once)
  }
  const once: Cut = (failure, message) => {
    end()
    cut(failure, message)
  }
  const timer = setTimeout(once, timeoutMs, 'timeout', `No answer within ${timeoutMs} ms`)
  cuts.add(once)
  return end
}

function listen(signal: AbortSignal): Set<Cut> {
  const cuts = new Set<Cut>()
  listening.set(signal, cuts)
  signal.addEventListener(
    'abort',
    () => {
      for (const cut of cuts) cut('aborted', 'Aborted')
    },
    { once: true },
  )
  return cuts
}
