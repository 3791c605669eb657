/** Measures what some work costs, for tests of time: not disturbed by whatever else the machine does. */

/** Milliseconds of processor time, the least of up to three tries: the compiler and the collector work beside the first. */
export function processorTime(act: () => unknown, enoughMs: number): number {
  let least = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && least >= enoughMs; tries += 1) {
    const before = process.cpuUsage()
    act()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}
