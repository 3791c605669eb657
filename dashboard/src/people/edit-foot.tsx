/** The buttons under an edited record; for a role that may not save it, the reason. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { usePermissions } from '../session/session.tsx'
import styles from './people.module.css'
import { peopleTexts } from './people-texts.ts'

const footTexts = texts({ en: { discard: 'Discard changes' }, de: { discard: 'Änderungen verwerfen' } })

export interface EditFootProps {
  /** A verb and its object: `Save tenant`. */
  action: string
  isReady: boolean
  isPending: boolean
  /** Absent without changes. */
  discard: (() => void) | undefined
  /** A note beside the buttons. */
  children?: ReactNode
}

export function EditFoot({ action, isReady, isPending, discard, children }: EditFootProps) {
  const t = useTexts(footTexts)
  const people = useTexts(peopleTexts)
  const { canOperate } = usePermissions()
  if (!canOperate) return <p className={styles.small}>{people.noRole}</p>
  return (
    <div className={styles.foot} data-start="true">
      <Button type="submit" loading={isPending} disabled={!isReady}>
        {action}
      </Button>
      {discard && (
        <Button variant="default" onClick={discard}>
          {t.discard}
        </Button>
      )}
      {children}
    </div>
  )
}
