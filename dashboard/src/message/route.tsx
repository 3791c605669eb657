/** Why this channel and this provider, and why not the others: the candidates in their order. */
import type { AttemptRecord, Candidate, DecisionStep, Reason } from '@postrider/client'
import { isDeleted } from '@postrider/client/sentence'
import { Link } from '@tanstack/react-router'
import { type CandidateRow, Candidates } from '../decisions/candidates.tsx'
import { useCandidateReason } from '../decisions/decision-texts.ts'
import { texts, useTexts } from '../language/language.tsx'
import { hasUser } from '../names/recipient-ids.ts'
import { reasonMeanings } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { serverTexts } from '../parts/server-texts.ts'
import { isWish } from '../parts/status.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './message.module.css'
import type { MessageReplies } from './message-query.ts'
import { type CandidateOutcome, candidateOutcome } from './outcome.ts'
import { isDecided, isUnfinished } from './timeline/rows.ts'

const routeTexts = texts({
  en: {
    title: 'Why not the others',
    description: 'in the order in which they are tried',
    none: 'There was no candidate.',
    ofNow: 'as things are now: it is not decided yet',
    undecided: 'It ended before its decision.',
    accepted: 'accepted',
    failed: 'failed',
    inDoubt: 'in doubt',
    notCalled: 'left for another',
    noAttempt: 'no attempt',
    trying: 'tried again',
    forRepair: 'waits for repair',
    deleted: 'deleted',
    calling: 'is being called',
    next: 'next',
    notNeeded: 'not needed',
    took: (duration: string) => `Accepted after ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 attempt.' : `${count} attempts.`),
    before: 'One before it was accepted.',
    elsewhere: 'Another one was accepted.',
    later: 'It is decided when its wait is over.',
    ended: 'The message ended before its turn.',
    alike: 'Skipped: the same rejection is expected there.',
    first: 'Tried first.',
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
    ofNow: 'nach dem Stand von jetzt: noch ist sie nicht entschieden',
    undecided: 'Sie endete vor ihrer Entscheidung.',
    accepted: 'angenommen',
    failed: 'fehlgeschlagen',
    inDoubt: 'ungewiss',
    notCalled: 'einer anderen überlassen',
    noAttempt: 'kein Versuch',
    trying: 'wird wiederholt',
    forRepair: 'wartet auf Reparatur',
    deleted: 'gelöscht',
    calling: 'wird aufgerufen',
    next: 'als Nächstes',
    notNeeded: 'nicht nötig',
    took: (duration: string) => `Angenommen nach ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 Versuch.' : `${count} Versuche.`),
    before: 'Ein früherer wurde angenommen.',
    elsewhere: 'Ein anderer wurde angenommen.',
    later: 'Sie wird entschieden, wenn ihre Wartezeit vorbei ist.',
    ended: 'Die Nachricht endete vor seinem Versuch.',
    alike: 'Übersprungen: Dort ist dieselbe Ablehnung zu erwarten.',
    first: 'Wird zuerst versucht.',
    waits: 'Wird versucht, wenn die vor ihm scheitern.',
    openIntegration: 'Integration öffnen',
    openProfile: 'Profil öffnen',
    openPreferences: 'Einstellungen öffnen',
    openSuppressions: 'Sperrliste öffnen',
  },
})

