/** Whether an integration is in use, as a word. */
import type { Integration } from '@postrider/client'
import { texts, useTexts } from '../language/language.tsx'
import { Tag, type Tone } from '../parts/status.tsx'

const conditionTexts = texts({
  en: {
    off: 'Switched off',
    unreadable: 'Secrets unreadable',
    open: 'Not called: calls failed',
    half_open: 'Being probed',
    closed: 'In use',
  },
  de: {
    off: 'Ausgeschaltet',
    unreadable: 'Geheimnisse nicht lesbar',
    open: 'Nicht aufgerufen: Aufrufe scheiterten',
    half_open: 'Wird erprobt',
    closed: 'In Betrieb',
  },
})

/** Why an integration is not called, within a sentence. */
export const breakerReasons = texts({
  en: {
    failures: 'calls failed one after another',
    connection: 'no connection could be made',
    configuration: 'the provider refuses its configuration',
    authentication: 'the provider refuses its credentials',
    unknown: 'its calls failed',
  },
  de: {
    failures: 'mehrere Aufrufe nacheinander sind fehlgeschlagen',
    connection: 'es kam keine Verbindung zustande',
    configuration: 'der Anbieter lehnt die Einstellungen ab',
    authentication: 'der Anbieter lehnt die Zugangsdaten ab',
    unknown: 'ihre Aufrufe sind fehlgeschlagen',
  },
})

type Condition = 'off' | 'unreadable' | 'open' | 'half_open' | 'closed'

const tones: Record<Condition, Tone> = {
  ...{ off: 'quiet', unreadable: 'bad', open: 'bad', half_open: 'warn', closed: 'good' },
}

function conditionOf({ enabled, unreadable, circuit_breaker }: Integration): Condition {
  if (unreadable) return 'unreadable'
  return enabled ? (circuit_breaker?.state ?? 'closed') : 'off'
}

export function ConditionTag({ integration }: { integration: Integration }) {
  const t = useTexts(conditionTexts)
  const condition = conditionOf(integration)
  return <Tag tone={tones[condition]}>{t[condition]}</Tag>
}
