/** Keys: declared by the part that acts, listed by `?`, silent while something is typed. */
import { createContext, type ReactNode, use, useEffect, useId, useLayoutEffect, useMemo, useRef } from 'react'
import { CLOSING } from '../theme/theme.ts'

export interface Shortcut {
  /** One key (`j`, `?`, `/`), two in a row (`g m`), or with the command key (`mod+k`). */
  keys: string
  label: string
  act(): void
}

/** `mod+k` as it is on the keyboard of the reader: `⌘K`, `Ctrl K`. */
export const keyName = (keys: string) =>
  keys
    .replace('mod+', /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl ')
    .replace(/enter$/u, '↵')
    .replace(/[a-z]$/u, (letter) => letter.toUpperCase())

interface Registry {
  /** By owner, the last one first. */
  owners: Map<string, readonly Shortcut[]>
}
const RegistryContext = createContext<Registry>({ owners: new Map() })
/** The second key of a sequence follows within this time. */
const SEQUENCE_MS = 1_000

export function ShortcutsProvider({ children }: { children: ReactNode }) {
  const registry = useMemo<Registry>(() => ({ owners: new Map() }), [])
  /** A dialog that a key closes is gone when the key arrives here. */
  const wasDialogOpen = useRef(false)
  // Before the dialogs of Mantine, which listen from passive effects on.
  useLayoutEffect(() => {
    const onCapture = () => {
      wasDialogOpen.current = isDialogOpen()
    }
    addEventListener('keydown', onCapture, { capture: true })
    return () => removeEventListener('keydown', onCapture, { capture: true })
  }, [])
  useEffect(() => {
    let before = { key: '', at: 0 }
    const onKeyDown = (event: KeyboardEvent) => {
      // Some keyboards type a sign with Alt, or with Alt and Ctrl.
      const isSign = event.altKey && /^\p{P}$/u.test(event.key)
      const hasModifier = event.metaKey || (event.ctrlKey && !isSign)
      if (event.defaultPrevented || (event.altKey && !isSign) || (isTyping(event.target) && !hasModifier)) return
      const key = hasModifier ? `mod+${event.key.toLowerCase()}` : event.key
      const sequence = event.timeStamp - before.at < SEQUENCE_MS ? `${before.key} ${key}` : ''
      const all = [...registry.owners.values()].reverse().flat()
      const shortcut =
        key === 'Enter' && (event.repeat || isPressed(event.target))
          ? undefined
          : (all.find(({ keys }) => keys === sequence) ?? all.find(({ keys }) => keys === key))
      before = shortcut ? { key: '', at: 0 } : { key, at: event.timeStamp }
      if (!shortcut || ((wasDialogOpen.current || isDialogOpen()) && !hasModifier)) return
      event.preventDefault()
      shortcut.act()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  }, [registry])
  return <RegistryContext value={registry}>{children}</RegistryContext>
}

/** While the caller is on the page. The latest declaration of a key wins. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const id = useId()
  const { owners } = use(RegistryContext)
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  // A key whose effect changes has another label in the list of keys.
  const signature = JSON.stringify(shortcuts.map(({ keys, label }) => [keys, label]))
  // With the page itself: a key that is pressed as soon as its list is seen counts.
  useLayoutEffect(() => {
    const declared: [keys: string, label: string][] = JSON.parse(signature)
    owners.set(
      id,
      declared.map(([keys, label], index) => ({ keys, label, act: () => latest.current[index]?.act() })),
    )
    return () => void owners.delete(id)
  }, [owners, id, signature])
}

/** Those of the page now, for the list of keys. */
export function useShortcutList(): () => readonly Shortcut[] {
  const { owners } = use(RegistryContext)
  return () => [...owners.values()].flat()
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  target.closest(`.${CLOSING}`) === null &&
  (target instanceof HTMLInputElement
    ? !/^(?:checkbox|radio|button|submit)$/.test(target.type)
    : target.isContentEditable || /^(?:TEXTAREA|SELECT)$/.test(target.tagName) || target.shadowRoot !== null)

/** `Enter` is for the control that has the focus, wherever there is one. */
const isPressed = (target: EventTarget | null) =>
  target instanceof Element && target.closest('a, button, summary, [role="row"], [tabindex="0"]') !== null

const isDialogOpen = () => document.querySelector(`:is([role="dialog"], [role="menu"]):not(.${CLOSING})`) !== null
