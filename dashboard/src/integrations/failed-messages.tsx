/** The last messages that failed at one integration: a provider can have several. */
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { Card, Section } from '../parts/page.tsx'
import { MessageStatusTag } from '../parts/status.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { failedAt } from './failed-at.ts'
import styles from './integrations.module.css'

const failedTexts = texts({
  en: {
    title: 'Last failed messages',
    all: (provider: string) => `All that failed at ${provider}`,
    none: 'No message has ended undelivered at this integration.',
    noneLately: (provider: string, count: number) =>
      `None of the last ${count} messages that failed at ${provider} failed at this integration; older ones were not looked at.`,
  },
  de: {
    title: 'Zuletzt gescheiterte Nachrichten',
    all: (provider: string) => `Alle, die bei ${provider} scheiterten`,
    none: 'Bei dieser Integration ist keine Nachricht endgültig gescheitert.',
    noneLately: (provider: string, count: number) =>
      `Von den letzten ${count} Nachrichten, die bei ${provider} scheiterten, ist keine von dieser Integration; ältere wurden nicht angesehen.`,
  },
})

const SHOWN = 5
const SEARCHED = 50
const REFRESH_MS = 10_000

const failedQuery = (provider: string) => ({
  queryKey: ['messages', 'of-provider', provider, 'failed'],
  queryFn: ({ signal }: { signal: AbortSignal }) =>
    api.messages.list(
      { provider: [provider], status: ['UNDELIVERABLE'], include: 'providers', limit: SEARCHED },
      { signal },
    ),
  refetchInterval: REFRESH_MS,
})

export function FailedMessages({ integration: { id, provider } }: { integration: Integration }) {
  const t = useTexts(failedTexts)
  const { data } = useQuery(failedQuery(provider))
  const failed = failedAt(data?.results ?? [], id)
  return (
    <Section
      title={t.title}
      actions={
        data &&
        data.results.length > 0 && (
          <Link to="/messages" search={{ provider: [provider], status: ['UNDELIVERABLE'] }}>
            {t.all(provider)}
          </Link>
        )
      }
    >
      {data && failed.length === 0 && (
        <p className={styles.dim}>{data.paging.more ? t.noneLately(provider, SEARCHED) : t.none}</p>
      )}
      {failed.length > 0 && (
        <Card padded={false}>
          <ul className={styles.rows} data-failed={id}>
            {failed.slice(0, SHOWN).map(({ message, error }) => (
              <li key={message.id}>
                <MessageStatusTag status={message.status} />
                <span title={error}>
                  <Link to="/messages/$messageId" params={{ messageId: message.id }}>
                    {message.recipient}
                  </Link>{' '}
                  {error}
                </span>
                <Time at={message.enqueued} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </Section>
  )
}
