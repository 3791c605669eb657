/** The filters above the list: groups of statuses, a field, a form with every filter, a time, and chips of those set. */
import { FunnelIcon, XMarkIcon } from '@heroicons/react/16/solid'
import { Button, MultiSelect, Popover, Select, TagsInput, TextInput } from '@mantine/core'
import type { Integration } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { integrationsQuery } from '../health/integrations.ts'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { NameInput } from '../names/name-input.tsx'
import type { NameKind } from '../names/names-query.ts'
import { useTemplateNames } from '../names/template-names.ts'
import { UserInput } from '../names/user-input.tsx'
import { channelNames } from '../parts/meanings.ts'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { statuses } from '../parts/status-groups.ts'
import { TabBar } from '../parts/tab-bar.tsx'
import { usePermissions } from '../session/session.tsx'
import { findingNames } from './finding-names.ts'
import styles from './messages.module.css'
import {
  type FilterName,
  groupOf,
  listFilters,
  type MessageGroup,
  type MessagesSearch,
  type Preset,
  presets,
  reasons,
  searchOf,
  textFilters,
  type UnknownValue,
  withConditions,
  withGroup,
  withoutFilters,
} from './search.ts'

const filterTexts = texts({
  en: {
    all: 'All',
    failed: 'Failed',
    retrying: 'Retrying',
    held: 'Held',
    waiting: 'Waiting',
    arrived: 'Sent',
    opened: 'Opened',
    stopped: 'Stopped',
    groups: 'Messages by status',
    find: 'An address, an id, status:HELD',
    time: 'Time',
    always: 'Any time',
    '15m': 'Last 15 minutes',
    '1h': 'Last hour',
    '24h': 'Last 24 hours',
    '7d': 'Last 7 days',
    apply: 'Show messages',
    unknown: (filter: string, value: string) => `${filter} has no value ${value}: choose from those of the filter`,
    any: 'Any',
    status: 'Status',
    provider: 'Provider',
    channel: 'Channel',
    reason: 'Reason',
    except_reason: 'Except reason',
    finding: 'Finding',
    tag: 'Tag',
    recipient: 'Recipient',
    address: 'Address',
    event: 'Event',
    notification: 'Template id',
    list: 'List',
    tenant_id: 'Tenant',
    traceId: 'Trace id',
    runId: 'Run',
    error: 'Error contains',
    messageId: 'Message id',
    enqueued_after: 'Accepted after',
    enqueued_before: 'Accepted before',
    remove: (filter: string) => `Remove the filter ${filter}`,
  },
  de: {
    all: 'Alle',
    failed: 'Fehlgeschlagen',
    retrying: 'Neuer Versuch',
    held: 'Angehalten',
    waiting: 'Wartend',
    arrived: 'Gesendet',
    opened: 'Geöffnet',
    stopped: 'Gestoppt',
    groups: 'Nachrichten nach Status',
    find: 'Eine Adresse, eine Id, status:HELD',
    time: 'Zeit',
    always: 'Jederzeit',
    '15m': 'Letzte 15 Minuten',
    '1h': 'Letzte Stunde',
    '24h': 'Letzte 24 Stunden',
    '7d': 'Letzte 7 Tage',
    apply: 'Nachrichten zeigen',
    unknown: (filter: string, value: string) => `${filter} hat keinen Wert ${value}; der Filter zeigt, welche es gibt`,
    any: 'Beliebig',
    status: 'Status',
    provider: 'Anbieter',
    channel: 'Kanal',
    reason: 'Grund',
    except_reason: 'Außer Grund',
    finding: 'Befund',
    tag: 'Tag',
    recipient: 'Empfänger',
    address: 'Adresse',
    event: 'Ereignis',
    notification: 'Vorlagen-Id',
    list: 'Liste',
    tenant_id: 'Mandant',
    traceId: 'Trace-Id',
    runId: 'Lauf',
    error: 'Fehler enthält',
    messageId: 'Nachrichten-Id',
    enqueued_after: 'Angenommen nach',
    enqueued_before: 'Angenommen vor',
    remove: (filter: string) => `Filter ${filter} entfernen`,
  },
})

