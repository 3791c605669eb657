/** How far an erasure has come, and what it has removed. */
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { Card, Facts, Section } from '../../parts/page.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { Time, useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'

const POLL_MS = 1_000

const erasureTexts = texts({
  en: {
    title: 'Erasure',
    PROCESSING: 'In progress',
    COMPLETED: 'Completed',
    ERROR: 'Failed',
    pseudonym: 'Pseudonym',
    started: 'Started',
    completed: 'Completed',
    removed: 'Removed',
    nothing: 'nothing so far',
  },
  de: {
    title: 'Löschung',
    PROCESSING: 'Läuft',
    COMPLETED: 'Abgeschlossen',
    ERROR: 'Gescheitert',
    pseudonym: 'Pseudonym',
    started: 'Begonnen',
    completed: 'Abgeschlossen',
    removed: 'Entfernt',
    nothing: 'bisher nichts',
  },
})

export function ErasureState({ erasureId }: { erasureId: string }) {
  const t = useTexts(erasureTexts)
  const format = useFormat()
  const query = useQuery({
    queryKey: ['erasures', erasureId],
    queryFn: ({ signal }) => api.erasures.get(erasureId, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'PROCESSING' ? POLL_MS : false),
  })
  if (query.isPending) return <Loading rows={2} />
  if (!query.data) return <Failed error={query.error} retry={query.refetch} />
  const { status, pseudonym, begun, completed, removed } = query.data
  const tone = status === 'COMPLETED' ? 'good' : status === 'ERROR' ? 'bad' : 'wait'
  const counts = Object.entries(removed).filter(([, count]) => count > 0)
  return (
    <Section title={t.title} actions={<Tag tone={tone}>{t[status]}</Tag>}>
      <Card>
        <Facts
          facts={[
            [t.pseudonym, <code key="pseudonym">{pseudonym}</code>],
            [t.started, <Time key="started" at={begun} />],
            completed !== undefined && [t.completed, <Time key="completed" at={completed} />],
            [
              t.removed,
              counts.length === 0
                ? t.nothing
                : counts.map(([name, count]) => `${name} ${format.number(count)}`).join(', '),
            ],
          ]}
        />
      </Card>
    </Section>
  )
}
