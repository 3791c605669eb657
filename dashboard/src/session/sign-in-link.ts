/** The sign-in link of the address: taken out of it at once, so that it is neither in the history nor in a copied address. */
import { useSyncExternalStore } from 'react'

const MARK = '#link='

let current: string | undefined
const readers = new Set<() => void>()

function look(): void {
  if (!location.hash.startsWith(MARK)) return
  current = location.hash.slice(MARK.length)
  history.replaceState(history.state, '', location.pathname + location.search)
  for (const read of readers) read()
}

look()
// Pasted into a tab that shows the dashboard already, the address loads nothing.
addEventListener('hashchange', look)

/** Gives the link once. */
export function takeSignInLink(): string | undefined {
  const link = current
  current = undefined
  for (const read of readers) read()
  return link
}

const subscribe = (reader: () => void) => {
  readers.add(reader)
  return () => void readers.delete(reader)
}

/** Whether a link waits to be used. */
export const useHasSignInLink = (): boolean => useSyncExternalStore(subscribe, () => current !== undefined)