const groups = ['all', 'failed', 'held', 'retrying', 'waiting', 'arrived', 'opened', 'stopped'] as const

export interface MessageFiltersProps {
  search: MessagesSearch
  change(search: MessagesSearch): void
}

export function MessageFilters({ search, change }: MessageFiltersProps) {
  const t = useTexts(filterTexts)
  const w = useTexts(words)
  const field = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  const [text, setText] = useState('')
  const [unknown, setUnknown] = useState<UnknownValue>()
  const group = groupOf(search)
  useShortcuts([
    { keys: '/', label: t.find, act: () => field.current?.focus() },
    { keys: 'f', label: w.filter, act: () => setOpen(true) },
  ])
  const find = (event: FormEvent) => {
    event.preventDefault()
    const typed = searchOf(text.trim())
    if ('unknown' in typed) return setUnknown(typed)
    change(withConditions(search, typed))
    setText('')
    // So that `j` and `k` move in the list again.
    field.current?.blur()
  }
  return (
    <>
      <TabBar<MessageGroup>
        label={t.groups}
        value={group ?? null}
        tabs={groups.map((name) => ({ name, title: t[name] }))}
        choose={(name) => change(withGroup(search, name))}
      />
      <div className={styles.controls}>
        <form className={styles.search} onSubmit={find}>
          <TextInput
            ref={field}
            size="sm"
            aria-label={t.find}
            placeholder={t.find}
            autoCapitalize="none"
            value={text}
            onChange={(event) => {
              setText(event.currentTarget.value)
              setUnknown(undefined)
            }}
            error={unknown && t.unknown(t[unknown.name], unknown.unknown)}
            rightSection={<kbd>/</kbd>}
          />
        </form>
        <Popover
          opened={isOpen}
          onChange={setOpen}
          position="bottom-start"
          width="min(560px, calc(100vw - 16px))"
          trapFocus
          shadow="md"
          closeOnClickOutside
        >
          <Popover.Target>
            <Button
              variant="default"
              leftSection={<FunnelIcon width={14} aria-hidden />}
              aria-expanded={isOpen}
              onClick={() => setOpen(!isOpen)}
            >
              {w.filter}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <FilterForm
              search={search}
              apply={(next) => {
                setOpen(false)
                change(next)
              }}
            />
          </Popover.Dropdown>
        </Popover>
        <Select
          aria-label={t.time}
          w={170}
          allowDeselect={false}
          value={search.last ?? (search.enqueued_after || search.enqueued_before ? null : 'always')}
          placeholder={t.time}
          data={['always' as const, ...(Object.keys(presets) as Preset[])].map((value) => ({ value, label: t[value] }))}
          onChange={(value) => {
            const { last, enqueued_after, enqueued_before, ...rest } = search
            change(value && value !== 'always' ? { ...rest, last: value as Preset } : rest)
          }}
        />
      </div>
      <Chips search={search} change={change} />
    </>
  )
}

function Chips({ search, change }: MessageFiltersProps) {
  const t = useTexts(filterTexts)
  const w = useTexts(words)
  const channels: Record<string, string> = useTexts(channelNames)
  const templates = useTemplateNames()
  const findings: Record<string, string> = useTexts(findingNames)
  const named = (name: FilterName, value: string) => {
    if (name === 'channel') return channels[value]
    if (name === 'finding') return findings[value]
    return name === 'notification' ? templates.get(value) : undefined
  }
  const isGroup = groupOf(search) !== undefined
  const chips = [
    ...listFilters.flatMap((name) =>
      isGroup && (name === 'status' || name === 'except_reason')
        ? []
        : (search[name] ?? []).map((value) => ({ name: name as FilterName, value })),
    ),
    ...textFilters.flatMap((name) => {
      const value = search[name]
      return value === undefined ? [] : [{ name: name as FilterName, value }]
    }),
  ]
  if (chips.length === 0) return null
  const without = (name: FilterName, value: string) => {
    const values = [search[name]].flat().filter((each) => each !== undefined && each !== value)
    const { [name]: _, ...rest } = search
    change(values.length > 0 ? { ...rest, [name]: values } : rest)
  }
  return (
    <div className={styles.chips}>
      {chips.map(({ name, value }) => (
        <span key={`${name} ${value}`} className={styles.chip}>
          <span title={value}>
            <b>{t[name]}</b>
            {named(name, value) ?? value}
          </span>
          <button type="button" aria-label={t.remove(`${t[name]} ${value}`)} onClick={() => without(name, value)}>
            <XMarkIcon aria-hidden />
          </button>
        </span>
      ))}
      <Button size="compact-sm" variant="subtle" onClick={() => change(withoutFilters(search))}>
        {w.clearFilters}
      </Button>
    </div>
  )
}

