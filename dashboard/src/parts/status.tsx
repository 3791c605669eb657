/** A status as a word, a symbol and a color; the meaning is never in the color alone. */
import {
  BeakerIcon,
  CheckCircleIcon,
  CursorArrowRaysIcon,
  EnvelopeOpenIcon,
  ExclamationTriangleIcon,
  FunnelIcon,
  HandRaisedIcon,
  MinusCircleIcon,
  NoSymbolIcon,
  QuestionMarkCircleIcon,
  RectangleStackIcon,
  XCircleIcon,
} from '@heroicons/react/20/solid'
import {
  ArrowPathIcon,
  ArrowRightCircleIcon,
  ClockIcon,
  EllipsisHorizontalCircleIcon,
  PauseCircleIcon,
  CheckCircleIcon as SentIcon,
} from '@heroicons/react/24/outline'
import type { MessageStatus, Reason } from '@postrider/client'
import type { ComponentType, ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import styles from './status.module.css'
import { wishes } from './status-groups.ts'

export type Tone = 'quiet' | 'wait' | 'hold' | 'good' | 'warn' | 'bad'

type Mark = ComponentType<{ className?: string | undefined; 'aria-hidden'?: boolean }>

/** Outlined while the message is in progress, filled when its status is final for the recipient. */
const looks: Record<MessageStatus, readonly [tone: Tone, mark: Mark]> = {
  ENQUEUED: ['wait', EllipsisHorizontalCircleIcon],
  DELAYED: ['wait', ClockIcon],
  ROUTED: ['wait', ArrowRightCircleIcon],
  HELD: ['hold', PauseCircleIcon],
  SENT: ['good', SentIcon],
  DELIVERED: ['good', CheckCircleIcon],
  OPENED: ['good', EnvelopeOpenIcon],
  CLICKED: ['good', CursorArrowRaysIcon],
  UNMAPPED: ['bad', QuestionMarkCircleIcon],
  UNROUTABLE: ['bad', NoSymbolIcon],
  UNDELIVERABLE: ['bad', XCircleIcon],
  FILTERED: ['quiet', FunnelIcon],
  CANCELED: ['quiet', MinusCircleIcon],
  THROTTLED: ['quiet', ClockIcon],
  DIGESTED: ['quiet', RectangleStackIcon],
  SIMULATED: ['quiet', BeakerIcon],
}

const statusTexts = texts({
  en: {
    retrying: 'Retrying',
    partial: (status: string) => `${status} in part`,
    ENQUEUED: 'Enqueued',
    DELAYED: 'Delayed',
    ROUTED: 'Routed',
    HELD: 'Held',
    SENT: 'Sent',
    DELIVERED: 'Delivered',
    OPENED: 'Opened',
    CLICKED: 'Clicked',
    UNMAPPED: 'Unmapped',
    UNROUTABLE: 'Unroutable',
    UNDELIVERABLE: 'Undeliverable',
    FILTERED: 'Filtered',
    CANCELED: 'Canceled',
    THROTTLED: 'Throttled',
    DIGESTED: 'Digested',
    SIMULATED: 'Simulated',
  },
  de: {
    retrying: 'Neuer Versuch',
    partial: (status: string) => `Teils ${status.toLowerCase()}`,
    ENQUEUED: 'Eingereiht',
    DELAYED: 'Aufgeschoben',
    ROUTED: 'Entschieden',
    HELD: 'Angehalten',
    SENT: 'Gesendet',
    DELIVERED: 'Zugestellt',
    OPENED: 'Geöffnet',
    CLICKED: 'Angeklickt',
    UNMAPPED: 'Nicht zugeordnet',
    UNROUTABLE: 'Ohne Weg',
    UNDELIVERABLE: 'Unzustellbar',
    FILTERED: 'Gefiltert',
    CANCELED: 'Abgebrochen',
    THROTTLED: 'Gedrosselt',
    DIGESTED: 'Gesammelt',
    SIMULATED: 'Simuliert',
  },
})

const wished: ReadonlySet<string | undefined> = new Set<Reason>(wishes)
/** A wish was respected: nothing went wrong. */
export const isWish = (reason: Reason | undefined): boolean => wished.has(reason)

interface MessageStatusTagProps {
  status: MessageStatus
  reason?: Reason | undefined
  /** It waits for another attempt. */
  isRetrying?: boolean
  /** The highest of its channels has the status, and another one has failed. */
  isPartial?: boolean
}

export function MessageStatusTag({ status, reason, isRetrying = false, isPartial = false }: MessageStatusTagProps) {
  const t = useTexts(statusTexts)
  const [ofStatus, Mark] = isWish(reason)
    ? (['quiet', HandRaisedIcon] as const)
    : (looks[status] ?? ['quiet', ClockIcon])
  const tone = isPartial ? 'warn' : ofStatus
  if (isRetrying)
    return (
      <span title={status} className={`${styles.status} ${styles.warn}`}>
        <ArrowPathIcon className={styles.mark} aria-hidden />
        {t.retrying}
      </span>
    )
  return (
    <span title={status} className={`${styles.status} ${styles[tone]}`}>
      <Mark className={styles.mark} aria-hidden />
      {isPartial ? t.partial(t[status] ?? status) : (t[status] ?? status)}
    </span>
  )
}

/** The symbol of a status, or of the tone of anything else. */
export function StatusMark({ status, reason, tone }: { status: string; reason?: Reason | undefined; tone: Tone }) {
  const Mark = isWish(reason) ? HandRaisedIcon : (looks[status as MessageStatus]?.[1] ?? marks[tone])
  return <Mark className={`${styles.mark} ${styles[tone]}`} aria-hidden />
}

const marks: Record<Tone, Mark> = {
  quiet: MinusCircleIcon,
  wait: ClockIcon,
  hold: PauseCircleIcon,
  good: CheckCircleIcon,
  warn: ExclamationTriangleIcon,
  bad: XCircleIcon,
}

/** A word with a tone, for the states of everything that is no message. */
export function Tag({
  tone = 'quiet',
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
