/** Events and automations that lead to the template: whom a change concerns. */
import type { NotificationUses } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Card, Section } from '../parts/page.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './editor.module.css'

const usesTexts = texts({
  en: {
    events: 'Events',
    eventsText: 'Sends of these events use the published version.',
    eventMap: 'Open the event map',
    automations: 'Automations',
    automationsText: 'Automations whose version in force sends it, and the steps that do.',
    none: 'No event and no automation leads here',
    noneText: 'It is sent by its id or its alias, or not at all.',
    last: 'Latest message',
    never: 'None that is stored.',
    incomplete: 'There are more than are shown.',
    step: (number: string) => `Step ${number}`,
    messages: 'See its messages',
  },
  de: {
    events: 'Ereignisse',
    eventsText: 'Sendungen dieser Ereignisse nehmen die veröffentlichte Version.',
    eventMap: 'Ereignisse öffnen',
    automations: 'Automationen',
    automationsText: 'Automationen, deren geltende Version sie sendet, und die Schritte, die es tun.',
    none: 'Kein Ereignis und keine Automation führt hierher',
    noneText: 'Gesendet wird sie durch ihre Id oder ihren Alias, oder gar nicht.',
    last: 'Letzte Nachricht',
    never: 'Keine ist gespeichert.',
    incomplete: 'Es gibt mehr, als gezeigt werden.',
    step: (number: string) => `Schritt ${number}`,
    messages: 'Ihre Nachrichten zeigen',
  },
})

export const usesQuery = (id: string) => ({
  queryKey: ['notification', id, 'uses'],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<NotificationUses> => api.notifications.uses(id, { signal }),
})

export function UsesTab({ id }: { id: string }) {
  const t = useTexts(usesTexts)
  const { data, error, refetch } = useQuery(usesQuery(id))
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={4} />
  const { events, automations, last_message: last, complete } = data
  return (
    <div className={styles.details}>
      {events.length === 0 && automations.length === 0 && <Empty title={t.none}>{t.noneText}</Empty>}
      {events.length > 0 && (
        <Section title={t.events} description={t.eventsText} actions={<Link to="/events">{t.eventMap}</Link>}>
          <Card padded={false}>
            <ul className={styles.uses}>
              {events.map((event) => (
                <li key={event}>
                  <code>{event}</code>
                </li>
              ))}
            </ul>
          </Card>
        </Section>
      )}
      {automations.length > 0 && (
        <Section title={t.automations} description={t.automationsText}>
          <Card padded={false}>
            <ul className={styles.uses}>
              {automations.map(({ id: automation, alias, name, steps }) => (
                <li key={automation}>
                  <Link to="/automations/$id" params={{ id: automation }} title={automation}>
                    {name || alias || automation}
                  </Link>
                  <span className={styles.note}>
                    {steps.map((path) => {
                      const search = stepSearch(path)
                      return (
                        <Link key={path} to="/automations/$id" params={{ id: automation }} search={search} title={path}>
                          {search.step === undefined ? <code>{path}</code> : t.step(String(search.step + 1))}
                        </Link>
                      )
                    })}
                  </span>
                </li>
              ))}
            </ul>
          </Card>
        </Section>
      )}
      {!complete && <p className={styles.note}>{t.incomplete}</p>}
      <Section
        title={t.last}
        actions={
          <Link to="/messages" search={{ notification: id }}>
            {t.messages}
          </Link>
        }
      >
        {last === null ? <p className={styles.note}>{t.never}</p> : <Time at={last} />}
      </Section>
    </div>
  )
}

/** The step of a path such as `steps.2.message`, open on the screen of its automation. */
function stepSearch(path: string): { step?: number } {
  const position = /^steps\.(\d+)/.exec(path)?.[1]
  return position === undefined ? {} : { step: Number(position) }
}
