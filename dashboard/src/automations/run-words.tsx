/** Statuses of runs and their steps, and where a run came from, in words. */

import { ClockIcon } from '@heroicons/react/20/solid'
import type { AutomationRunStep } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'

export type StepStatus = AutomationRunStep['status']

export const runTexts = texts({
  en: {
    PROCESSING: 'Its next step is in progress',
    WAITING: 'Waits for its next step',
    waitsForTime: 'Waits for the time of a step',
    waitsForBatch: 'Waits for its batch to end',
    waitsForAttempt: 'Waits for the next attempt of a step',
    PROCESSED: 'All steps are done',
    CANCELED: 'It was canceled; no later step starts',
    ERROR: 'A step failed; no later step was started',
    THROTTLED: 'A limit stopped it',
    SKIPPED: 'Skipped: its condition was not true, or the recipient opted out',
    'NOT PROCESSED': 'Not started',
    COMPUTING: 'In progress',
    api: 'a call of the API',
    schedule: 'a schedule',
    event: 'Event',
    invoke: 'Run',
    list: 'List send of run',
  },
  de: {
    PROCESSING: 'Der nächste Schritt läuft',
    WAITING: 'Wartet auf den nächsten Schritt',
    waitsForTime: 'Wartet auf die Zeit eines Schrittes',
    waitsForBatch: 'Wartet auf das Ende des Stapels',
    waitsForAttempt: 'Wartet auf den nächsten Versuch eines Schrittes',
    PROCESSED: 'Alle Schritte sind getan',
    CANCELED: 'Abgebrochen; kein weiterer Schritt beginnt',
    ERROR: 'Ein Schritt ist gescheitert; kein weiterer hat begonnen',
    THROTTLED: 'Eine Begrenzung hat ihn gestoppt',
    SKIPPED: 'Ausgelassen: Die Bedingung galt nicht, oder der Empfänger hat abbestellt',
    'NOT PROCESSED': 'Nicht begonnen',
    COMPUTING: 'Läuft',
    api: 'ein Aufruf der API',
    schedule: 'ein Zeitplan',
    event: 'Ereignis',
    invoke: 'Lauf',
    list: 'Listenversand von Lauf',
  },
})

const tones: Record<StepStatus, Tone> = {
  PROCESSING: 'wait',
  COMPUTING: 'wait',
  WAITING: 'quiet',
  PROCESSED: 'good',
  CANCELED: 'quiet',
  ERROR: 'bad',
  THROTTLED: 'quiet',
  SKIPPED: 'quiet',
  'NOT PROCESSED': 'quiet',
}
export const stepTone = (status: string): Tone => tones[status as StepStatus] ?? 'quiet'

/** `text` follows the status: a number of runs. */
export function RunStatusTag({ status, text }: { status: StepStatus; text?: string }) {
  const meanings: Record<string, string> = useTexts(runTexts)
  return (
    <span title={meanings[status] ?? status}>
      <Tag tone={stepTone(status)} {...(isUnfinished(status) && { mark: <ClockIcon width={12} aria-hidden /> })}>
        {text !== undefined && `${text} `}
        {status}
      </Tag>
    </span>
  )
}

export function RunSource({ source }: { source: readonly string[] }) {
  const t = useTexts(runTexts)
  const [first = ''] = source
  const [kind = '', ...rest] = first.split('/')
  const id = rest.join('/')
  if (kind === 'event') return `${t.event} ${id}`
  if (kind === 'schedule') return t.schedule
  if (kind === 'invoke' || kind === 'send-list')
    return (
      <>
        {kind === 'invoke' ? t.invoke : t.list}{' '}
        <Link to="/runs/$runId" params={{ runId: id }}>
          <code>{id.slice(-8)}</code>
        </Link>
      </>
    )
  return first === 'api' ? t.api : first
}

/** A sentence of the server whose times are shown in the reader's zone. */
export function Reason({ text }: { text: string }) {
  const { dayAndTime } = useFormat()
  return text
    .split(/(\d{4}-\d\d-\d\dT[\d:.]+Z)/)
    .map((part, index) => (index % 2 === 1 ? dayAndTime(Date.parse(part)) : part))
    .join('')
}

/** Runs that go on by themselves. */
export const isUnfinished = (status: string | undefined) => status === 'PROCESSING' || status === 'WAITING'
