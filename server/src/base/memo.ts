/** Remembers what a pure function made of a text, for texts that come again with every message. */

/** Of `make`, the latest `entriesMax` answers are kept; what throws is not remembered. */
export function memo<Value>(entriesMax: number, make: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, { value: Value }>()
  return (text) => {
    const found = known.get(text)
    if (found) return found.value
    const value = make(text)
    for (const oldest of known.keys()) {
      if (known.size < entriesMax) break
      known.delete(oldest)
    }
    known.set(text, { value })
    return value
  }
}
