/** Remembers what a pure function made of a text, for texts that come again with every message. */

/** The latest results of `make` are kept that together weigh at most `max`, or the latest one; a throw is not remembered. */
export function memo<Value>(
  max: number,
  make: (text: string) => Value,
  weigh: (value: Value, text: string) => number = () => 1,
): (text: string) => Value {
  const known = new Map<string, { value: Value; weight: number }>()
  let total = 0
  return (text) => {
    const found = known.get(text)
    if (found) return found.value
    const value = make(text)
    const weight = weigh(value, text)
    total += weight
    for (const [oldest, { weight: gone }] of known) {
      if (total <= max) break
      known.delete(oldest)
      total -= gone
    }
    known.set(text, { value, weight })
    return value
  }
}
