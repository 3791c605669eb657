/** The filters above the audit log: record, kind, key, source and time. */
import { Button, Select, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { type Changes, merged } from '../parts/search-params.ts'
import { FilterField } from '../parts/table/filter-field.tsx'
import { api } from '../session/api.ts'
import styles from './audit.module.css'
import { type AuditSearch, auditSources, targetKinds } from './search.ts'

export const sourceNames = texts({
  en: { dashboard: 'Dashboard', cli: 'Command line', api: 'API' },
  de: { dashboard: 'Dashboard', cli: 'Kommandozeile', api: 'API' },
})

const kindNames = texts({
  en: {
    notification: 'Templates',
    brand: 'Brands',
    translation: 'Translations',
    routing_strategy: 'Routing strategies',
    automation: 'Automations',
    event: 'Event map',
    integration: 'Integrations',
    provider: 'Providers',
    settings: 'Settings',
    tracking: 'Tracking',
    webhook: 'Webhooks',
    list: 'Lists',
    audience: 'Audiences',
    tenant: 'Tenants',
    topic: 'Topics',
    'preference-section': 'Preference sections',
    'preference-page': 'Preference page',
    suppression: 'Suppressions',
    bulk: 'Bulk jobs',
    replay: 'Replays',
    messages: 'Messages',
    deliveries: 'Deliveries',
    database: 'Database',
    dead_letter: 'Dead letters',
    key: 'API keys',
    session: 'Sessions',
    token: 'Tokens',
    view: 'Saved views',
  },
  de: {
    notification: 'Vorlagen',
    brand: 'Marken',
    translation: 'Übersetzungen',
    routing_strategy: 'Routing-Strategien',
    automation: 'Automationen',
    event: 'Ereignisse',
    integration: 'Integrationen',
    provider: 'Anbieter',
    settings: 'Einstellungen',
    tracking: 'Tracking',
    webhook: 'Webhooks',
    list: 'Listen',
    audience: 'Zielgruppen',
    tenant: 'Mandanten',
    topic: 'Themen',
    'preference-section': 'Abschnitte der Präferenzen',
    'preference-page': 'Präferenzseite',
    suppression: 'Sperrliste',
    bulk: 'Massenversand',
    replay: 'Wiederholungen',
    messages: 'Nachrichten',
    deliveries: 'Zustellungen',
    database: 'Datenbank',
    dead_letter: 'Dead Letters',
    key: 'API-Schlüssel',
    session: 'Sitzungen',
    token: 'Token',
    view: 'Gespeicherte Ansichten',
  },
})

const filterTexts = texts({
  en: {
    target: 'Id of the changed record',
    kind: 'Kind of record',
    allKinds: 'Every record',
    key: 'API key',
    allKeys: 'Every key',
    source: 'Source',
    allSources: 'Every source',
    from: 'Since',
    to: 'Until',
  },
  de: {
    target: 'Id des geänderten Objekts',
    kind: 'Art des Objekts',
    allKinds: 'Jedes Objekt',
    key: 'API-Schlüssel',
    allKeys: 'Jeder Schlüssel',
    source: 'Quelle',
    allSources: 'Jede Quelle',
    from: 'Ab',
    to: 'Bis',
  },
})

export interface AuditFiltersProps {
  search: Partial<AuditSearch>
  change(search: Partial<AuditSearch>): void
}

export function AuditFilters({ search, change }: AuditFiltersProps) {
  const t = useTexts(filterTexts)
  const w = useTexts(words)
  const kinds = useTexts(kindNames)
  const sources = useTexts(sourceNames)
  const { data: keys = [] } = useQuery({
    queryKey: ['keys'],
    queryFn: async ({ signal }) => (await api.keys.list({ signal })).results,
  })
  const set = (changes: Changes<Partial<AuditSearch>>) => change(merged(search, changes))
  const isRevoked = search.key !== undefined && !keys.some(({ id }) => id === search.key)
  return (
    <div className={styles.filters}>
      <FilterField
        label={t.target}
        value={search.target ?? ''}
        change={(target) => set({ target: target || undefined })}
      />
      <Select
        aria-label={t.kind}
        value={search.kind ?? ''}
        searchable
        data={[{ value: '', label: t.allKinds }, ...targetKinds.map((value) => ({ value, label: kinds[value] }))]}
        onChange={(next) => set({ kind: targetKinds.find((kind) => kind === next) })}
      />
      <Select
        aria-label={t.key}
        value={search.key ?? ''}
        data={[
          { value: '', label: t.allKeys },
          ...keys.map(({ id, name }) => ({ value: id, label: name })),
          ...(isRevoked && search.key ? [{ value: search.key, label: search.key }] : []),
        ]}
        onChange={(next) => set({ key: next || undefined })}
      />
      <Select
        aria-label={t.source}
        value={search.source ?? ''}
        data={[{ value: '', label: t.allSources }, ...auditSources.map((value) => ({ value, label: sources[value] }))]}
        onChange={(next) => set({ source: auditSources.find((source) => source === next) })}
      />
      <Time label={t.from} value={search.from} change={(from) => set({ from })} />
      <Time label={t.to} value={search.to} change={(to) => set({ to })} />
      {Object.keys(search).length > 0 && (
        <Button size="compact-sm" variant="subtle" onClick={() => change({})}>
          {w.clearFilters}
        </Button>
      )}
    </div>
  )
}

interface TimeProps {
  label: string
  value: string | undefined
  change(value: string | undefined): void
}

/** In the reader's zone; the address has UTC. */
function Time({ label, value, change }: TimeProps) {
  return (
    <div className={styles.time}>
      <span aria-hidden>{label}</span>
      <TextInput
        aria-label={label}
        type="datetime-local"
        value={localTime(value)}
        onChange={({ currentTarget }) =>
          change(currentTarget.value ? new Date(currentTarget.value).toISOString() : undefined)
        }
      />
    </div>
  )
}

function localTime(value: string | undefined): string {
  if (value === undefined) return ''
  const time = new Date(value)
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