const providerKeys = (integrations: readonly Integration[]) =>
  [...new Set(integrations.map(({ provider }) => provider))].sort()

function FilterForm({ search, apply }: { search: MessagesSearch; apply(search: MessagesSearch): void }) {
  const t = useTexts(filterTexts)
  const channels = useTexts(channelNames)
  const findings = useTexts(findingNames)
  const [draft, setDraft] = useState(search)
  const providers = useQuery({ ...integrationsQuery, select: providerKeys })
  const set = (name: FilterName, value: string | string[]) => {
    const { [name]: _, ...rest } = draft
    setDraft(value.length > 0 ? { ...rest, [name]: value } : rest)
  }
  const list = (name: (typeof listFilters)[number], data: { value: string; label: string }[]) => (
    <MultiSelect
      label={t[name]}
      placeholder={draft[name] ? '' : t.any}
      value={draft[name] ?? []}
      onChange={(value) => set(name, value)}
      data={data}
      searchable
      // The first field has the focus when the form opens; its list would cover the others.
      openOnFocus={false}
      comboboxProps={{ withinPortal: false }}
    />
  )
  const same = (values: readonly string[]) => values.map((value) => ({ value, label: value }))
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        apply(draft)
      }}
    >
      {list('status', same(statuses))}
      {list('reason', same(reasons))}
      {list(
        'finding',
        Object.entries(findings).map(([value, label]) => ({ value, label })),
      )}
      {list(
        'channel',
        Object.entries(channels).map(([value, label]) => ({ value, label })),
      )}
      {list('provider', same(providers.data ?? []))}
      <TagsInput label={t.tag} value={draft.tag ?? []} onChange={(value) => set('tag', value)} />
      {textFilters.map((name) => (
        <TextFilter key={name} name={name} value={draft[name] ?? ''} set={(value) => set(name, value)} />
      ))}
      <div className={styles.formActions}>
        <Button type="submit">{t.apply}</Button>
      </div>
    </form>
  )
}

interface TextFilterProps {
  name: (typeof textFilters)[number]
  value: string
  set(value: string): void
}

const nameKinds: { readonly [name: string]: NameKind } = {
  ...{ event: 'event', notification: 'template', list: 'list', tenant_id: 'tenant' },
}

/** One value, chosen from those that there are where they are known. */
function TextFilter({ name, value, set }: TextFilterProps) {
  const t = useTexts(filterTexts)
  const templates = useTemplateNames()
  const { seesPersonalData } = usePermissions()
  const kind = nameKinds[name]
  const field = { label: t[name], value, comboboxProps: { withinPortal: false } }
  if (name === 'recipient' && seesPersonalData)
    return <UserInput {...field} choose={(user) => set(user ?? '')} type={set} />
  if (kind)
    return <NameInput {...field} kind={kind} onChange={set} {...(name === 'notification' && { titles: templates })} />
  const isTime = name === 'enqueued_after' || name === 'enqueued_before'
  return (
    <TextInput
      label={t[name]}
      type={isTime ? 'datetime-local' : 'text'}
      value={isTime ? localTime(value) : value}
      onChange={({ currentTarget: { value: text } }) => set(isTime && text ? new Date(text).toISOString() : text)}
    />
  )
}

/** As the field of the browser shows it, in the reader's zone. */
function localTime(value: string | undefined): string {
  const time = new Date(value && /^\d+$/.test(value) ? Number(value) : (value ?? Number.NaN))
  if (Number.isNaN(time.getTime())) return ''
  return new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}
