/** Ctrl+C and SIGTERM as a signal that a command looks at between its steps; the second one ends the process at once. */

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Aborts the signal that `work` gets with the first SIGINT or SIGTERM, until `work` has ended. */
export async function interruptible<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController()
  const stop = () => stopping.abort()
  for (const signal of SIGNALS) process.once(signal, stop)
  try {
    return await work(stopping.signal)
  } finally {
    for (const signal of SIGNALS) process.off(signal, stop)
  }
}
