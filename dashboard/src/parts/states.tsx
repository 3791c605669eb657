/** The states of a body besides its content: loading, empty, failed. */
import { ExclamationTriangleIcon } from '@heroicons/react/20/solid'
import { Button, Skeleton } from '@mantine/core'
import { isPostriderError } from '@postrider/client'
import { type ReactNode, useEffect, useState } from 'react'
import { docsPath } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import styles from './states.module.css'
import { useFormat } from './time.tsx'

const SKELETON_AFTER_MS = 150

const stateTexts = texts({
  en: {
    failed: 'This could not be loaded',
    unreachable: 'The server cannot be reached',
    explained: 'About this error',
    wait: (duration: string) => `The server can take it again in ${duration}.`,
  },
  de: {
    failed: 'Das konnte nicht geladen werden',
    unreachable: 'Der Server ist nicht erreichbar',
    explained: 'Was dieser Fehler bedeutet',
    wait: (duration: string) => `Der Server nimmt es in ${duration} wieder an.`,
  },
})

/** Rows in the shape of the content, and only when loading takes long enough to be noticed. */
export function Loading({ rows = 6 }: { rows?: number }) {
  const t = useTexts(words)
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), SKELETON_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className={styles.loading} role="status" aria-busy="true">
      <span className="visually-hidden">{t.loading}</span>
      {isLate &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike
          <Skeleton key={row} height={20} width={`${92 - ((row * 17) % 40)}%`} />
        ))}
    </div>
  )
}

export interface NoteProps {
  title: ReactNode
  children?: ReactNode
  actions?: ReactNode
}

/** A finding and its remedy. */
export function Note({ title, children, actions }: NoteProps) {
  return (
    <div className={styles.note}>
      <ExclamationTriangleIcon aria-hidden />
      <div>
        <b>{title}</b> {children}
        {actions && <div className={styles.noteActions}>{actions}</div>}
      </div>
    </div>
  )
}

export interface EmptyProps {
  title: string
  /** Says what belongs here and how it gets here. */
  children?: ReactNode
  action?: ReactNode
}

export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children && <div className={styles.text}>{children}</div>}
      {action && <div data-empty-action>{action}</div>}
    </div>
  )
}

export function Failed({ error, retry }: { error: unknown; retry?: () => unknown }) {
  const t = useTexts(words)
  const labels = useTexts(stateTexts)
  const { duration } = useFormat()
  const [isTrying, setTrying] = useState(false)
  const tryAgain = async () => {
    setTrying(true)
    try {
      await retry?.()
    } finally {
      setTrying(false)
    }
  }
  const failure = isPostriderError(error) ? error : undefined
  return (
    <div className={styles.failed} role="alert">
      <h2>{failure?.kind === 'connection' || failure?.kind === 'timeout' ? labels.unreachable : labels.failed}</h2>
      <p className={styles.text}>
        {messageOf(error)} {failure?.retryAfterMs !== undefined && labels.wait(duration(failure.retryAfterMs))}
      </p>
      <p className={styles.facts}>
        {failure?.code && (
          <a href={docsPath(`errors#${failure.code}`)} target="_blank" rel="noreferrer" title={labels.explained}>
            {failure.code}
          </a>
        )}
        {failure?.requestId && (
          <span>
            {t.requestId} <code>{failure.requestId}</code>
          </span>
        )}
      </p>
      {retry && (
        <Button variant="default" loading={isTrying} onClick={() => void tryAgain()}>
          {t.retry}
        </Button>
      )}
    </div>
  )
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
