/** Each topic with the choice that applies and its reason, the choice in a form, and the ledger of all changes. */
import { SegmentedControl, Select } from '@mantine/core'
import type { PreferenceChange, PreferenceStatus, TopicPreference } from '@postrider/client'
import { sourceText } from '@postrider/client/steps'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { texts, useLanguage, useTexts } from '../../language/language.tsx'
import { useAction } from '../../parts/confirm.tsx'
import { Card, Section } from '../../parts/page.tsx'
import { germanAuthors } from '../../parts/sources.ts'
import { Empty, Failed, Loading } from '../../parts/states.tsx'
import { Tag } from '../../parts/status.tsx'
import { tablePage } from '../../parts/table/paging.ts'
import { type Column, PagedTable } from '../../parts/table/table.tsx'
import { relativeTime, Time } from '../../parts/time.tsx'
import { api } from '../../session/api.ts'
import { usePermissions } from '../../session/session.tsx'
import styles from '../people.module.css'
import { peopleTexts } from '../people-texts.ts'
import type { UserProps } from './user-profile.tsx'

const HISTORY = 100
const TENANTS_MAX = 100

const preferenceTexts = texts({
  en: {
    empty: 'No topics yet',
    emptyText: 'Topics are what people may choose. Create the first one under Topics.',
    topics: 'Topics',
    tenant: 'Tenant',
    noTenant: 'Outside any tenant',
    defaultWhy: (status: string) => `No choice: the default is ${status}`,
    tenantWhy: (status: string) => `No choice here: the default, or the choice outside the tenant, is ${status}`,
    requiredWhy: 'Required: it is sent whatever the user chooses',
    chosenWhy: (actor: string, source: string, ago: string) => `Chosen by ${sourceText(actor)} (${source}), ${ago}`,
    chosenBefore: 'Chosen by the user',
    channels: (channels: string) => `Only ${channels}`,
    choice: (topic: string) => `Choice for ${topic}`,
    changed: (topic: string) => `Changed ${topic}`,
    history: 'History',
    historyText: 'The ledger of consent: who changed what, when, and from where. Entries are never changed.',
    noHistory: 'Nothing was changed yet',
    topic: 'Topic',
    status: 'Choice',
    source: 'How',
    actor: 'By',
    at: 'When',
    toDefault: 'Default',
    byNotification: 'By notification and category',
    api: 'API',
    one_click: 'one click',
    page: 'page of preferences',
    provider: 'provider',
    erasure: 'erasure',
  },
  de: {
    empty: 'Noch keine Themen',
    emptyText: 'Themen sind das, was Menschen wählen können. Das erste entsteht unter Themen.',
    topics: 'Themen',
    tenant: 'Mandant',
    noTenant: 'Ohne Mandant',
    defaultWhy: (status: string) => `Keine Wahl: Die Vorgabe ist „${status}“`,
    tenantWhy: (status: string) => `Hier keine Wahl: Die Vorgabe oder die Wahl ohne Mandant ist „${status}“`,
    requiredWhy: 'Vorgeschrieben: Es wird gesendet, was auch immer gewählt ist',
    chosenWhy: (actor: string, source: string, ago: string) =>
      `Gewählt von ${sourceText(actor, {}, germanAuthors)} (${source}), ${ago}`,
    chosenBefore: 'Vom Nutzer gewählt',
    channels: (channels: string) => `Nur ${channels}`,
    choice: (topic: string) => `Wahl für ${topic}`,
    changed: (topic: string) => `${topic} ist geändert`,
    history: 'Verlauf',
    historyText: 'Wer was wann und von wo geändert hat. Einträge werden nie verändert.',
    noHistory: 'Noch nichts geändert',
    topic: 'Thema',
    status: 'Wahl',
    source: 'Wie',
    actor: 'Durch',
    at: 'Wann',
    toDefault: 'Vorgabe',
    byNotification: 'Nach Vorlage und Kategorie',
    api: 'API',
    one_click: 'ein Klick',
    page: 'Seite der Einstellungen',
    provider: 'Anbieter',
    erasure: 'Löschung',
  },
})

