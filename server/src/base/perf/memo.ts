/**
 * Remembers the results of a pure function of a string, for strings that repeat with every message.
 * Measured on Node 20: parsing a URL takes 500 ns, the look-up 10 ns; a message has several such strings.
 */

/** Keeps the latest results of `make` whose weights add up to at most `max`, or the latest one; a throw is not kept. */
export function memo<Value>(
  max: number,
  make: (text: string) => Value,
  weigh: (value: Value, text: string) => number = () => 1,
): (text: string) => Value {
  const results = new Map<string, { value: Value; weight: number }>()
  let total = 0
  return (text) => {
    const result = results.get(text)
    if (result) return result.value
    const value = make(text)
    const weight = weigh(value, text)
    total += weight
    for (const [oldest, { weight: freed }] of results) {
      if (total <= max) break
      results.delete(oldest)
      total -= freed
    }
    results.set(text, { value, weight })
    return value
  }
}
