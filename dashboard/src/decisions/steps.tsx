/** The six steps of a decision, each with its outcome in the reader's language; those that it did not reach stay empty. */
import { CheckIcon, MinusIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { DecisionStep } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { CodeText } from '../parts/code/code-text.tsx'
import { useStepText } from './decision-texts.ts'
import styles from './decisions.module.css'

export const stepNames = texts({
  en: {
    map: 'Template',
    profile: 'Profile',
    preferences: 'Preferences',
    window: 'Time',
    route: 'Route',
    render: 'Content',
  },
  de: {
    map: 'Vorlage',
    profile: 'Profil',
    preferences: 'Einstellungen',
    window: 'Zeit',
    route: 'Weg',
    render: 'Inhalt',
  },
})

const stepTexts = texts({
  en: {
    decision: 'The decision, step by step',
    passed: 'passed',
    stopped: 'stopped here',
    notReached: 'not reached',
  },
  de: {
    decision: 'Die Entscheidung, Schritt für Schritt',
    passed: 'bestanden',
    stopped: 'hier gestoppt',
    notReached: 'nicht erreicht',
  },
})

const names = ['map', 'profile', 'preferences', 'window', 'route', 'render'] as const

interface DecisionStepsProps {
  steps: readonly DecisionStep[]
  /** More sentences at a step. */
  notes?: Partial<Record<DecisionStep['step'], readonly string[]>>
}

export function DecisionSteps({ steps, notes = {} }: DecisionStepsProps) {
  const t = useTexts(stepTexts)
  const titles = useTexts(stepNames)
  const stepText = useStepText(steps)
  return (
    <ol className={styles.steps} aria-label={t.decision}>
      {names.map((name) => {
        const step = steps.find((each) => each.step === name)
        const outcome = step?.outcome ?? 'notReached'
        const sentences = [...(step ? [stepText(step)] : []), ...(notes[name] ?? [])]
        const Icon = outcome === 'passed' ? CheckIcon : outcome === 'stopped' ? XMarkIcon : MinusIcon
        return (
          <li key={name} data-outcome={outcome}>
            <Icon role="img" aria-label={t[outcome]} />
            <b>{titles[name]}</b>
            {sentences.length > 0 && (
              <p>
                <CodeText text={sentences.join(' ')} />
              </p>
            )}
          </li>
        )
      })}
    </ol>
  )
}
