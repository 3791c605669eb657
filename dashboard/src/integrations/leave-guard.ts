/** A page whose typed changes are not saved is left only after a question; tabs of the page keep them. */
import { useBlocker } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { useConfirm } from '../parts/confirm.tsx'

const guardTexts = texts({
  en: {
    title: 'Leave without saving?',
    text: 'The changes on this page are not saved, and are lost when you leave it.',
    action: 'Leave and discard changes',
  },
  de: {
    title: 'Ohne Speichern verlassen?',
    text: 'Die Änderungen auf dieser Seite sind nicht gespeichert und gehen beim Verlassen verloren.',
    action: 'Verlassen und Änderungen verwerfen',
  },
})

export function useLeaveGuard(isDirty: boolean): void {
  const t = useTexts(guardTexts)
  const confirm = useConfirm()
  useBlocker({
    shouldBlockFn: async ({ current, next }) => {
      const isSamePage = current.pathname === next.pathname && addOf(current.search) === addOf(next.search)
      return !isSamePage && !(await confirm(t))
    },
    enableBeforeUnload: isDirty,
    disabled: !isDirty,
  })
}

/** The provider that is being added has a page without a path of its own. */
const addOf = (search: unknown) => (search as { add?: string }).add
