/** Time as a dependency: wall time in milliseconds since the Unix epoch. */
export interface Clock {
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }
