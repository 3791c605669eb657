/** The form of a dialog: its fields, and below them the buttons that cancel and submit it. */
import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import styles from './dialog-form.module.css'

export interface DialogFormProps {
  /** A verb and its object: `Add user`. */
  action: string
  isReady: boolean
  isPending: boolean
  submit(): void
  close(): void
  /** Other buttons, before those of the form. */
  buttons?: ReactNode
  children: ReactNode
}

export function DialogForm({ action, isReady, isPending, submit, close, buttons, children }: DialogFormProps) {
  const t = useTexts(words)
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) submit()
      }}
    >
      {children}
      <div className={styles.foot}>
        {buttons}
        <Button variant="default" onClick={close}>
          {t.cancel}
        </Button>
        <Button type="submit" loading={isPending} disabled={!isReady}>
          {action}
        </Button>
      </div>
    </form>
  )
}
