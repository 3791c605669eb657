/** The timeline of a message: each event with its facts in words, and as JSON on demand. */
import type { HistoryEvent, MessageExplanation } from '@postrider/client'
import { texts, useLanguage, useTexts } from '../language/language.tsx'
import { useTemplateNames } from '../names/template-names.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { channelNames } from '../parts/meanings.ts'
import { Section } from '../parts/page.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { eventFacts, eventLook, eventTexts, nextAttemptOf } from './event-words.ts'
import styles from './message.module.css'

const timelineTexts = texts({
  en: { title: 'Timeline', json: 'JSON', description: 'Everything that happened; + counts from its acceptance.' },
  de: { title: 'Verlauf', json: 'JSON', description: 'Alles, was geschah; + zählt ab der Annahme.' },
})

export interface TimelineProps {
  events: readonly HistoryEvent[]
  explanation: MessageExplanation
}

export function Timeline({ events, explanation }: TimelineProps) {
  const t = useTexts(timelineTexts)
  const titles = useTexts(eventTexts)
  const channels: Record<string, string> = useTexts(channelNames)
  const { language } = useLanguage()
  const format = useFormat()
  const templates = useTemplateNames()
  const start = events[0]?.ts ?? 0
  const integrationTitles = new Map(explanation.deliveries.map(({ integration, title }) => [integration, title]))
  const eventFormat = {
    time: (at: number) =>
      new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at)),
    channel: (channel: string) => channels[channel] ?? channel,
    template: (id: string) => templates.get(id) ?? id,
    integration: ({ id, provider }: { id: string; provider: string }) => integrationTitles.get(id) ?? provider,
  }
  return (
    <Section title={t.title} description={t.description}>
      <ol className={styles.timeline}>
        {events.map((event, index) => {
          const { title, tone, also } = eventLook(event, events)
          const facts = [
            ...eventFacts(event, titles, eventFormat, nextAttemptOf(event, events, explanation.deliveries)),
            ...(also ? [titles[also]] : []),
          ]
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: events are only appended
            <li key={index}>
              <span className={styles.dot} data-tone={tone} aria-hidden />
              <div>
                <h3>{titles[title]}</h3>
                {facts.map((fact) => (
                  <p key={fact} className={styles.facts}>
                    <CodeText text={fact} />
                  </p>
                ))}
                <details className={styles.raw}>
                  <summary>{t.json}</summary>
                  <pre>{JSON.stringify(event, null, 2)}</pre>
                </details>
              </div>
              <div className={styles.when}>
                <Time at={event.ts} exact />
                {index > 0 && <div>+{format.duration(event.ts - start)}</div>}
              </div>
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
