/** The audit log: which key changed which record, and when, filtered by the address. */
import type { AuditEvent } from '@postrider/client'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useTexts } from '../language/language.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { Page } from '../parts/page.tsx'
import { Empty } from '../parts/states.tsx'
import { tablePage } from '../parts/table/paging.ts'
import { type Column, PagedTable } from '../parts/table/table.tsx'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import styles from './audit.module.css'
import { AuditFilters, sourceNames } from './audit-filters.tsx'
import { apiFilters, auditSearch } from './search.ts'
import { addressOf } from './target.ts'
import { useTargetNames } from './target-names.ts'

const PAGE = 50

const auditTexts = texts({
  en: {
    title: 'Audit log',
    description: 'Every change of this environment through the dashboard, the API and the command line; newest first.',
    empty: 'No changes yet',
    noMatch: 'No change matches these filters',
    emptyText: 'A change of a template, an integration, a key or a list appears here with the key that made it.',
    type: 'Change',
    target: 'Of',
    actor: 'By',
    source: 'Source',
    at: 'When',
  },
  de: {
    title: 'Änderungen',
    description: 'Jede Änderung dieser Umgebung über das Dashboard, die API und die Kommandozeile; die neueste zuerst.',
    empty: 'Noch keine Änderungen',
    noMatch: 'Keine Änderung passt zu diesen Filtern',
    emptyText: 'Eine Änderung an Vorlage, Integration, Schlüssel oder Liste steht hier mit ihrem Schlüssel.',
    type: 'Änderung',
    target: 'An',
    actor: 'Von',
    source: 'Quelle',
    at: 'Wann',
  },
})

export function AuditScreen() {
  const t = useTexts(auditTexts)
  const search = useSearch({ from: '/audit' })
  const navigate = useNavigate()
  const nameOf = useTargetNames()
  const isFiltered = Object.keys(search).length > 0
  const columns: Column<AuditEvent>[] = [
    { key: 'type', title: t.type, width: 'minmax(0, 1fr)', cell: ({ type }) => <code>{type}</code> },
    {
      key: 'target',
      title: t.target,
      width: 'minmax(0, 1.4fr)',
      cell: (event) => <Target event={event} nameOf={nameOf} />,
    },
    { key: 'actor', title: t.actor, width: 'minmax(0, 1fr)', cell: ({ actor }) => actor.email || actor.id },
    { key: 'source', title: t.source, width: '110px', cell: (event) => <Source event={event} /> },
    { key: 'at', title: t.at, width: '110px', align: 'end', cell: ({ timestamp }) => <Time at={timestamp} /> },
  ]
  return (
    <Page
      title={t.title}
      description={t.description}
      bar={
        <AuditFilters
          search={search}
          change={(next) => void navigate({ to: '/audit', search: auditSearch({ ...next }) })}
        />
      }
    >
      <PagedTable
        label={t.title}
        queryKey={['audit', search]}
        columns={columns}
        idOf={({ auditEventId }) => auditEventId}
        load={async (cursor, signal) =>
          tablePage(
            await api.auditEvents.list({ ...apiFilters(search), ...(cursor && { cursor }), limit: PAGE }, { signal }),
          )
        }
        empty={<Empty title={isFiltered ? t.noMatch : t.empty}>{!isFiltered && t.emptyText}</Empty>}
      />
    </Page>
  )
}

function Source({ event: { source, caller } }: { event: AuditEvent }) {
  const names = useTexts(sourceNames)
  return <span title={caller?.address ?? undefined}>{names[source]}</span>
}

interface TargetProps {
  event: AuditEvent
  nameOf: ReturnType<typeof useTargetNames>
}

function Target({ event: { type, target }, nameOf }: TargetProps) {
  if (target === '') return null
  const address = addressOf(type, target)
  const name = nameOf(type, target)
  if (address === undefined)
    return (
      <>
        {name} <CopyableId id={target} />
      </>
    )
  return (
    <Link to={address} title={target}>
      {name} <code className={name && styles.id}>{target}</code>
    </Link>
  )
}