export function UserPreferences({ userId }: UserProps) {
  const screenLabels = useTexts(preferenceTexts)
  const people = useTexts(peopleTexts)
  const { tenant } = useSearch({ from: '/users/$userId' })
  const navigate = useNavigate({ from: '/users/$userId' })
  const inTenant = tenant ? { tenant_id: tenant } : {}
  const topics = useQuery({
    queryKey: ['preferences', userId, 'topics', tenant ?? ''],
    queryFn: async ({ signal }) => (await api.preferences.topics(userId, inTenant, { signal })).items,
  })
  const changes = useQuery({
    queryKey: ['preferences', userId, 'latest'],
    queryFn: async ({ signal }) => (await api.preferences.history(userId, { limit: HISTORY }, { signal })).results,
  })
  const tenants = useQuery({
    queryKey: ['memberships', userId, 'all'],
    queryFn: async ({ signal }) => (await api.memberships.list(userId, { limit: TENANTS_MAX }, { signal })).items,
  })
  if (topics.isPending || changes.isPending) return <Loading />
  if (!topics.data || !changes.data) return <Failed error={topics.error ?? changes.error} retry={topics.refetch} />
  const sections = [...new Set(topics.data.map(({ section_id }) => section_id))]
  const latestOf = (topicId: string) =>
    changes.data.find((change) => change.topic_id === topicId && (change.tenant_id ?? '') === (tenant ?? ''))
  return (
    <>
      {(tenants.data?.length ?? 0) > 0 && (
        <div className={styles.add}>
          <Select
            label={screenLabels.tenant}
            allowDeselect={false}
            value={tenant ?? ''}
            onChange={(next) =>
              void navigate({ search: ({ tenant: _, ...rest }) => (next ? { ...rest, tenant: next } : rest) })
            }
            data={[
              { value: '', label: screenLabels.noTenant },
              ...(tenants.data ?? []).map(({ tenant_id }) => ({ value: tenant_id, label: tenant_id })),
            ]}
          />
        </div>
      )}
      {topics.data.length === 0 && (
        <Empty title={screenLabels.empty} action={<Link to="/topics">{screenLabels.topics}</Link>}>
          {screenLabels.emptyText}
        </Empty>
      )}
      {sections.map((sectionId) => {
        const items = topics.data.filter(({ section_id }) => section_id === sectionId)
        return (
          <Section key={sectionId} title={items[0]?.section_name ?? sectionId}>
            <Card padded={false}>
              {items.map((preference) => (
                <TopicRow
                  key={preference.topic_id}
                  {...{ userId, tenant, preference }}
                  latest={latestOf(preference.topic_id)}
                />
              ))}
            </Card>
          </Section>
        )
      })}
      <Section title={screenLabels.history} description={screenLabels.historyText}>
        <History
          userId={userId}
          topicName={(id) => topics.data.find(({ topic_id }) => topic_id === id)?.topic_name ?? id}
          labels={statusLabels(people)}
        />
      </Section>
    </>
  )
}

type Labels = Record<PreferenceStatus, string>
const statusLabels = (people: { optedIn: string; optedOut: string; required: string }): Labels => ({
  OPTED_IN: people.optedIn,
  OPTED_OUT: people.optedOut,
  REQUIRED: people.required,
})

interface TopicRowProps {
  userId: string
  tenant: string | undefined
  preference: TopicPreference
  /** The last change of the choice, if it is among the latest of the user. */
  latest: PreferenceChange | undefined
}

