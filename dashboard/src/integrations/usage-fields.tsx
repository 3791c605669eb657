/** How an integration is used among those of its channels: its place, its share and its limits. */
import { NumberInput } from '@mantine/core'
import type { Integration } from '@postrider/client'
import type { ReactNode } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import type { IntegrationInput } from './change.ts'
import styles from './integrations.module.css'
import type { FieldErrors } from './settings-problem.ts'

const usageTexts = texts({
  en: {
    title: 'How it is used',
    weight: 'Weight',
    weightHint: 'Its share of the channel, among the integrations with a weight. Empty: it has its turn by order.',
    perSecond: 'Calls per second',
    concurrency: 'Calls at a time',
    perDay: 'Calls per day (UTC)',
    limitHint: 'Limits hold over all nodes. A message that finds one reached tries the next integration, or waits.',
  },
  de: {
    title: 'Wie sie genutzt wird',
    weight: 'Gewicht',
    weightHint: 'Ihr Anteil am Kanal unter den Integrationen mit Gewicht. Leer: Sie kommt der Reihe nach dran.',
    perSecond: 'Aufrufe je Sekunde',
    concurrency: 'Aufrufe zugleich',
    perDay: 'Aufrufe je Tag (UTC)',
    limitHint:
      'Grenzen gelten über alle Knoten. Ist eine erreicht, geht eine Nachricht zur nächsten Integration oder wartet.',
  },
})

interface UsageFieldsProps {
  limits: LimitsInput
  errors: FieldErrors
  isReadOnly: boolean
  change(name: keyof LimitsInput, value: string): void
  /** Its place, where the form gives it one. */
  children?: ReactNode
}

export function UsageFields({ limits, errors, isReadOnly, change, children }: UsageFieldsProps) {
  const t = useTexts(usageTexts)
  return (
    <fieldset className={styles.limits} disabled={isReadOnly}>
      <legend>{t.title}</legend>
      {children}
      <div className={styles.pairs}>
        {limitNames.map((name) => (
          <NumberInput
            key={name}
            label={t[labels[name]]}
            {...(name === 'weight' && { description: t.weightHint, className: styles.whole })}
            name={name}
            value={limits[name]}
            error={errors[name]}
            min={0}
            hideControls
            allowDecimal={name === 'per_second'}
            onChange={(value) => change(name, String(value))}
          />
        ))}
      </div>
      <p className={styles.small}>{t.limitHint}</p>
    </fieldset>
  )
}

const limitNames = ['weight', 'per_second', 'concurrency', 'per_day'] as const
export type LimitsInput = Readonly<Record<(typeof limitNames)[number], string>>
const labels = { weight: 'weight', per_second: 'perSecond', concurrency: 'concurrency', per_day: 'perDay' } as const

export const limitsInputOf = (integration: Integration | undefined): LimitsInput => ({
  weight: String(integration?.weight ?? ''),
  per_second: String(integration?.limits?.per_second ?? ''),
  concurrency: String(integration?.limits?.concurrency ?? ''),
  per_day: String(integration?.limits?.per_day ?? ''),
})

/** Only the changed limits; null removes one. */
export function limitsOf(
  input: LimitsInput,
  integration: Integration | undefined,
): Pick<IntegrationInput, 'weight' | 'limits'> {
  const before = limitsInputOf(integration)
  const changedNames = limitNames.filter((name) => input[name] !== before[name])
  const value = (name: (typeof limitNames)[number]) => (input[name] === '' ? null : Number(input[name]))
  const limits = changedNames.filter((name) => name !== 'weight').map((name) => [name, value(name)])
  return {
    ...(changedNames.includes('weight') && { weight: value('weight') }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  }
}
