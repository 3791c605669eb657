/** The mailbox: what the sandbox received, as an inbox with two panes. */
import { Button, Select, Tabs, TextInput } from '@mantine/core'
import type { MailboxItem } from '@postrider/client'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { Channel } from '../parts/channel.tsx'
import { JsonView } from '../parts/code/code.tsx'
import { PlainText, RenderedContent } from '../parts/content/rendered-content.tsx'
import { CopyableId } from '../parts/copyable.tsx'
import { channelNames } from '../parts/meanings.ts'
import { Facts, Page } from '../parts/page.tsx'
import { useShortcuts } from '../parts/shortcuts.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { TabList } from '../parts/tab-bar.tsx'
import { nextCursor } from '../parts/table/paging.ts'
import { Time } from '../parts/time.tsx'
import { api } from '../session/api.ts'
import { contentOf, headersOf, linksOf } from './content.ts'
import styles from './mailbox.module.css'
import { type MailboxForm, type MailboxSearch, mailboxForms } from './search.ts'

const mailboxTexts = texts({
  en: {
    title: 'Mailbox',
    description:
      'The sandbox keeps here what it received instead of sending it. A channel with a real integration leaves it.',
    empty: 'The mailbox is empty',
    emptyText: 'Messages come here in channels that have no integration yet.',
    noMatch: 'Nothing in the mailbox matches',
    send: 'Send the first message',
    choose: 'Choose a message on the left',
    find: 'Recipient',
    anyChannel: 'Every channel',
    next: 'Next message',
    previous: 'Previous message',
    list: 'Received messages',
    back: 'Back to the list',
    shown: 'As it is shown',
    text: 'Text',
    links: 'Links',
    headers: 'Headers',
    source: 'Source',
    noLinks: 'It has no links.',
    linksHint: 'Links in the picture above do nothing. Here they open on purpose, in a new tab.',
    message: 'Why it was sent',
    forms: 'Form',
  },
  de: {
    title: 'Postfach',
    description:
      'Hier liegt, was die Sandbox empfangen hat, statt es zu senden. Ein Kanal mit echter Integration verlässt sie.',
    empty: 'Das Postfach ist leer',
    emptyText: 'Nachrichten kommen hierher in Kanälen, die noch keine Integration haben.',
    noMatch: 'Nichts im Postfach passt',
    send: 'Die erste Nachricht senden',
    choose: 'Links eine Nachricht wählen',
    find: 'Empfänger',
    anyChannel: 'Jeder Kanal',
    next: 'Nächste Nachricht',
    previous: 'Vorherige Nachricht',
    list: 'Empfangene Nachrichten',
    back: 'Zurück zur Liste',
    shown: 'Wie gezeigt',
    text: 'Text',
    links: 'Links',
    headers: 'Kopfzeilen',
    source: 'Quelle',
    noLinks: 'Sie enthält keine Links.',
    linksHint: 'Links in der Darstellung tun nichts. Hier öffnen sie sich mit Absicht, in einem neuen Tab.',
    message: 'Warum sie gesendet wurde',
    forms: 'Form',
  },
})

const PAGE = 50
const REFRESH_MS = 3_000

