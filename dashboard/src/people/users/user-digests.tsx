/** Events that are collected for a user and not yet sent. */
import type { OpenDigest } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../../language/language.tsx'
import { CopyableId } from '../../parts/copyable.tsx'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { type Column, Table } from '../../parts/table/table.tsx'
import { Time, useFormat } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import type { UserProps } from './user-profile.tsx'

const digestsTexts = texts({
  en: {
    title: 'Open digests',
    topic: 'Topic',
    tenant: 'Tenant',
    events: 'Events',
    since: 'Since',
    releases: 'Is sent',
    empty: 'No open digests',
    emptyText: 'Events of a topic with a digest are collected here until they are sent as one message.',
  },
  de: {
    title: 'Offene Sammelnachrichten',
    topic: 'Thema',
    tenant: 'Mandant',
    events: 'Ereignisse',
    since: 'Seit',
    releases: 'Geht hinaus',
    empty: 'Keine offenen Sammelnachrichten',
    emptyText: 'Ereignisse eines Themas mit Sammelnachricht warten hier, bis sie zusammen gesendet werden.',
  },
})

export function UserDigests({ userId }: UserProps) {
  const labels = useTexts(digestsTexts)
  const format = useFormat()
  const query = useQuery({
    queryKey: ['digests', userId],
    queryFn: async ({ signal }) => (await api.digests.list(userId, { signal })).items,
  })
  if (query.isPending) return <Loading />
  if (!query.data) return <Failed error={query.error} retry={query.refetch} />
  if (query.data.length === 0) return <Empty title={labels.empty}>{labels.emptyText}</Empty>
  const columns: Column<OpenDigest>[] = [
    { key: 'topic', title: labels.topic, cell: ({ topic_id }) => <CopyableId id={topic_id} /> },
    { key: 'tenant', title: labels.tenant, wideOnly: true, cell: ({ tenant_id }) => tenant_id ?? '–' },
    {
      key: 'events',
      title: labels.events,
      width: '110px',
      align: 'end',
      cell: (row) => format.number(row.event_count),
    },
    { key: 'since', title: labels.since, width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
    { key: 'releases', title: labels.releases, width: '130px', cell: ({ releases_at }) => <Time at={releases_at} /> },
  ]
  return <Table label={labels.title} columns={columns} rows={query.data} idOf={({ digest_instance_id: id }) => id} />
}
