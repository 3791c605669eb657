/** Plain JSON values: their type, a test for objects, and a deep merge that changes neither side. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }
export type JsonObject = { [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function merge(base: JsonObject, over: JsonObject | undefined): JsonObject {
  if (!over) return base
  const merged: JsonObject = { ...base }
  for (const [key, value] of Object.entries(over)) {
    // An own `__proto__` would otherwise set the prototype of the copy.
    if (key === '__proto__') continue
    const before = merged[key]
    merged[key] = isObject(before) && isObject(value) ? merge(before, value) : value
  }
  return merged
}
