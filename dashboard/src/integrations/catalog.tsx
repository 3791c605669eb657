/** The providers of this release, by name and channel. */
import { NativeSelect, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useRef } from 'react'
import { integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { CodeText } from '../parts/code/code-text.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { Columns } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { Tag } from '../parts/status.tsx'
import { usePermissions } from '../session/session.tsx'
import styles from './integrations.module.css'
import { catalogQuery } from './queries.ts'
import type { IntegrationsSearch } from './search.ts'

const catalogTexts = texts({
  en: {
    all: 'All channels',
    none: 'No provider of this name',
    noneText: 'The catalog has the providers of this release of the server. SMTP and the webhook reach most others.',
    added: (count: number) => (count === 1 ? 'Added' : `Added ${count} times`),
  },
  de: {
    all: 'Alle Kanäle',
    none: 'Kein Anbieter dieses Namens',
    noneText: 'Der Katalog zeigt die Anbieter dieser Version. SMTP und Webhook erreichen die meisten anderen.',
    added: (count: number) => (count === 1 ? 'Hinzugefügt' : `${count}-mal hinzugefügt`),
  },
})

export function Catalog() {
  const t = useTexts(words)
  const labels = useTexts(catalogTexts)
  const names = useTexts(channelNames)
  const search = useSearch({ from: '/integrations' })
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const { canConnect } = usePermissions()
  const catalog = useQuery(catalogQuery)
  const { data: integrations = [] } = useQuery(integrationsQuery)
  useShortcuts([{ keys: '/', label: t.search, act: () => field.current?.focus() }])
  const change = (next: IntegrationsSearch) =>
    void navigate({ to: '/integrations', search: { ...search, ...next }, replace: true })
  if (catalog.isPending) return <Loading />
  if (catalog.isError) return <Failed error={catalog.error} retry={catalog.refetch} />
  const text = search.name?.toLowerCase() ?? ''
  const entries = catalog.data.filter(
    ({ name, provider, description, channels: served }) =>
      `${name} ${provider} ${description}`.toLowerCase().includes(text) &&
      (!search.channel || served.includes(search.channel)),
  )
  return (
    <>
      <div className={styles.filters}>
        <TextInput
          ref={field}
          className={styles.grow}
          aria-label={t.search}
          placeholder={t.search}
          value={search.name ?? ''}
          onChange={(event) => change({ name: event.currentTarget.value || undefined })}
        />
        <NativeSelect
          aria-label={t.channel}
          value={search.channel ?? ''}
          data={[{ value: '', label: labels.all }, ...channels.map((value) => ({ value, label: names[value] }))]}
          onChange={(event) => change({ channel: channels.find((channel) => channel === event.currentTarget.value) })}
        />
      </div>
      {entries.length === 0 && <Empty title={labels.none}>{labels.noneText}</Empty>}
      <Columns min={240}>
        {entries.map(({ provider, name, description, channels: served }) => {
          const count = integrations.filter((integration) => integration.provider === provider).length
          const content = (
            <>
              <strong>{name}</strong>
              <p>
                <CodeText text={description} />
              </p>
              <span className={styles.tags}>
                {served.map((channel) => (
                  <Tag key={channel} mark={false}>
                    {names[channel]}
                  </Tag>
                ))}
                {count > 0 && <Tag tone="good">{labels.added(count)}</Tag>}
              </span>
            </>
          )
          return canConnect ? (
            <Link key={provider} className={styles.entry} to="/integrations" search={{ tab: 'catalog', add: provider }}>
              {content}
            </Link>
          ) : (
            <div key={provider} className={styles.entry}>
              {content}
            </div>
          )
        })}
      </Columns>
    </>
  )
}
