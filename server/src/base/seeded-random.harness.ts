/** For tests that draw their cases: the same seed draws the same numbers on every machine. */

export interface SeededRandom {
  /** In [0, 1). */
  next(): number
  /** A whole number from `least` to `most`. */
  between(least: number, most: number): number
  shuffled<T>(items: readonly T[]): T[]
}

/** Mulberry32: 32 bits of state are plenty for some thousand draws. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    shuffled(items) {
      const left = [...items]
      return items.flatMap(() => left.splice(between(0, left.length - 1), 1))
    },
  }
}
