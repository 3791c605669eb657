/** Actions on the draft: how far it is saved, test, publication, and a draft that was saved elsewhere. */
import { Button } from '@mantine/core'
import { texts, useTexts } from '../../language/language.tsx'
import { messageOf } from '../../parts/states.tsx'
import { Time } from '../../parts/time.tsx'
import styles from '../editor.module.css'
import type { DraftStore, SaveState } from './draft-store.ts'

const actionTexts = texts({
  en: {
    publish: 'Publish',
    test: 'Send test',
    saved: 'Saved',
    changed: 'Not saved yet',
    saving: 'Saving …',
    failed: 'Not saved:',
    conflict: 'Not saved: changed elsewhere',
    conflictText: (who: string) =>
      `${who} has saved this draft since you opened it. Your changes are kept here and not saved.`,
    takeTheirs: 'Show theirs',
    keepMine: 'Replace theirs with mine',
    readOnly: 'Your role reads only',
  },
  de: {
    publish: 'Veröffentlichen',
    test: 'Probe senden',
    saved: 'Gespeichert',
    changed: 'Noch nicht gespeichert',
    saving: 'Wird gespeichert …',
    failed: 'Nicht gespeichert:',
    conflict: 'Nicht gespeichert: anderswo geändert',
    conflictText: (who: string) =>
      `${who} hat diesen Entwurf seit dem Öffnen gespeichert. Die Änderungen hier bleiben, sind aber nicht gespeichert.`,
    takeTheirs: 'Fremden Stand zeigen',
    keepMine: 'Durch meinen Stand ersetzen',
    readOnly: 'Diese Rolle liest nur',
  },
})

export interface EditorActionsProps {
  save: SaveState
  isReadOnly: boolean
  /** The draft differs from what is published. */
  isAhead: boolean
  test(): void
  publish(): void
}

export function EditorActions({ save, isReadOnly, isAhead, test, publish }: EditorActionsProps) {
  const t = useTexts(actionTexts)
  const refused = { disabled: isReadOnly, title: isReadOnly ? t.readOnly : undefined }
  return (
    <>
      <SaveTag save={save} />
      <Button variant="default" {...refused} onClick={test}>
        {t.test}
      </Button>
      <Button variant={isAhead ? 'filled' : 'default'} {...refused} onClick={publish}>
        {t.publish}
      </Button>
    </>
  )
}

function SaveTag({ save }: { save: SaveState }) {
  const t = useTexts(actionTexts)
  return (
    <span className={styles.saved} data-kind={save.kind} role="status">
      {t[save.kind]} {save.kind === 'saved' && save.at !== undefined && <Time at={save.at} />}
      {save.kind === 'failed' && messageOf(save.error)}
    </span>
  )
}

/** Another draft was saved elsewhere: which of the two stays. */
export function Conflict({ store, save }: { store: DraftStore; save: SaveState }) {
  const t = useTexts(actionTexts)
  if (save.kind !== 'conflict') return null
  const { updater, creator } = save.theirs
  return (
    <div className={styles.conflict} role="alert">
      <p>{t.conflictText(updater ?? creator)}</p>
      <Button size="compact-sm" variant="default" onClick={store.takeTheirs}>
        {t.takeTheirs}
      </Button>
      <Button size="compact-sm" variant="default" onClick={store.keepMine}>
        {t.keepMine}
      </Button>
    </div>
  )
}
