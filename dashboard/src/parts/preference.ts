/** Choices of this browser: language, color scheme. Storage can be turned off; then a choice lasts as long as the page. */
const PREFIX = 'postrider-'

export function readPreference(name: string): string | undefined {
  try {
    return localStorage.getItem(PREFIX + name) ?? undefined
  } catch {
    return undefined
  }
}

export function writePreference(name: string, value: string): void {
  try {
    localStorage.setItem(PREFIX + name, value)
  } catch {
    // See above.
  }
}