function TopicRow({ userId, tenant, preference, latest }: TopicRowProps) {
  const screenLabels = useTexts(preferenceTexts)
  const people = useTexts(peopleTexts)
  const { locale } = useLanguage()
  const { canOperate } = usePermissions()
  const labels = statusLabels(people)
  const { topic_id, topic_name, default_status, status, custom_routing, has_custom_routing } = preference
  const isRequired = default_status === 'REQUIRED'
  const isChosen = latest ? Boolean(latest.status) : status !== default_status
  const inTenant = tenant ? { tenant_id: tenant } : {}
  const store = (choice: PreferenceStatus | undefined): Promise<unknown> =>
    choice
      ? api.preferences.putTopic(
          userId,
          topic_id,
          { topic: { status: choice, has_custom_routing, custom_routing } },
          inTenant,
        )
      : api.preferences.deleteTopic(userId, topic_id, inTenant)
  const change = useAction({
    act: (choice: PreferenceStatus | undefined) => store(choice),
    done: screenLabels.changed(topic_name),
    undo: () => store(isChosen ? status : undefined),
    changes: [['preferences', userId]],
  })
  const byDefault = (tenant ? screenLabels.tenantWhy : screenLabels.defaultWhy)(
    labels[isChosen ? default_status : status],
  )
  const why = isRequired
    ? screenLabels.requiredWhy
    : !isChosen
      ? byDefault
      : latest
        ? screenLabels.chosenWhy(
            latest.actor,
            screenLabels[latest.source],
            relativeTime(latest.created, Date.now(), locale),
          )
        : screenLabels.chosenBefore
  return (
    <div className={styles.choice}>
      <div>
        <strong>{topic_name}</strong> <Tag tone={status === 'OPTED_OUT' ? 'quiet' : 'good'}>{labels[status]}</Tag>
        <span className={styles.why}>
          {why}
          {has_custom_routing && custom_routing.length > 0 && ` · ${screenLabels.channels(custom_routing.join(', '))}`}
        </span>
      </div>
      {!isRequired && (
        <SegmentedControl
          size="xs"
          aria-label={screenLabels.choice(topic_name)}
          disabled={!canOperate || change.isPending}
          value={isChosen ? status : ''}
          onChange={(next) => change.mutate(next === 'OPTED_IN' || next === 'OPTED_OUT' ? next : undefined)}
          data={[
            { value: '', label: screenLabels.toDefault },
            { value: 'OPTED_IN', label: labels.OPTED_IN },
            { value: 'OPTED_OUT', label: labels.OPTED_OUT },
          ]}
        />
      )}
    </div>
  )
}

function History({ userId, topicName, labels }: { userId: string; topicName(id: string): string; labels: Labels }) {
  const screenLabels = useTexts(preferenceTexts)
  const columns: Column<PreferenceChange>[] = [
    {
      key: 'topic',
      title: screenLabels.topic,
      cell: ({ topic_id, tenant_id }) =>
        `${topic_id ? topicName(topic_id) : screenLabels.byNotification}${tenant_id ? ` · ${tenant_id}` : ''}`,
    },
    {
      key: 'status',
      title: screenLabels.status,
      width: '140px',
      cell: ({ status, preferences }) => (status ? labels[status] : preferences ? '–' : screenLabels.toDefault),
    },
    { key: 'source', title: screenLabels.source, width: '160px', cell: ({ source }) => screenLabels[source] },
    {
      key: 'actor',
      title: screenLabels.actor,
      wideOnly: true,
      cell: ({ actor, ip }) => (ip ? `${actor} · ${ip}` : actor),
    },
    { key: 'at', title: screenLabels.at, width: '120px', align: 'end', cell: ({ created }) => <Time at={created} /> },
  ]
  return (
    <PagedTable
      label={screenLabels.history}
      queryKey={['preferences', userId, 'history']}
      columns={columns}
      idOf={({ id }) => id}
      load={async (cursor, signal) =>
        tablePage(
          await api.preferences.history(userId, { limit: 50, ...(cursor !== undefined && { cursor }) }, { signal }),
        )
      }
      empty={<p className={styles.dim}>{screenLabels.noHistory}</p>}
    />
  )
}
