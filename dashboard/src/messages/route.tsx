/** Why this channel and this provider, and why not the others: the candidates in their order, and the steps before. */
import { CheckIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { MessageExplanation } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { Channel } from '../parts/channel.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { useStepText } from '../parts/decision-texts.ts'
import { reasonMeanings } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { Tag } from '../parts/status.tsx'
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
    decision: 'The decision, step by step',
    map: 'Template',
    profile: 'Profile',
    preferences: 'Preferences',
    window: 'Time',
    route: 'Route',
    render: 'Content',
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
    decision: 'Die Entscheidung, Schritt für Schritt',
    map: 'Vorlage',
    profile: 'Profil',
    preferences: 'Einstellungen',
    window: 'Zeit',
    route: 'Weg',
    render: 'Inhalt',
  },
})

const tones = {
  accepted: 'good',
  failed: 'bad',
  trying: 'warn',
  next: 'quiet',
  notNeeded: 'quiet',
  skipped: 'quiet',
} as const

export function Route({ explanation, isFinal }: { explanation: MessageExplanation; isFinal: boolean }) {
  const t = useTexts(routeTexts)
  const stepText = useStepText()
  const { candidates, deliveries, steps } = explanation
  const places = [...new Set(candidates.filter(({ selected }) => selected).map(({ order }) => order))]
  return (
    <Section title={t.title} description={t.description}>
      {candidates.length === 0 ? (
        <p className={styles.outcome}>{t.none}</p>
      ) : (
        <ol className={styles.candidates}>
          {candidates.map((candidate) => {
            const outcome = candidateOutcome(candidate, deliveries, isFinal)
            const { channel, integration, provider, title, device, order } = candidate
            return (
              <li key={`${channel} ${integration} ${device?.id}`} data-kind={outcome.kind}>
                <span className={styles.order}>{outcome.kind === 'skipped' ? '–' : places.indexOf(order) + 1}</span>
                <div>
                  <div className={styles.name}>
                    <Channel channel={channel} detail={title ?? provider} />
                    <Tag tone={tones[outcome.kind]} mark={false}>
                      {t[outcome.kind]}
                    </Tag>
                  </div>
                  <OutcomeText outcome={outcome} error={candidate.error} />
                </div>
              </li>
            )
          })}
        </ol>
      )}
      <ol className={styles.steps} aria-label={t.decision}>
        {steps.map((step) => (
          <li key={step.step} data-outcome={step.outcome}>
            {step.outcome === 'passed' ? <CheckIcon aria-hidden /> : <XMarkIcon aria-hidden />}
            <b>{t[step.step]}</b>
            <p>
              <CodeText text={stepText(step)} />
            </p>
          </li>
        ))}
      </ol>
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
  return <p className={styles.outcome}>{text().filter(Boolean).join(' ')}</p>
}
