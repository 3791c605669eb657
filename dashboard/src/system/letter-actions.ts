/** Release and dismissal of dead letters, one or several, each after a confirmation. */
import type { DeadLetter } from '@postrider/client'
import { useTexts } from '../language/language.tsx'
import { useAction, useConfirm } from '../parts/confirm.tsx'
import { api, isServerFailure } from '../session/api.ts'
import { letterTexts } from './letter-texts.ts'

/** `after` also follows a failure: what was chosen has changed in part. */
export function useLetterActions(after: () => void) {
  const t = useTexts(letterTexts)
  const confirm = useConfirm()
  const options = { changes: [['system']], isInSteps: (ids: readonly string[]) => ids.length > 1 }
  const release = useAction({
    act: (ids: readonly string[]) => eachOf(ids, api.deadLetters.release).finally(after),
    done: (_, ids) => t.releaseDone(ids.length),
    ...options,
  })
  const dismiss = useAction({
    act: (ids: readonly string[]) => eachOf(ids, api.deadLetters.dismiss).finally(after),
    done: (_, ids) => t.dismissDone(ids.length),
    ...options,
  })
  return {
    isPending: release.isPending || dismiss.isPending,
    async release(letters: readonly DeadLetter[]) {
      const [first] = letters
      if (!first) return
      const isOne = letters.length === 1
      const action = isOne ? t.releaseTitle(t[first.kind]) : t.releaseMany(letters.length)
      const text = isOne ? t.releaseText(t[first.kind], first.subject_id) : t.releaseManyText
      if (await confirm({ title: action, text, action })) release.mutate(letters.map(({ id }) => id))
    },
    async dismiss(letters: readonly DeadLetter[]) {
      const [first] = letters
      if (!first) return
      const isOne = letters.length === 1
      const action = isOne ? t.dismissTitle(t[first.kind]) : t.dismissMany(letters.length)
      const text = isOne ? t.dismissText(t[first.kind], first.subject_id) : t.dismissManyText
      if (await confirm({ title: action, text, action })) dismiss.mutate(letters.map(({ id }) => id))
    },
  }
}

/**
 * One after another: each is an operation, with its line in the audit log. One that is refused, as after an erasure, does
 * not keep the others back; the first refused is thrown at the end.
 */
async function eachOf(ids: readonly string[], act: (id: string) => Promise<unknown>): Promise<void> {
  const failures: unknown[] = []
  for (const id of ids)
    await act(id).catch((failure: unknown) => {
      if (isServerFailure(failure)) throw failure
      failures.push(failure)
    })
  if (failures.length > 0) throw failures[0]
}
