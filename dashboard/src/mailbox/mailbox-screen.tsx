/** The mailbox: what it caught instead of sending it, as a list with one item beside it. */
import { Button, Switch, TextInput } from '@mantine/core'
import type { MailboxItem as Item } from '@postrider/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type RefObject, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { ChannelMark } from '../parts/channel.tsx'
import { useMailView } from '../parts/content/mail-frame.tsx'
import { channelNames, channels } from '../parts/meanings.ts'
import { Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { nextCursor } from '../parts/table/paging.ts'
import { useWide } from '../parts/wide.ts'
import { api } from '../session/api.ts'
import { usePermissions } from '../session/session.tsx'
import styles from './mailbox.module.css'
import { MailboxItem } from './mailbox-item.tsx'
import { MailboxList } from './mailbox-list.tsx'
import { MailboxSentence } from './mailbox-sentence.tsx'
import { type MailboxSearch, withoutFilters } from './search.ts'

const mailboxTexts = texts({
  en: {
    title: 'Mailbox',
    empty: 'The mailbox is empty',
    emptyText: 'Send something in this environment: it appears here as people would have seen it.',
    noMatch: 'Nothing in the mailbox matches',
    all: 'Show everything',
    send: 'Send welcome to Ada',
    find: 'Recipient',
    anyRecipient: 'Any recipient',
    channel: 'Channel',
    every: 'All',
    newest: 'Newest on top',
    next: 'Next message',
    previous: 'Previous message',
    back: 'Back to the list',
  },
  de: {
    title: 'Postfach',
    empty: 'Das Postfach ist leer',
    emptyText: 'Etwas in dieser Umgebung senden: es erscheint hier, wie Menschen es gesehen hätten.',
    noMatch: 'Nichts im Postfach passt',
    all: 'Alles zeigen',
    send: 'Welcome an Ada senden',
    find: 'Empfänger',
    anyRecipient: 'Jeder Empfänger',
    channel: 'Kanal',
    every: 'Alle',
    newest: 'Neueste zuoberst',
    next: 'Nächste Nachricht',
    previous: 'Vorherige Nachricht',
    back: 'Zurück zur Liste',
  },
})

const PAGE = 50
const REFRESH_MS = 3_000

function useMailbox({ recipient, channel, still }: MailboxSearch) {
  const filters = { ...(recipient && { recipient }), ...(channel && { channel: channel as Item['channel'] }) }
  const list = useInfiniteQuery({
    queryKey: ['mailbox', filters],
    queryFn: ({ pageParam, signal }) =>
      api.mailbox.list({ ...filters, limit: PAGE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    refetchInterval: ({ state }) => (still || (state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
    refetchOnWindowFocus: !still,
  })
  const items = list.data?.pages.flatMap(({ results }) => results) ?? []
  const hasFilter = Object.keys(filters).length > 0
  const holds = items.length > 0 ? ('items' as const) : hasFilter ? ('no match' as const) : ('nothing' as const)
  return { list, items, hasFilter, holds, served: list.data?.pages[0]?.channels }
}

export function MailboxScreen() {
  const t = useTexts(mailboxTexts)
  const { itemId } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as MailboxSearch
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const { canOperate, onlyRenders } = usePermissions()
  const canSend = canOperate && !onlyRenders
  const { list, items, hasFilter, holds, served } = useMailbox(search)
  const view = useMailView()
  const first = useFirst(items[0]?.id, `${search.recipient} ${search.channel}`)
  const isWide = useWide()
  const shown = itemId ?? (isWide ? first : undefined)
  const grid = useRef<HTMLDivElement>(null)
  const [at, setAt] = useKeyPlace(shown)
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(items.length - 1, index))
    const id = items[next]?.id
    if (id === undefined) return
    setAt(id)
    grid.current?.querySelectorAll<HTMLElement>('[role="row"] a')[next]?.focus()
    // A list that has the page for itself is only walked.
    if (shown !== undefined && id !== itemId)
      void navigate({ to: '/mailbox/$itemId', params: { itemId: id }, search, resetScroll: false })
  }
  const step = (by: number) => {
    const index = items.findIndex(({ id }) => id === at)
    goTo(index < 0 ? 0 : index + by)
  }
  const change = (next: MailboxSearch) => void navigate({ to: '/mailbox', search: next })
  useShortcuts([
    { keys: 'j', label: t.next, act: () => step(1) },
    { keys: 'k', label: t.previous, act: () => step(-1) },
    { keys: '/', label: t.find, act: () => field.current?.focus() },
    ...(itemId ? [{ keys: 'Escape', label: t.back, act: () => change(search) }] : []),
  ])
  const isEmpty = items.length === 0 && !itemId
  /** Without room beside the list it has the page for itself. */
  const isAlone = itemId !== undefined && !isWide
  return (
    <Page
      title={t.title}
      sentence={isAlone ? undefined : served ? <MailboxSentence holds={holds} served={served} /> : null}
      actions={
        !isAlone && (
          <Switch
            label={t.newest}
            checked={!search.still}
            onChange={() => {
              const { still, ...rest } = search
              change(still ? rest : { ...rest, still: true })
            }}
          />
        )
      }
      bar={!isAlone && <Filters field={field} search={search} change={change} />}
    >
      {list.isPending ? (
        <Loading rows={8} />
      ) : list.isError && !list.data ? (
        <Failed error={list.error} retry={list.refetch} />
      ) : isEmpty ? (
        <Empty
          title={hasFilter ? t.noMatch : t.empty}
          action={
            hasFilter ? (
              <Button variant="default" onClick={() => change(withoutFilters(search))}>
                {t.all}
              </Button>
            ) : (
              canSend && (
                <Button component={Link} to="/">
                  {t.send}
                </Button>
              )
            )
          }
        >
          {!hasFilter && t.emptyText}
        </Empty>
      ) : (
        <div className={styles.panes} data-open={itemId !== undefined}>
          <MailboxList
            items={items}
            search={search}
            {...{ shown, at, setAt, goTo }}
            ref={grid}
            more={
              list.hasNextPage
                ? { load: () => void list.fetchNextPage(), isLoading: list.isFetchingNextPage }
                : undefined
            }
          />
          <div className={styles.item}>
            {shown && <MailboxItem key={shown} id={shown} search={search} view={view} />}
          </div>
        </div>
      )}
    </Page>
  )
}

/** The id of the item where the keys are; another one that is shown takes them along. */
function useKeyPlace(shown: string | undefined) {
  const [at, setAt] = useState(shown)
  const [before, setBefore] = useState(shown)
  if (before !== shown) {
    setBefore(shown)
    if (shown !== undefined) setAt(shown)
  }
  return [at, setAt] as const
}

/** Beside the list stands its first item until another is chosen: the one that was first when the list was opened. */
function useFirst(newest: string | undefined, filters: string): string | undefined {
  const [first, setFirst] = useState<{ id: string; filters: string }>()
  if (newest !== undefined && first?.filters !== filters) setFirst({ id: newest, filters })
  return first?.filters === filters ? first.id : newest
}

interface FiltersProps {
  field: RefObject<HTMLInputElement | null>
  search: MailboxSearch
  change(search: MailboxSearch): void
}

function Filters({ field, search, change }: FiltersProps) {
  const t = useTexts(mailboxTexts)
  const names = useTexts(channelNames)
  const [text, setText] = useState(search.recipient ?? '')
  // Another address, by the browser's way back or a button, has another recipient.
  const [before, setBefore] = useState(search.recipient)
  if (before !== search.recipient) {
    setBefore(search.recipient)
    setText(search.recipient ?? '')
  }
  const { channel: chosen, ...others } = search
  return (
    <div className={styles.filters}>
      <fieldset className={styles.chips}>
        <legend className="visually-hidden">{t.channel}</legend>
        {[undefined, ...channels].map((channel) => (
          <label key={channel ?? ''}>
            <input
              type="radio"
              name="channel"
              className="visually-hidden"
              checked={chosen === channel}
              onChange={() => change(channel ? { ...others, channel } : others)}
            />
            {channel && <ChannelMark channel={channel} />}
            <span>{channel ? names[channel] : t.every}</span>
          </label>
        ))}
      </fieldset>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const { recipient: _, ...rest } = search
          change(text.trim() ? { ...rest, recipient: text.trim() } : rest)
        }}
      >
        <TextInput
          ref={field}
          aria-label={t.find}
          placeholder={t.anyRecipient}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          rightSection={<kbd>/</kbd>}
        />
      </form>
    </div>
  )
}
