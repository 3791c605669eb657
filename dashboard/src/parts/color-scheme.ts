/** Light, dark, or as the system has it; remembered for `public/color-scheme.js`, which sets it before the first paint. */
import { useSyncExternalStore } from 'react'
import { readPreference, writePreference } from './preference.ts'

export type ColorScheme = 'light' | 'dark' | 'auto'

const ATTRIBUTE = 'data-mantine-color-scheme'
const system = matchMedia('(prefers-color-scheme: dark)')
const readers = new Set<() => void>()

const readChoice = (): ColorScheme => {
  const value = readPreference('color-scheme')
  return value === 'light' || value === 'dark' ? value : 'auto'
}

function apply(): void {
  const choice = readChoice()
  const isDark = choice === 'dark' || (choice === 'auto' && system.matches)
  document.documentElement.setAttribute(ATTRIBUTE, isDark ? 'dark' : 'light')
  for (const read of readers) read()
}
system.addEventListener('change', apply)

function follow(reader: () => void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

export function useColorScheme() {
  const isDark = useSyncExternalStore(follow, () => document.documentElement.getAttribute(ATTRIBUTE) === 'dark')
  // A choice can change without the colors.
  const choice = useSyncExternalStore(follow, readChoice)
  return {
    ...{ isDark, choice },
    choose(choice: ColorScheme) {
      writePreference('color-scheme', choice)
      apply()
    },
  }
}
