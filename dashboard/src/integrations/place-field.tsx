/** Where a new integration is tried among those of its channels: last, unless another place is chosen. */
import { NativeSelect } from '@mantine/core'
import type { Integration } from '@postrider/client'
import { useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useFormat } from '../parts/time.tsx'
import styles from './integrations.module.css'
import type { PriorityChange } from './order.ts'
import { neighborsOf, newPlace } from './place.ts'

const placeTexts = texts({
  en: {
    tried: (channels: string) => `Tried for ${channels}`,
    first: (next: string) => `First, then ${next}`,
    between: (previous: string, next: string) => `After ${previous}, before ${next}`,
    last: (previous: string) => `Last, after ${previous}`,
    only: (channels: string, count: number) => `${channels} ${count === 1 ? 'goes' : 'go'} by it from now on.`,
    isFirst: (next: string) => `It is tried first, before ${next}.`,
    isBetween: (previous: string, next: string) => `It is tried after ${previous}, before ${next}.`,
    isLast: (previous: string) => `It is tried after ${previous}.`,
    shares: (others: string) => `It shares its messages by weight with ${others}.`,
    raised: (titles: string) => `Makes room with a new priority for ${titles}; their order stays.`,
    closes: (titles: string) =>
      `${titles} is not called now, because its latest calls failed. The new priority ends that: it is called again at once.`,
  },
  de: {
    tried: (channels: string) => `Reihenfolge für ${channels}`,
    first: (next: string) => `Zuerst, dann ${next}`,
    between: (previous: string, next: string) => `Nach ${previous}, vor ${next}`,
    last: (previous: string) => `Zuletzt, nach ${previous}`,
    only: (channels: string, count: number) => `${channels} ${count === 1 ? 'geht' : 'gehen'} ab jetzt über sie.`,
    isFirst: (next: string) => `Sie wird zuerst versucht, vor ${next}.`,
    isBetween: (previous: string, next: string) => `Sie wird nach ${previous} und vor ${next} versucht.`,
    isLast: (previous: string) => `Sie wird nach ${previous} versucht.`,
    shares: (others: string) => `Sie teilt sich die Nachrichten nach Gewicht mit ${others}.`,
    raised: (titles: string) => `Das macht Platz: ${titles} rücken nach hinten und behalten ihre Reihenfolge.`,
    closes: (titles: string) =>
      `${titles} wird gerade nicht aufgerufen, weil die letzten Aufrufe scheiterten. Der neue Rang beendet das: Die Aufrufe beginnen sofort wieder.`,
  },
})

export interface ChosenPlace {
  priority: number
  changes: readonly PriorityChange[]
  /** Where it is, as a sentence. */
  sentence(weight: number | null | undefined): string
  field: React.ReactNode
}

export function usePlace(
  integrations: readonly Integration[],
  channels: readonly Integration['channel'][],
): ChosenPlace {
  const t = useTexts(placeTexts)
  const names = useTexts(channelNames)
  const { list } = useFormat()
  const [beforeId, setBeforeId] = useState<string>()
  const neighbors = neighborsOf(integrations, channels).filter(({ enabled, unreadable }) => enabled && !unreadable)
  const index = neighbors.findIndex(({ id }) => id === beforeId)
  const next = neighbors[index]
  const previous = next ? neighbors[index - 1] : neighbors.at(-1)
  const { priority, changes } = newPlace(integrations, channels, next?.id)
  const raised = changes.flatMap(({ id }) => integrations.find((other) => other.id === id) ?? [])
  const closed = raised.filter(({ circuit_breaker: breaker }) => breaker && breaker.state !== 'closed')
  const titlesOf = (rows: readonly Integration[]) => list(rows.map(({ title }) => title))
  const channelText = list(channels.map((channel) => names[channel]))
  const sentence = (weight: number | null | undefined) => {
    const sharers = weight ? neighbors.filter((other) => other.weight !== undefined) : []
    if (sharers.length > 0) return t.shares(titlesOf(sharers))
    if (!previous) return next ? t.isFirst(next.title) : t.only(channelText, channels.length)
    return next ? t.isBetween(previous.title, next.title) : t.isLast(previous.title)
  }
  const notes = [raised.length > 0 && t.raised(titlesOf(raised)), closed.length > 0 && t.closes(titlesOf(closed))]
  const field = neighbors.length > 0 && (
    <div>
      <NativeSelect
        label={t.tried(channelText)}
        name="place"
        value={next?.id ?? ''}
        data={[
          ...neighbors.map(({ id, title }, place) => {
            const before = neighbors[place - 1]
            return { value: id, label: before ? t.between(before.title, title) : t.first(title) }
          }),
          { value: '', label: t.last(neighbors.at(-1)?.title ?? '') },
        ]}
        onChange={(event) => setBeforeId(event.currentTarget.value || undefined)}
      />
      {notes.filter(Boolean).map((note) => (
        <p key={String(note)} className={styles.small}>
          {note}
        </p>
      ))}
    </div>
  )
  return { priority, changes, sentence, field }
}