export function MailboxScreen() {
  const t = useTexts(mailboxTexts)
  const channels = useTexts(channelNames)
  const { itemId } = useParams({ strict: false })
  const search = useSearch({ strict: false }) as MailboxSearch
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const [text, setText] = useState(search.recipient ?? '')
  const filters = {
    ...(search.recipient && { recipient: search.recipient }),
    ...(search.channel && { channel: search.channel as MailboxItem['channel'] }),
  }
  const list = useInfiniteQuery({
    queryKey: ['mailbox', filters],
    queryFn: ({ pageParam, signal }) =>
      api.mailbox.list({ ...filters, limit: PAGE, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: nextCursor,
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : REFRESH_MS),
  })
  const items = list.data?.pages.flatMap(({ results }) => results) ?? []
  const open = (id: string | undefined) =>
    id && void navigate({ to: '/mailbox/$itemId', params: { itemId: id }, search })
  const step = (by: number) => {
    const at = items.findIndex(({ id }) => id === itemId)
    open(items[at < 0 ? 0 : Math.max(0, Math.min(items.length - 1, at + by))]?.id)
  }
  const change = (next: MailboxSearch) => void navigate({ to: '/mailbox', search: next })
  useShortcuts([
    { keys: 'j', label: t.next, act: () => step(1) },
    { keys: 'k', label: t.previous, act: () => step(-1) },
    { keys: '/', label: t.find, act: () => field.current?.focus() },
    ...(itemId ? [{ keys: 'Escape', label: t.back, act: () => change(search) }] : []),
  ])
  const hasFilter = Object.keys(filters).length > 0
  return (
    <Page
      title={t.title}
      description={t.description}
      bar={
        <div className={styles.controls}>
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
              placeholder={t.find}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              rightSection={<kbd>/</kbd>}
            />
          </form>
          <Select
            aria-label={t.anyChannel}
            placeholder={t.anyChannel}
            clearable
            w={180}
            value={search.channel ?? null}
            data={Object.entries(channels).map(([value, label]) => ({ value, label }))}
            onChange={(channel) => {
              const { channel: _, ...rest } = search
              change(channel ? { ...rest, channel } : rest)
            }}
          />
        </div>
      }
    >
      {list.isPending ? (
        <Loading rows={8} />
      ) : list.isError && !list.data ? (
        <Failed error={list.error} retry={list.refetch} />
      ) : items.length === 0 && !itemId ? (
        <Empty
          title={hasFilter ? t.noMatch : t.empty}
          action={
            !hasFilter && (
              <Button component={Link} to="/">
                {t.send}
              </Button>
            )
          }
        >
          {!hasFilter && t.emptyText}
        </Empty>
      ) : (
        <div className={styles.panes} data-open={itemId !== undefined}>
          <ul className={styles.list} aria-label={t.list}>
            {items.map((item) => (
              <li key={item.id}>
                <Entry item={item} search={search} />
              </li>
            ))}
            {list.hasNextPage && (
              <li className={styles.more}>
                <MoreButton load={() => void list.fetchNextPage()} isLoading={list.isFetchingNextPage} />
              </li>
            )}
          </ul>
          <div className={styles.item}>
            {itemId ? <Item key={itemId} id={itemId} search={search} /> : <p className={styles.hint}>{t.choose}</p>}
          </div>
        </div>
      )}
    </Page>
  )
}

function MoreButton({ load, isLoading }: { load(): void; isLoading: boolean }) {
  const t = useTexts(words)
  return (
    <Button variant="subtle" loading={isLoading} onClick={load}>
      {t.more}
    </Button>
  )
}

function Entry({ item, search }: { item: MailboxItem; search: MailboxSearch }) {
  const { subject, title, body, text, to } = contentOf(item)
  return (
    <Link
      to="/mailbox/$itemId"
      params={{ itemId: item.id }}
      search={search}
      activeProps={{ 'aria-current': 'page' }}
      activeOptions={{ includeSearch: false }}
    >
      <span className={styles.from} title={to}>
        <Channel channel={item.channel} detail={item.recipient} />
      </span>
      <span className={styles.when}>
        <Time at={item.received} />
      </span>
      <span className={styles.line}>{subject || title || body || text}</span>
    </Link>
  )
}

function Item({ id, search }: { id: string; search: MailboxSearch }) {
  const t = useTexts(mailboxTexts)
  const navigate = useNavigate()
  const { data, error, refetch } = useQuery({
    queryKey: ['mailbox', 'item', id],
    queryFn: ({ signal }) => api.mailbox.get(id, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (!data) return error ? <Failed error={error} retry={refetch} /> : <Loading rows={6} />
  const content = contentOf(data)
  const links = linksOf(content.html, content.text)
  const { form = 'shown' } = search
  return (
    <article>
      <Link className={styles.back} to="/mailbox" search={search}>
        {t.back}
      </Link>
      <h2>{content.subject || content.title || content.body}</h2>
      <div className={styles.meta}>
        <Channel channel={data.channel} detail={content.to ?? data.recipient} />
        <Time at={data.received} exact />
        <Link to="/messages/$messageId" params={{ messageId: data.message_id }}>
          {t.message}
        </Link>
        <CopyableId id={data.id} />
      </div>
      <Tabs
        value={form}
        keepMounted={false}
        onChange={(next) =>
          void navigate({
            to: '/mailbox/$itemId',
            params: { itemId: id },
            search: { ...search, form: next as MailboxForm },
            replace: true,
            resetScroll: false,
          })
        }
      >
        <TabList label={t.forms} tabs={mailboxForms.map((name) => ({ name, title: t[name] }))} value={form} />
        <div className={styles.content}>
          <Tabs.Panel value="shown">
            <RenderedContent message={content} />
          </Tabs.Panel>
          <Tabs.Panel value="text">
            <PlainText text={content.text || content.body || ''} />
          </Tabs.Panel>
          <Tabs.Panel value="links">
            <p className={styles.hint}>{links.length === 0 ? t.noLinks : t.linksHint}</p>
            <ul className={styles.links}>
              {links.map(({ href, label }) => (
                <li key={href}>
                  {label && <div>{label}</div>}
                  <a href={href} target="_blank" rel="noreferrer noopener">
                    {href}
                  </a>
                </li>
              ))}
            </ul>
          </Tabs.Panel>
          <Tabs.Panel value="headers">
            <Facts facts={headersOf(data)} />
          </Tabs.Panel>
          <Tabs.Panel value="source">
            <JsonView label={t.source} value={data} />
          </Tabs.Panel>
        </div>
      </Tabs>
    </article>
  )
}
