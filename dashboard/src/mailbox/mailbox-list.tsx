/** The items of the mailbox, newest first: whom each was for, and its first words. */
import { Button } from '@mantine/core'
import type { MailboxItem } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { words } from '../language/texts.ts'
import { ChannelMark } from '../parts/channel.tsx'
import { Time } from '../parts/time.tsx'
import { contentOf, titleOf } from './content.ts'
import styles from './mailbox.module.css'
import type { MailboxSearch } from './search.ts'

const listTexts = texts({
  en: { list: 'Caught messages, newest first' },
  de: { list: 'Aufgefangene Nachrichten, neueste zuerst' },
})

interface MailboxListProps {
  items: readonly MailboxItem[]
  search: MailboxSearch
  /** The id of the item that is shown. */
  shown: string | undefined
  more: { load(): void; isLoading: boolean } | undefined
}

export function MailboxList({ items, search, shown, more }: MailboxListProps) {
  const t = useTexts(listTexts)
  const label = useTexts(words)
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (shown !== undefined) list.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [shown])
  return (
    <ul ref={list} className={styles.list} aria-label={t.list}>
      {items.map((item) => (
        <li key={item.id}>
          <Entry item={item} search={search} isShown={item.id === shown} />
        </li>
      ))}
      {more && (
        <li className={styles.more}>
          <Button variant="subtle" loading={more.isLoading} onClick={more.load}>
            {label.more}
          </Button>
        </li>
      )}
    </ul>
  )
}

/** A row shows less than this of a text of any length. */
const SNIPPET_MAX = 2_000

function Entry({ item, search, isShown }: { item: MailboxItem; search: MailboxSearch; isShown: boolean }) {
  const { to, ...content } = contentOf(item)
  const snippet = (content.body || content.text || '').slice(0, SNIPPET_MAX)
  const title = titleOf(content)
  return (
    <Link
      to="/mailbox/$itemId"
      params={{ itemId: item.id }}
      search={search}
      aria-current={isShown ? 'page' : undefined}
      resetScroll={false}
    >
      <ChannelMark channel={item.channel} />
      <b>{title}</b>
      <span className={styles.when}>
        <Time at={item.received} />
      </span>
      <span className={styles.to}>{to ?? item.recipient}</span>
      {snippet !== title && <span className={styles.snippet}>{snippet}</span>}
    </Link>
  )
}
