/** The draft of one automation. The server has no drafts: it lives in this tab until it is published or discarded. */
import type { AutomationTemplate } from '@postrider/client'
import { useEffect, useState } from 'react'
import { isObject } from '../parts/code/json.ts'
import { type History, newHistory, recordChange, redo, undo } from '../parts/history.ts'
import { useSession } from '../session/session.tsx'
import { type Draft, draftOf, isSame } from './draft.ts'

interface Kept {
  base: AutomationTemplate
  draft: Draft
}

/** Storage can be turned off or full; then a draft lasts as long as the page. */
const storage = {
  read(key: string): Kept | undefined {
    try {
      const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? 'null')
      return isObject(kept) && isObject(kept.base) && isObject(kept.draft) ? (kept as unknown as Kept) : undefined
    } catch {
      return undefined
    }
  },
  write(key: string, kept: Kept | undefined): void {
    try {
      if (kept) sessionStorage.setItem(key, JSON.stringify(kept))
      else sessionStorage.removeItem(key)
    } catch {
      // See above.
    }
  },
}

interface State {
  /** The version that the draft began with. */
  base: AutomationTemplate
  history: History<Draft>
}

const fresh = (base: AutomationTemplate): State => ({ base, history: newHistory(draftOf(base)) })

export function useDraft(loaded: AutomationTemplate) {
  const { environment, key: apiKey } = useSession()
  // With the key: who signs in after another one may see less.
  const key = `postrider-automation-${environment}-${apiKey.id}-${loaded.id}`
  const [state, setState] = useState<State>(() => {
    const kept = storage.read(key)
    if (!kept || isSame(draftOf(kept.base), kept.draft)) return fresh(loaded)
    return { base: kept.base, history: recordChange(newHistory(draftOf(kept.base)), kept.draft) }
  })
  const { base, history } = state
  const draft = history.present
  const isDirty = !isSame(draftOf(base), draft)
  const isBehind = loaded.version !== base.version || loaded.createdAt !== base.createdAt
  useEffect(() => {
    if (isBehind && !isDirty) setState(fresh(loaded))
  }, [isBehind, isDirty, loaded])
  useEffect(() => storage.write(key, isDirty ? { base, draft } : undefined), [key, isDirty, base, draft])
  const show = (next: History<Draft> | undefined) => next && setState((before) => ({ ...before, history: next }))
  return {
    base,
    draft,
    isDirty,
    /** Someone else has written a version since the draft began. */
    hasConflict: isBehind && isDirty,
    /** Changes of one name that follow each other quickly are undone together. */
    edit: (change: (draft: Draft) => Draft, name?: string) =>
      setState((before) => ({
        ...before,
        history: recordChange(before.history, change(before.history.present), name),
      })),
    undo: () => show(undo(history)),
    redo: () => show(redo(history)),
    /** Begins again with the template as the server has it. */
    reset: (template: AutomationTemplate) => setState(fresh(template)),
  }
}
export type DraftControl = ReturnType<typeof useDraft>
