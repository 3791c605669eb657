/** Why calls are refused although the page is signed in: the session ended, or another tab switched its environment. */
import type { KeyEnvironment } from '@postrider/client'
import { useSyncExternalStore } from 'react'

export type Interruption = { kind: 'ended' } | { kind: 'switched'; to: KeyEnvironment }

let current: Interruption | undefined
let ended = 0
const readers = new Set<() => void>()

export const interruption = {
  /** How many have ended: a call that began before the last of them says nothing about the session of now. */
  ended: (): number => ended,
  set(next: Interruption | undefined): void {
    if (current?.kind === next?.kind) return
    current = next
    if (!next) ended += 1
    for (const read of readers) read()
  },
}

const subscribe = (reader: () => void) => {
  readers.add(reader)
  return () => void readers.delete(reader)
}

export const useInterruption = (): Interruption | undefined => useSyncExternalStore(subscribe, () => current)
