/** Whether an integration is in use, as a word. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../language/language.tsx'
import { Tag, type Tone } from '../parts/status.tsx'
import { type Condition, conditionOf } from './integration-condition.ts'
import { waitingQuery } from './waiting-query.ts'

const conditionTexts = texts({
  en: {
    off: 'Switched off',
    unreadable: 'Secrets unreadable',
    open: 'Not called: calls failed',
    half_open: 'Being probed',
    due: 'Failed: the next message tries it',
    held: 'Needs a repair',
    limited: 'Limit of today reached',
    closed: 'In use',
  },
  de: {
    off: 'Ausgeschaltet',
    unreadable: 'Geheimnisse nicht lesbar',
    open: 'Nicht aufgerufen: Aufrufe scheiterten',
    half_open: 'Wird erprobt',
    due: 'Ausgefallen: nächste Nachricht versucht es',
    held: 'Muss repariert werden',
    limited: 'Tageslimit erreicht',
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

const tones: Record<Condition, Tone> = {
  ...{ off: 'quiet', unreadable: 'bad', open: 'bad', half_open: 'warn', due: 'warn', held: 'bad' },
  ...{ limited: 'warn', closed: 'good' },
}

export function ConditionTag({ integration }: { integration: Integration }) {
  const t = useTexts(conditionTexts)
  const { data: waiting } = useQuery(waitingQuery)
  const condition = conditionOf(integration, waiting?.heldBy.get(integration.id)?.length ?? 0, Date.now())
  return <Tag tone={tones[condition]}>{t[condition]}</Tag>
}
