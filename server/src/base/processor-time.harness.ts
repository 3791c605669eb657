/** For tests of bounds on work: the processor time of a call, and how much slower than usual the machine is now. */

/** Rejects when the call takes `msMax` milliseconds of processor time or more, or as the call does. */
export async function withinWork(msMax: number, act: () => unknown): Promise<void> {
  const ms = await processorTime(act, msMax)
  if (ms < msMax) return
  const what = String(act).replace(/\s+/g, ' ').slice(0, 100)
  throw new Error(`${Math.round(ms)} ms of processor time on an idle machine; the bound is ${msMax} ms: ${what}`)
}

/**
 * Milliseconds of processor time on an idle machine: the least of up to three tries, because the compiler and the
 * collector work beside the first, and in proportion less while the machine is slow. `enoughMs` ends the tries.
 */
export async function processorTime(act: () => unknown, enoughMs: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least >= enoughMs; tries += 1) {
    const before = processorMs()
    await act()
    least = Math.min(least, processorMs() - before)
  }
  return least < enoughMs ? least : least / slowdown()
}

/** The processor time of this process so far. */
function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** The processor time of the work below on a machine with nothing else to do. */
const REFERENCE_MS = 20
/** A machine that is slower than this finds nothing out. */
const SLOWDOWN_MAX = 8

/** How many times longer work takes now than on an idle machine, at least 1: others share its processors and caches. */
export function slowdown(): number {
  const tries = Array.from({ length: 3 }, () => {
    const before = processorMs()
    referenceWork()
    return processorMs() - before
  })
  const ms = Math.min(...tries)
  return Math.min(Math.max(1, ms / REFERENCE_MS), SLOWDOWN_MAX)
}

/** The same kinds of work as evaluators and parsers do: texts, tables and short-lived objects. */
function referenceWork(): number {
  const table = new Map<string, { text: string }>()
  for (let n = 0; n < 60_000; n += 1) table.set(`key${n % 5_000}`, { text: JSON.stringify({ n, text: `value ${n}` }) })
  return [...table.values()].reduce((sum, { text }) => sum + text.replaceAll('a', 'b').split('e').length, 0)
}
