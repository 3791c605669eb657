/** How much room the window has; the widths are those of the styles. */
import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 760px)')
const wide = matchMedia('(min-width: 1101px)')
const roomy = matchMedia('(min-width: 1201px)')

const useMatch = (query: MediaQueryList): boolean =>
  useSyncExternalStore(
    (change) => {
      query.addEventListener('change', change)
      return () => query.removeEventListener('change', change)
    },
    () => query.matches,
  )

/** A phone: rows have two lines. */
export const useNarrow = (): boolean => useMatch(narrow)
/** There is room for a line of many columns beside the rail. */
export const useRoomy = (): boolean => useMatch(roomy)
/** There is room for one object beside its list. */
export const useWide = (): boolean => useMatch(wide)
