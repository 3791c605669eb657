/** A status as a word, a symbol and a color; the meaning is never in the color alone. */
import {
  ArrowPathIcon,
  CheckIcon,
  ClockIcon,
  ExclamationTriangleIcon,
  MinusCircleIcon,
  PaperAirplaneIcon,
  XMarkIcon,
} from '@heroicons/react/20/solid'
import type { MessageStatus } from '@postrider/client'
import type { ComponentType, ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import styles from './status.module.css'

export type Tone = 'neutral' | 'blue' | 'green' | 'amber' | 'red'

type Mark = ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>

const looks: Record<MessageStatus, readonly [tone: Tone, mark: Mark]> = {
  ENQUEUED: ['neutral', ClockIcon],
  DELAYED: ['neutral', ClockIcon],
  ROUTED: ['neutral', ClockIcon],
  HELD: ['amber', ExclamationTriangleIcon],
  SENT: ['blue', PaperAirplaneIcon],
  DELIVERED: ['green', CheckIcon],
  OPENED: ['green', CheckIcon],
  CLICKED: ['green', CheckIcon],
  UNMAPPED: ['amber', ExclamationTriangleIcon],
  UNROUTABLE: ['red', XMarkIcon],
  UNDELIVERABLE: ['red', XMarkIcon],
  FILTERED: ['neutral', MinusCircleIcon],
  CANCELED: ['neutral', MinusCircleIcon],
  THROTTLED: ['neutral', MinusCircleIcon],
  DIGESTED: ['neutral', MinusCircleIcon],
  SIMULATED: ['neutral', CheckIcon],
}

export const toneOf = (status: string): Tone => looks[status as MessageStatus]?.[0] ?? 'neutral'

const statusTexts = texts({ en: { retrying: 'Retrying' }, de: { retrying: 'Wiederholung' } })

interface MessageStatusTagProps {
  status: MessageStatus
  /** It waits for another attempt. */
  isRetrying?: boolean
}

export function MessageStatusTag({ status, isRetrying = false }: MessageStatusTagProps) {
  const t = useTexts(statusTexts)
  const [tone, Mark] = looks[status] ?? ['neutral', ClockIcon]
  if (isRetrying)
    return (
      <span title={status}>
        <Tag tone="amber" mark={<ArrowPathIcon className={styles.mark} aria-hidden />}>
          {t.retrying}
        </Tag>
      </span>
    )
  return (
    <Tag tone={tone} mark={<Mark className={styles.mark} aria-hidden />}>
      {status}
    </Tag>
  )
}

const marks: Record<Tone, Mark> = {
  neutral: MinusCircleIcon,
  blue: PaperAirplaneIcon,
  green: CheckIcon,
  amber: ExclamationTriangleIcon,
  red: XMarkIcon,
}

/** A word with a tone, for the states of everything that is no message. */
export function Tag({
  tone = 'neutral',
  mark,
  children,
}: {
  tone?: Tone
  mark?: ReactNode | false
  children: ReactNode
}) {
  const Mark = marks[tone]
  return (
    <span className={`${styles.tag} ${styles[tone]}`}>
      {mark === undefined ? <Mark className={styles.mark} aria-hidden /> : mark}
      {children}
    </span>
  )
}
