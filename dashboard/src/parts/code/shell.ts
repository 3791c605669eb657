/** Calls as they are typed in a shell. */

/** Nothing between single quotes is expanded. */
export const shellQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A list is repeated, a value at a time. */
export function curlOfList(address: string, filters: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams(
    Object.entries(filters).flatMap(([name, values]) => [values].flat().map((value) => [name, String(value)])),
  )
  const whole = query.size === 0 ? address : `${address}?${query}`
  return `curl ${shellQuoted(whole)} \\\n  -H "Authorization: Bearer $POSTRIDER_API_KEY"`
}
