/** The draft as its recipient would get it: any profile, data, brand, locale and tenant, on each channel. */
import { Autocomplete, Button, Select, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { Brand, RenderedContent } from '@postrider/client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { home } from '../address.ts'
import { texts, useTexts } from '../language/language.tsx'
import { UserInput } from '../names/user-input.tsx'
import { CodeEditor } from '../parts/code/code.tsx'
import { parseObject } from '../parts/code/json.ts'
import { MailFrame } from '../parts/content/mail-frame.tsx'
import { missingNames, sampleData } from '../parts/content/variables.ts'
import { channelNames } from '../parts/meanings.ts'
import type { Changes } from '../parts/search-params.ts'
import { serverTexts } from '../parts/server-texts.ts'
import { Failed, Loading } from '../parts/states.tsx'
import { Time, useFormat } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import { Choice } from './blocks/block-form.tsx'
import { contentOf, type Draft, inputOf } from './draft/draft-store.ts'
import styles from './editor.module.css'
import { previewRequest } from './preview-input.ts'
import { type EditorSearch, type PreviewChannel, previewChannels, WITHOUT_DATA } from './search.ts'

const TYPED_MS = 350
const RECENT = 25
/** Variables without a value that are named. */
const NAMED_MAX = 8

const previewTexts = texts({
  en: {
    title: 'Preview',
    channel: 'Channel',
    user: 'As user',
    sample: 'a sample contact',
    locale: 'Locale',
    ofProfile: 'from the profile',
    brand: 'Brand',
    ofTemplate: 'from the template',
    tenant: 'Tenant',
    none: 'none',
    data: 'Data',
    showData: 'Change the data',
    hideData: 'Hide the data',
    dataHint: 'Values of the variables. Without data a variable is shown as {name}.',
    latest: 'With the data of the latest message',
    chosen: 'With the data of a message',
    typed: 'With the data below.',
    written: 'Without data.',
    withoutData: 'Without data',
    withData: 'With data',
    missing: 'Without a value:',
    notJson: 'Not valid JSON; the last valid data are shown.',
    noSubject: 'No subject',
    segments: (segments: number, characters: string, encoding: string) =>
      `${segments} ${segments === 1 ? 'segment' : 'segments'}, ${characters} characters, ${encoding}`,
    now: 'now',
    asText: 'As text',
    asMail: 'As mail',
  },
  de: {
    title: 'Vorschau',
    channel: 'Kanal',
    user: 'Als Nutzer',
    sample: 'ein Beispiel',
    locale: 'Sprache',
    ofProfile: 'des Profils',
    brand: 'Marke',
    ofTemplate: 'der Vorlage',
    tenant: 'Mandant',
    none: 'keiner',
    data: 'Daten',
    showData: 'Daten ändern',
    hideData: 'Daten ausblenden',
    dataHint: 'Werte der Variablen. Ohne Daten erscheint eine Variable als {name}.',
    latest: 'Mit den Daten der letzten Nachricht',
    chosen: 'Mit den Daten einer Nachricht',
    typed: 'Mit den Daten darunter.',
    written: 'Ohne Daten.',
    withoutData: 'Ohne Daten',
    withData: 'Mit Daten',
    missing: 'Ohne Wert:',
    notJson: 'Kein gültiges JSON; gezeigt werden die letzten gültigen Daten.',
    noSubject: 'Ohne Betreff',
    segments: (segments: number, characters: string, encoding: string) =>
      `${segments} ${segments === 1 ? 'Teil' : 'Teile'}, ${characters} Zeichen, ${encoding}`,
    now: 'jetzt',
    asText: 'Als Text',
    asMail: 'Als Mail',
  },
})

export const brandsQuery = queryOptions({
  queryKey: ['brands', 'choices'],
  queryFn: async ({ signal }): Promise<Brand[]> => (await api.brands.list({ limit: 100 }, { signal })).results,
  staleTime: 60_000,
})

/** Variables, warnings, and what a publication would refuse. */
export const useInspection = (draft: Draft) => {
  const [debouncedDraft] = useDebouncedValue(draft, TYPED_MS)
  const { canEditContent } = usePermissions()
  return useQuery({
    enabled: canEditContent,
    queryKey: ['notification-inspection', inputOf(debouncedDraft)],
    queryFn: ({ signal }) =>
      api.notifications.inspect({ notification: inputOf(debouncedDraft) }, { signal, retries: 0 }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 60_000,
  })
}

/** The latest messages of a template with their data. */
export const recentQuery = (id: string) =>
  queryOptions({
    queryKey: ['notification-recent', id],
    queryFn: async ({ signal }) => {
      const { results } = await api.messages.list({ notification: id, limit: RECENT }, { signal })
      const histories = await Promise.all(
        results.map(async ({ id: messageId, enqueued, recipient }) => {
          const { results: events } = await api.messages.history(messageId, { type: 'ENQUEUED' }, { signal })
          const [event] = events
          const { data, profile } = event?.type === 'ENQUEUED' ? event : { data: {}, profile: {} }
          return { id: messageId, enqueued, recipient, data, profile }
        }),
      )
      return histories
    },
    staleTime: 30_000,
  })

/** A message with what it was given: the latest of the template, or the one that is named. Null without one. */
const messageQuery = (id: string, messageId: string | undefined) =>
  queryOptions({
    queryKey: ['notification-recent', id, messageId ?? 'latest'],
    queryFn: async ({ signal }) => {
      const message =
        messageId === undefined
          ? (await api.messages.list({ notification: id, limit: 1 }, { signal })).results[0]
          : await api.messages.get(messageId, { signal })
      if (!message) return null
      const { results: events } = await api.messages.history(message.id, {}, { signal })
      const data = events.find((event) => event.type === 'ENQUEUED')?.data ?? {}
      const profile = events.find((event) => event.type === 'PROFILE_LOADED')?.merged_profile
      return { id: message.id, recipient: message.recipient, at: message.enqueued, data, profile }
    },
    staleTime: 30_000,
    retry: false,
  })

export interface PreviewProps {
  id: string
  draft: Draft
  search: EditorSearch
  setSearch(changes: Changes<EditorSearch>): void
  /** The channel of the content that is edited. */
  channel: PreviewChannel
  data: Record<string, unknown> | undefined
  setData(data: Record<string, unknown> | undefined): void
}

/** The data of the preview: as typed, those of a message, or variables as they are written; and which lack a value. */
export function usePreviewData({ id, draft, search, data }: Pick<PreviewProps, 'id' | 'draft' | 'search' | 'data'>) {
  const isWithout = search.message === WITHOUT_DATA
  const query = useQuery({ ...messageQuery(id, isWithout ? undefined : search.message), enabled: !isWithout })
  const inspection = useInspection(draft)
  const message = isWithout || data ? undefined : (query.data ?? undefined)
  const variables = inspection.data?.variables ?? []
  const values = data ?? message?.data
  return {
    data: values ?? sampleData(variables),
    missing: missingNames(variables, values),
    message,
    /** Nothing is rendered before it is known whose data are shown. */
    isReady: data !== undefined || !query.isLoading,
  }
}

export function Preview(props: PreviewProps) {
  const { draft, search, setSearch, channel, setData } = props
  const t = useTexts(previewTexts)
  const names = useTexts(channelNames)
  const { error: textOf } = useTexts(serverTexts)
  const { data, missing, message, isReady } = usePreviewData(props)
  const [isDataOpen, setDataOpen] = useState(false)
  const { user, locale, brand, tenant } = search
  const [request] = useDebouncedValue(
    previewRequest(draft, { channel, user, locale, brand, tenant, data, profile: message?.profile }),
    TYPED_MS,
  )
  const preview = useQuery({
    enabled: isReady,
    queryKey: ['preview', request],
    queryFn: ({ signal }) => api.notifications.preview(request, { signal, retries: 0 }),
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 30_000,
  })
  const [shown] = preview.data?.results ?? []
  return (
    <section aria-label={t.title}>
      <div className={styles.controls}>
        <Choice
          label={t.channel}
          value={channel}
          options={previewChannels.map((each) => [each, names[each]] as const)}
          choose={(next) => setSearch({ channel: next })}
        />
        <Button size="compact-xs" variant="subtle" aria-expanded={isDataOpen} onClick={() => setDataOpen(!isDataOpen)}>
          {isDataOpen ? t.hideData : t.showData}
        </Button>
      </div>
      <AsWhom {...{ search, setSearch, locales: localesOf(draft) }} />
      <DataSource {...{ search, setSearch, message }} isTyped={props.data !== undefined} />
      {missing.length > 0 && (
        <p className={styles.note}>
          {t.missing}{' '}
          {missing.slice(0, NAMED_MAX).map((name) => (
            <code key={name} className={styles.missing}>
              {`{${name}}`}
            </code>
          ))}
          {missing.length > NAMED_MAX && ` … ${missing.length - NAMED_MAX}`}
        </p>
      )}
      {isDataOpen && <DataEditor data={data} setData={setData} />}
      {preview.isError && <Failed error={preview.error} retry={preview.refetch} />}
      {preview.isPending && <Loading rows={8} />}
      {preview.data && (
        <div className={preview.isPlaceholderData ? styles.stale : undefined} aria-busy={preview.isFetching}>
          {preview.data.warnings.length > 0 && (
            <ul className={styles.warnings}>
              {preview.data.warnings.map((warning) => (
                <li key={warning}>{textOf(warning)}</li>
              ))}
            </ul>
          )}
          {shown?.error && <p className={styles.error}>{textOf(shown.error)}</p>}
          {shown && <RenderedView channel={channel} content={shown.content} />}
        </div>
      )}
    </section>
  )
}

interface DataSourceProps extends Pick<PreviewProps, 'search' | 'setSearch'> {
  message: { id: string; recipient: string; at: number } | undefined
  isTyped: boolean
}

/** Says whose data are shown, and offers the other way. */
function DataSource({ search, setSearch, message, isTyped }: DataSourceProps) {
  const t = useTexts(previewTexts)
  if (isTyped) return <p className={styles.note}>{t.typed}</p>
  if (!message && search.message !== WITHOUT_DATA) return null
  return (
    <p className={styles.note}>
      {message ? (
        <>
          {search.message === undefined ? t.latest : t.chosen}{' '}
          <Link to="/messages/$messageId" params={{ messageId: message.id }}>
            {message.recipient}
          </Link>{' '}
          <Time at={message.at} />
        </>
      ) : (
        t.written
      )}{' '}
      <Button
        size="compact-xs"
        variant="subtle"
        onClick={() => setSearch({ message: message ? WITHOUT_DATA : undefined })}
      >
        {message ? t.withoutData : t.withData}
      </Button>
    </p>
  )
}

/** Every locale that a block has words in. */
export function localesOf(draft: Pick<Draft, 'blocks'>): string[] {
  const locales = new Set<string>()
  JSON.stringify(contentOf({ version: '', ...draft }), (key, value) => {
    if (key === 'locales' && typeof value === 'object' && value !== null)
      for (const locale of Object.keys(value)) locales.add(locale)
    return value
  })
  return [...locales].sort()
}

function AsWhom({ search, setSearch, locales }: Pick<PreviewProps, 'search' | 'setSearch'> & { locales: string[] }) {
  const t = useTexts(previewTexts)
  const brands = useQuery(brandsQuery)
  const brand = (brands.data ?? []).map(({ id, name }) => ({ value: id, label: name }))
  return (
    <div className={styles.as}>
      <UserInput
        size="xs"
        label={t.user}
        placeholder={t.sample}
        value={search.user}
        choose={(user) => setSearch({ user })}
      />
      <Autocomplete
        size="xs"
        label={t.locale}
        placeholder={t.ofProfile}
        data={locales}
        value={search.locale ?? ''}
        onChange={(locale) => setSearch({ locale: locale || undefined })}
      />
      <Select
        size="xs"
        label={t.brand}
        placeholder={t.ofTemplate}
        clearable
        searchable
        data={brand}
        value={search.brand ?? null}
        onChange={(value) => setSearch({ brand: value ?? undefined })}
      />
      <LateInput label={t.tenant} placeholder={t.none} value={search.tenant} set={(tenant) => setSearch({ tenant })} />
    </div>
  )
}

interface LateInputProps {
  label: string
  placeholder: string
  value: string | undefined
  set(value: string | undefined): void
}

/** Taken over when the typing ends: half an id names no tenant. */
function LateInput({ label, placeholder, value, set }: LateInputProps) {
  const [text, setText] = useState(value ?? '')
  useEffect(() => setText(value ?? ''), [value])
  const end = () => set(text.trim() === '' ? undefined : text.trim())
  return (
    <TextInput
      size="xs"
      label={label}
      placeholder={placeholder}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      onBlur={end}
      onKeyDown={(event) => event.key === 'Enter' && end()}
    />
  )
}

function DataEditor({ data, setData }: { data: Record<string, unknown>; setData: PreviewProps['setData'] }) {
  const t = useTexts(previewTexts)
  const [input, setInput] = useState<string>()
  const [isInvalid, setInvalid] = useState(false)
  return (
    <div className={styles.json}>
      <p className={styles.note}>{t.dataHint}</p>
      <CodeEditor
        label={t.data}
        value={input ?? JSON.stringify(data, null, 2)}
        maxHeight="260px"
        onChange={(text) => {
          setInput(text)
          const next = text.trim() === '' ? undefined : parseObject(text)
          const isValid = next !== undefined || text.trim() === ''
          setInvalid(!isValid)
          if (isValid) setData(next)
        }}
      />
      {isInvalid && (
        <p role="alert" className={styles.error}>
          {t.notJson}
        </p>
      )}
    </div>
  )
}

/** A rendering as its channel shows it. */
export function RenderedView({ channel, content }: { channel: PreviewChannel; content: RenderedContent }) {
  const t = useTexts(previewTexts)
  const format = useFormat()
  const [isText, setText] = useState(false)
  const { subject, title, body, text, html, sms } = content
  if (channel === 'email')
    return (
      <>
        <div className={styles.subject}>
          <strong>{subject || t.noSubject}</strong>
        </div>
        {isText ? (
          <pre className={styles.bubble}>{text}</pre>
        ) : (
          <MailFrame html={html} title={subject || t.noSubject} />
        )}
        <Button size="compact-xs" variant="subtle" onClick={() => setText(!isText)}>
          {isText ? t.asMail : t.asText}
        </Button>
      </>
    )
  if (channel === 'sms')
    return (
      <div className={styles.phone}>
        <div className={styles.bubble}>{body || text}</div>
        {sms && <p className={styles.note}>{t.segments(sms.segments, format.number(sms.characters), sms.encoding)}</p>}
      </div>
    )
  if (channel === 'direct_message')
    return (
      <div className={styles.phone}>
        <div className={styles.bubble}>{text || body}</div>
      </div>
    )
  return (
    <div className={styles.phone}>
      <div className={styles.push}>
        <img src={`${home}icon.svg`} alt="" width={32} height={32} />
        <strong>{title}</strong>
        <p>{body || text}</p>
      </div>
    </div>
  )
}
