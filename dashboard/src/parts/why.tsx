/** The reason of a message in a row of a list, in the reader's language: all that the status does not say. */
import type { Message, Reason } from '@postrider/client'
import { sourceText } from '@postrider/client/steps'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from './code/code-text.tsx'
import { reasonMeanings } from './meanings.ts'
import { serverTexts } from './server-texts.ts'
import { germanSources } from './sources.ts'
import styles from './status.module.css'
import { useFormat } from './time.tsx'

export const whyTexts = texts({
  en: {
    next: (time: string, error: string) => `Next at ${time}${error && `: ${error}`}`,
    due: (time: string) => `Due at ${time}`,
    deliveriesPaused: 'Deliveries are paused.',
    paused: (source: string | undefined) => `Paused${source === undefined ? '' : ` by ${sourceText(source)}`}`,
    canceled: (source: string | undefined, after: string) =>
      `${source === undefined ? 'Canceled' : `By ${sourceText(source)}`} ${after} after the call`,
    erased: 'The person was erased.',
    THROTTLED: 'A send limit stopped it.',
    DIGESTED: 'It is part of a digest.',
    SIMULATED: 'A mock key calls no provider.',
    UNMAPPED: 'Its event leads to no template.',
  },
  de: {
    next: (time: string, error: string) => `Nächster um ${time}${error && `: ${error}`}`,
    due: (time: string) => `Fällig um ${time}`,
    deliveriesPaused: 'Die Zustellung ist pausiert.',
    paused: (source: string | undefined) =>
      `Pausiert${source === undefined ? '' : ` durch ${sourceText(source, {}, germanSources)}`}`,
    canceled: (source: string | undefined, after: string) =>
      `${source === undefined ? 'Abgebrochen' : `Durch ${sourceText(source, {}, germanSources)}`} ${after} nach dem Aufruf`,
    erased: 'Die Person wurde gelöscht.',
    THROTTLED: 'Eine Sendegrenze hat sie gestoppt.',
    DIGESTED: 'Sie ist Teil einer Sammelnachricht.',
    SIMULATED: 'Ein Mock-Schlüssel ruft keinen Anbieter auf.',
    UNMAPPED: 'Ihr Ereignis führt zu keiner Vorlage.',
  },
})

/** Reasons whose error has the words of a provider, or of a template: they say more than the reason. */
const quoted: ReadonlySet<Reason> = new Set<Reason>(['PROVIDER_ERROR', 'BOUNCED', 'FAILED', 'IN_DOUBT'])

/** A text that the role of the reader does not see. */
const MASKED = '•••'

type WhyTexts = (typeof whyTexts)['en']

interface Language {
  t: WhyTexts
  meanings: Readonly<Record<string, string>>
  timeOfDay(at: number): string
  duration(ms: number): string
  /** An error, in the reader's language where the server wrote it. */
  errorOf(error: string): string
}

const isMeant = (status: string): status is 'THROTTLED' | 'DIGESTED' | 'SIMULATED' | 'UNMAPPED' =>
  ['THROTTLED', 'DIGESTED', 'SIMULATED', 'UNMAPPED'].includes(status)

/** Names in it stand in backticks. Undefined where the status says all. */
export function whyOf(message: Message, { t, meanings, timeOfDay, duration, errorOf }: Language): string | undefined {
  const { status, retry, until, error, reason, canceledBy, canceledAt, enqueued, paused, pausedBy } = message
  if (paused !== undefined) return t.paused(pausedBy)
  if (message.deliveriesPaused !== undefined && status === 'ENQUEUED') return t.deliveriesPaused
  if (retry) return t.next(timeOfDay(retry.next_attempt_at), errorOf(retry.error ?? ''))
  if (canceledBy === 'erasure') return t.erased
  if (canceledAt !== undefined) return t.canceled(canceledBy, duration(canceledAt - enqueued))
  if (status === 'DELAYED' && until !== undefined) return t.due(timeOfDay(until))
  if (reason !== undefined && !(quoted.has(reason) && error !== undefined && error !== MASKED))
    return meanings[reason] ?? reason
  if (status === 'UNMAPPED' && error?.startsWith('Unknown template')) return errorOf(error)
  return isMeant(status) ? t[status] : error && errorOf(error)
}

/** The whole error is in its title. */
export function Why({ message }: { message: Message }) {
  const t = useTexts(whyTexts)
  const meanings = useTexts(reasonMeanings)
  const { error: errorOf } = useTexts(serverTexts)
  const text = whyOf(message, { t, meanings, errorOf, ...useFormat() })
  return text === undefined ? null : (
    <span className={styles.why} title={message.error ? errorOf(message.error) : text.replaceAll('`', '')}>
      <CodeText text={text} />
    </span>
  )
}
