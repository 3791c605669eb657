/** Why this channel and this provider, and why not the others: the candidates in their order, and the steps before. */
import type { MessageExplanation } from '@postrider/client'
import { Candidates } from '../decisions/candidates.tsx'
import { DecisionSteps } from '../decisions/steps.tsx'
import { texts, useTexts } from '../language/language.tsx'
import { reasonMeanings } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { useFormat } from '../parts/time.tsx'
import styles from './message.module.css'
import { type CandidateOutcome, candidateOutcome } from './outcome.ts'

const routeTexts = texts({
  en: {
    title: 'Why this way',
    description: 'Every channel and integration that could carry it, in the order in which they are tried.',
    none: 'There was no candidate.',
    accepted: 'accepted',
    failed: 'failed',
    trying: 'tried again',
    next: 'next',
    notNeeded: 'not needed',
    skipped: 'not used',
    took: (duration: string) => `Accepted after ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 attempt.' : `${count} attempts.`),
    before: 'One before it was accepted.',
    waits: 'Tried when those before it fail.',
  },
  de: {
    title: 'Warum auf diesem Weg',
    description: 'Jeder Kanal und jede Integration, die sie tragen könnten, in der Reihenfolge der Versuche.',
    none: 'Kein Weg kam in Betracht.',
    accepted: 'angenommen',
    failed: 'fehlgeschlagen',
    trying: 'wird wiederholt',
    next: 'als Nächstes',
    notNeeded: 'nicht nötig',
    skipped: 'nicht benutzt',
    took: (duration: string) => `Angenommen nach ${duration}.`,
    attempts: (count: string) => (count === '1' ? '1 Versuch.' : `${count} Versuche.`),
    before: 'Ein früherer wurde angenommen.',
    waits: 'Wird versucht, wenn die vor ihm scheitern.',
  },
})

export function Route({ explanation, isFinal }: { explanation: MessageExplanation; isFinal: boolean }) {
  const t = useTexts(routeTexts)
  const { candidates, deliveries, steps } = explanation
  const rows = candidates.map((candidate) => {
    const outcome = candidateOutcome(candidate, deliveries, isFinal)
    const { kind } = outcome
    return { candidate, kind, word: t[kind], text: <OutcomeText outcome={outcome} error={candidate.error} /> }
  })
  return (
    <Section title={t.title} description={t.description}>
      {rows.length === 0 ? <p className={styles.outcome}>{t.none}</p> : <Candidates rows={rows} />}
      <div className={styles.decision}>
        <DecisionSteps steps={steps} />
      </div>
    </Section>
  )
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
