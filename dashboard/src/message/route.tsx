/** Why this channel and this provider, and why not the others: the candidates in their order. */
import type { Candidate, MessageExplanation } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { type CandidateRow, Candidates } from '../decisions/candidates.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { hasUser } from '../names/recipient.tsx'
import { reasonMeanings } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './message.module.css'
import { type CandidateOutcome, candidateOutcome } from './outcome.ts'

const routeTexts = texts({
  en: {
    title: 'Why not the others',
    description: 'in the order in which they are tried',
    none: 'There was no candidate.',
    accepted: 'accepted',
    failed: 'failed',
    trying: 'tried again',
    next: 'next',
    notNeeded: 'not needed',
    took: (duration: string) => `Accepted after ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 attempt.' : `${count} attempts.`),
    before: 'One before it was accepted.',
    waits: 'Tried when those before it fail.',
    openIntegration: 'Open integration',
    openProfile: 'Open profile',
    openPreferences: 'Open preferences',
    openSuppressions: 'Open suppressions',
  },
  de: {
    title: 'Warum nicht die anderen',
    description: 'in der Reihenfolge der Versuche',
    none: 'Kein Weg kam in Betracht.',
    accepted: 'angenommen',
    failed: 'fehlgeschlagen',
    trying: 'wird wiederholt',
    next: 'als Nächstes',
    notNeeded: 'nicht nötig',
    took: (duration: string) => `Angenommen nach ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 Versuch.' : `${count} Versuche.`),
    before: 'Ein früherer wurde angenommen.',
    waits: 'Wird versucht, wenn die vor ihm scheitern.',
    openIntegration: 'Integration öffnen',
    openProfile: 'Profil öffnen',
    openPreferences: 'Einstellungen öffnen',
    openSuppressions: 'Sperrliste öffnen',
  },
})

export interface RouteProps {
  explanation: MessageExplanation
  recipient: string
  /** Nothing else is tried. */
  isFinal: boolean
}

export function Route({ explanation, recipient, isFinal }: RouteProps) {
  const t = useTexts(routeTexts)
  const { candidates, deliveries } = explanation
  const rows = candidates.map((candidate): CandidateRow => {
    const outcome = candidateOutcome(candidate, deliveries, isFinal)
    const text = (
      <>
        <OutcomeText outcome={outcome} error={candidate.error} /> <Remedy candidate={candidate} recipient={recipient} />
      </>
    )
    return { candidate, kind: outcome.kind, word: outcome.kind === 'skipped' ? undefined : t[outcome.kind], text }
  })
  return (
    <Section title={t.title} description={t.description}>
      {rows.length === 0 ? <p className={styles.quiet}>{t.none}</p> : <Candidates rows={rows} />}
    </Section>
  )
}

/** Where a candidate that was not used can be made usable. */
function Remedy({ candidate, recipient }: { candidate: Candidate; recipient: string }) {
  const t = useTexts(routeTexts)
  const { reason, integration, suppression } = candidate
  if (reason === 'MISSING_CONFIGURATION' && integration !== undefined)
    return (
      <Link to="/integrations/$id" params={{ id: integration }}>
        {t.openIntegration}
      </Link>
    )
  if (suppression) return <Link to="/suppressions">{t.openSuppressions}</Link>
  if (!hasUser(recipient)) return null
  const user = { userId: recipient }
  if (reason === 'INCOMPLETE_PROFILE_DATA')
    return (
      <Link to="/users/$userId" params={user}>
        {t.openProfile}
      </Link>
    )
  if (reason === 'UNSUBSCRIBED' || reason === 'OPT_IN_REQUIRED')
    return (
      <Link to="/users/$userId" params={user} search={{ tab: 'preferences' }}>
        {t.openPreferences}
      </Link>
    )
  return null
}

function OutcomeText({ outcome, error }: { outcome: CandidateOutcome; error: string | undefined }) {
  const t = useTexts(routeTexts)
  const meanings: Record<string, string> = useTexts(reasonMeanings)
  const format = useFormat()
  const text = (): (string | undefined)[] => {
    switch (outcome.kind) {
      case 'skipped':
        return [meanings[outcome.reason ?? ''] ?? outcome.reason, error]
      case 'accepted':
        return [outcome.tookMs === undefined ? undefined : t.took(format.duration(outcome.tookMs))]
      case 'failed':
        return [outcome.delivery.error]
      case 'trying':
        return [t.attempts(format.number(outcome.delivery.attempts_total)), outcome.delivery.error]
      case 'notNeeded':
        return [t.before]
      case 'next':
        return [t.waits]
    }
  }
  return text().filter(Boolean).join(' ')
}
