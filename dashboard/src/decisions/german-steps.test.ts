/** Steps of a decision by their codes, and those of the server for codes of later versions. */
import type { DecisionStep } from '@postrider/client'
import { englishSteps, stepText } from '@postrider/client/steps'
import { expect, test } from 'vitest'
import { germanSteps } from './german-steps.ts'

const format = { time: (at: number) => `<${at}>` }
const step = (more: Partial<DecisionStep>): DecisionStep => ({
  step: 'route',
  outcome: 'passed',
  code: 'routed',
  params: {
    method: 'single',
    integrations: [{ channel: 'push', provider: 'expo', title: 'Phones', devices: 2, fallback: false }],
  },
  summary: 'It goes by push (expo, 2 devices). `smss` is neither.',
  facts: {},
  ...more,
})
const note = {
  code: 'route_name_unknown',
  params: { name: 'smss', suggestion: 'sms' },
  text: '`smss` is neither.',
} as const

test('a step and its notes are sentences in each language', () => {
  const noted = step({ notes: [note] })
  expect(stepText(germanSteps, noted, format)).toBe(
    'Sie geht über Push (Phones, 2 Geräte). `smss` ist weder ein Kanal noch ein Anbieter mit einer Integration. Ist `sms` gemeint?',
  )
  expect(stepText(englishSteps, noted, format)).toBe(
    'It goes by push (Phones, 2 devices). `smss` is neither a channel nor a provider with an integration. Did you mean `sms`?',
  )
})

test('the cause of a suppression names who added it', () => {
  const stopped = (reason: 'hard_bounce' | 'manual', source: string) =>
    step({
      code: 'address_suppressed',
      params: { suppressions: [{ channel: 'email', reason, source, created: 5 }] },
    } as Partial<DecisionStep>)
  const texts = (['provider/smtp', 'key/first key'] as const).map((source) =>
    stepText(germanSteps, stopped('hard_bounce', source), format),
  )
  const start = 'Die Adresse für E-Mail steht seit <5> auf der Sperrliste:'
  expect(texts).toEqual([
    `${start} die Adresse gibt es nicht (eingetragen durch smtp).`,
    `${start} die Adresse gibt es nicht (eingetragen mit dem Schlüssel \`first key\`).`,
  ])
  expect(stepText(germanSteps, stopped('manual', 'key/app'), format)).toBe(
    `${start} von Hand eingetragen, mit dem Schlüssel \`app\`.`,
  )
})

test('a version is a number', () => {
  const mapped = step({ code: 'event_mapped', params: { event: 'e', notification_id: 'N', version: 'v12' } })
  expect(stepText(englishSteps, mapped, format)).toBe('The event `e` leads to the template `N`, version 12.')
  expect(stepText(germanSteps, mapped, format)).toBe('Das Ereignis `e` führt zur Vorlage `N`, Version 12.')
})

test('times and missing addresses are in the words of the reader', () => {
  const snoozed = step({ code: 'snoozed', params: { until: 5 } })
  expect(stepText(germanSteps, snoozed, format)).toBe('Der Empfänger hat sie bis <5> stumm geschaltet.')
  const need = { channel: 'sms', title: 'Twilio', keys: ['phone_number'], keys_total: 1, or_token: false } as const
  const params = {
    ...{ needs: [{ ...need, keys: [...need.keys], need: 'profile_key' as const }], more: 1 },
    ...{ sandbox_channels: ['email' as const], real_channels: ['sms' as const] },
  }
  expect(stepText(germanSteps, step({ code: 'no_address', params }), format)).toBe(
    'Keine nutzbare Adresse: SMS (Twilio) braucht `phone_number` im Profil und 1 weitere; für E-Mail gibt es keine echte Integration, und eine Zustellung über nur einen der Kanäle weicht von einer solchen (SMS) nicht auf das Postfach aus.',
  )
})

test('an unknown code of a step or a note is shown as the server says it', () => {
  const unknown = 'of_a_later_version' as DecisionStep['code']
  const later = step({ code: unknown, notes: [note] })
  expect(stepText(germanSteps, later, format)).toBe(later.summary)
  expect(stepText(germanSteps, step({ code: 'toString' as DecisionStep['code'] }), format)).toBe(later.summary)
  const laterNote = step({ notes: [{ ...note, code: unknown }] })
  expect(stepText(germanSteps, laterNote, format)).toBe('Sie geht über Push (Phones, 2 Geräte). `smss` is neither.')
})