export function Route({ message, explanation, events }: MessageReplies) {
  const t = useTexts(routeTexts)
  const { recipient } = message
  /** Nothing else is tried. */
  const isFinal = !isUnfinished(message)
  const isOfNow = !isDecided({ explanation, events })
  const { deliveries } = explanation
  // The candidates of now were never those of a message that ended before its decision.
  const candidates = isFinal && isOfNow ? [] : explanation.candidates
  const outcomes = candidates.map((candidate) =>
    candidateOutcome(candidate, deliveries, isFinal, message.status === 'CANCELED'),
  )
  const wasAccepted = outcomes.some(({ kind }) => kind === 'accepted')
  const wordOf = (outcome: CandidateOutcome) => {
    if (outcome.kind === 'skipped') return undefined
    if (outcome.kind === 'trying' && message.status === 'HELD')
      return isDeleted(outcome.delivery) ? t.deleted : t.forRepair
    if (outcome.kind === 'trying' && outcome.delivery.attempts.some(isInProgress)) return t.calling
    const isFirst = outcome.kind === 'trying' && outcome.delivery.attempts_total === 0
    if (outcome.kind === 'notCalled' && !wasAccepted) return t.noAttempt
    return t[isFirst ? 'next' : outcome.kind]
  }
  const rows = candidates.map((candidate, index): CandidateRow => {
    const outcome = outcomes[index] as CandidateOutcome
    const text = (
      <>
        <OutcomeText
          outcome={outcome}
          wasAccepted={wasAccepted}
          isAfterAccepted={outcomes.slice(0, index).some(({ kind }) => kind === 'accepted')}
          isFirst={candidates.findIndex(({ selected }) => selected) === index}
          isRefused={deliveries.some(
            ({ channel, reason }) => channel === candidate.channel && reason === 'PROVIDER_ERROR',
          )}
          candidate={candidate}
          steps={explanation.steps}
        />{' '}
        <Remedy candidate={candidate} recipient={recipient} />
      </>
    )
    return { candidate, kind: outcome.kind, word: wordOf(outcome), text }
  })
  return (
    <Section title={t.title} description={isOfNow && !isFinal ? t.ofNow : t.description}>
      {rows.length === 0 ? (
        <p className={styles.quiet}>
          {isOfNow && isFinal ? t.undecided : message.status === 'DELAYED' ? t.later : t.none}
        </p>
      ) : (
        <Candidates rows={rows} />
      )}
    </Section>
  )
}

/** Where a candidate that was not used can be made usable. */
function Remedy({ candidate, recipient }: { candidate: Candidate; recipient: string }) {
  const t = useTexts(routeTexts)
  const { reason, integration, suppression } = candidate
  if (reason === 'MISSING_CONFIGURATION' && integration !== undefined && !isDeleted(candidate))
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

const isInProgress = ({ outcome, ended }: AttemptRecord) => outcome === undefined && ended === undefined

/** It ended between two attempts, or before the first, and not by its integration. */
const isStop = (reason: Reason | undefined): reason is Reason => isWish(reason) || reason === 'SUPPRESSED'

interface OutcomeTextProps {
  outcome: CandidateOutcome
  /** One of the candidates has the message. */
  wasAccepted: boolean
  /** One of those before it. */
  isAfterAccepted: boolean
  /** No candidate is tried before it. */
  isFirst: boolean
  /** Another integration of its channel has failed. */
  isRefused: boolean
  candidate: Candidate
  steps: readonly DecisionStep[]
}

function OutcomeText({ outcome, candidate, steps, ...others }: OutcomeTextProps) {
  const { wasAccepted, isAfterAccepted, isFirst, isRefused } = others
  const t = useTexts(routeTexts)
  const meanings: Record<string, string> = useTexts(reasonMeanings)
  const whyNotUsed = useCandidateReason()
  const say = useTexts(serverTexts)
  const format = useFormat()
  const text = (): (string | undefined)[] => {
    switch (outcome.kind) {
      case 'skipped':
        return [whyNotUsed(candidate, steps), candidate.error]
      case 'accepted':
        return [outcome.tookMs === undefined ? undefined : t.took(format.duration(outcome.tookMs))]
      case 'inDoubt':
      case 'failed': {
        const { reason, attempts, error: cause } = outcome.delivery
        return isStop(reason) ? [attempts.at(-1)?.error, meanings[reason]] : [cause]
      }
      case 'notCalled': {
        const { reason, error: cause } = outcome.delivery
        if (reason === 'SUPPRESSED' && isRefused) return [t.alike]
        return [isStop(reason) ? meanings[reason] : cause]
      }
      case 'trying':
        return [
          outcome.delivery.attempts_total === 0
            ? undefined
            : t.attempts(format.number(outcome.delivery.attempts_total)),
          outcome.delivery.error,
        ]
      case 'notNeeded':
        return [isAfterAccepted ? t.before : isRefused ? t.alike : wasAccepted ? t.elsewhere : t.ended]
      case 'next':
        return [isFirst ? t.first : t.waits]
    }
  }
  return text()
    .filter((part) => part !== undefined)
    .map(say.error)
    .join(' ')
}
