/** The variables that the draft reads, and in how many of the latest messages each has no value. */
import type { TemplateVariable } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { missingIn, variableName } from '../parts/content/variables.ts'
import type { Changes } from '../parts/search-params.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import type { Draft } from './draft/draft-store.ts'
import styles from './editor.module.css'
import { recentQuery, useInspection } from './preview.tsx'
import type { EditorSearch } from './search.ts'

const LINKS_MAX = 3

const variablesTexts = texts({
  en: {
    variable: 'Variable',
    kind: 'Read as',
    need: 'Needed',
    always: 'always',
    sometimes: 'under a condition',
    recent: 'Latest messages',
    all: (count: number) => `in all ${count}`,
    missing: (missing: number, count: number) => `missing in ${missing} of ${count}`,
    unsent: 'not sent yet',
    none: 'This content reads no data',
    noneHint: 'A variable is written {name} or {order.id}; its value comes in "data" of the send.',
    fill: 'Show the preview with the data of a message',
    show: 'Show',
    warnings: 'Warnings',
    samples: 'samples',
  },
  de: {
    variable: 'Variable',
    kind: 'Gelesen als',
    need: 'Gebraucht',
    always: 'immer',
    sometimes: 'unter einer Bedingung',
    recent: 'Letzte Nachrichten',
    all: (count: number) => `in allen ${count}`,
    missing: (missing: number, count: number) => `fehlt in ${missing} von ${count}`,
    unsent: 'noch nicht gesendet',
    none: 'Dieser Inhalt liest keine Daten',
    noneHint: 'Eine Variable schreibt sich {name} oder {order.id}; ihr Wert kommt in "data" der Sendung.',
    fill: 'Vorschau mit den Daten einer Nachricht',
    show: 'Zeigen',
    warnings: 'Hinweise',
    samples: 'Beispiele',
  },
})

interface VariablesTabProps {
  id: string
  draft: Draft
  search: EditorSearch
  setSearch(changes: Changes<EditorSearch>): void
}

export function VariablesTab({ id, draft, search, setSearch }: VariablesTabProps) {
  const t = useTexts(variablesTexts)
  const inspection = useInspection(draft)
  const recent = useQuery(recentQuery(id))
  if (inspection.isPending) return <Loading />
  if (inspection.isError) return <Failed error={inspection.error} retry={inspection.refetch} />
  const { variables, warnings } = inspection.data
  const messages = recent.data ?? []
  return (
    <div className={styles.stack}>
      {warnings.length > 0 && (
        <ul className={styles.warnings} aria-label={t.warnings}>
          {warnings.map((warning) => (
            <li key={warning}>{warning}</li>
          ))}
        </ul>
      )}
      {variables.length === 0 ? (
        <Empty title={t.none}>{t.noneHint}</Empty>
      ) : (
        <div className={styles.scroll}>
          <table>
            <thead>
              <tr>
                <th>{t.variable}</th>
                <th className={styles.wide}>{t.kind}</th>
                <th>{t.need}</th>
                <th>{t.recent}</th>
              </tr>
            </thead>
            <tbody>
              {variables.map((variable) => (
                <tr key={variableName(variable.path)}>
                  <td>
                    <code>{variableName(variable.path)}</code>
                  </td>
                  <td className={styles.wide}>{variable.kind}</td>
                  <td>{variable.required ? t.always : t.sometimes}</td>
                  <td>
                    <Presence variable={variable} messages={messages} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {messages.length > 0 && (
        <div>
          <p className={styles.note}>{t.fill}</p>
          <div className={styles.controls}>
            {messages.slice(0, 6).map((message) => (
              <button
                key={message.id}
                type="button"
                className={styles.starter}
                aria-pressed={search.message === message.id}
                onClick={() => setSearch({ message: search.message === message.id ? undefined : message.id })}
              >
                {message.recipient}
                <span>
                  <Time at={message.enqueued} />
                </span>
              </button>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}

interface PresenceProps {
  variable: TemplateVariable
  messages: readonly { id: string; recipient: string; data: unknown }[]
}

function Presence({ variable, messages }: PresenceProps) {
  const t = useTexts(variablesTexts)
  if (messages.length === 0) return <span className={styles.note}>{t.unsent}</span>
  const missingIds = missingIn(variable.path, messages)
  if (missingIds.length === 0) return <Tag tone="good">{t.all(messages.length)}</Tag>
  return (
    <div className={styles.presence}>
      <Tag tone={variable.required ? 'warn' : 'quiet'}>{t.missing(missingIds.length, messages.length)}</Tag>
      <span className={styles.links}>
        {messages
          .filter(({ id }) => missingIds.includes(id))
          .slice(0, LINKS_MAX)
          .map(({ id, recipient }) => (
            <Link key={id} to="/messages/$messageId" params={{ messageId: id }} title={id}>
              {recipient}
            </Link>
          ))}
      </span>
    </div>
  )
}
