/** JSON that can be stored and walked: of bounded depth, without U+0000, lone surrogates and `__proto__`. */

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair. */
export const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0')

/** What is wrong with it, as the end of a sentence; undefined when nothing is. One visit to each value. */
export function jsonFault(value: unknown, depthMax: number): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : 'holds U+0000 or half a surrogate pair'
  if (typeof value !== 'object' || value === null) return undefined
  if (depthMax === 0) return 'is nested too deeply'
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = jsonFault(item, depthMax - 1)
      if (fault) return fault
    }
    return undefined
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === '__proto__') return 'has a key `__proto__`'
    const fault = isStorable(key) ? jsonFault(item, depthMax - 1) : 'has a key with U+0000 or half a surrogate pair'
    if (fault) return fault
  }
  return undefined
}
