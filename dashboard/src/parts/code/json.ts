/** JSON in fields and texts. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text of a field that holds a JSON object; an empty one holds an empty object. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

export const printJson = (value: unknown) => JSON.stringify(value, null, 2)

/** A value in a field for text: a text as it is, nothing for no value, JSON for others. */
export const fieldText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)
