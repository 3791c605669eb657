/** The items of the mailbox, newest first: whom each was for, and its first words. Keys walk them; `Tab` leaves them. */
import { Button } from '@mantine/core'
import type { MailboxItem } from '@postrider/client'
import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect } from 'react'
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
  ref: RefObject<HTMLDivElement | null>
  items: readonly MailboxItem[]
  search: MailboxSearch
  /** The id of the item that is shown. */
  shown: string | undefined
  /** The id of the item where the keys are. */
  at: string | undefined
  setAt(id: string): void
  goTo(index: number): void
  more: { load(): void; isLoading: boolean } | undefined
}

export function MailboxList({ ref, items, search, shown, at, setAt, goTo, more }: MailboxListProps) {
  const t = useTexts(listTexts)
  const label = useTexts(words)
  useEffect(() => {
    if (shown !== undefined) ref.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  }, [shown, ref])
  const atIndex = Math.max(
    0,
    items.findIndex(({ id }) => id === at),
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const places: Record<string, number> = {
      ...{ ArrowDown: atIndex + 1, ArrowUp: atIndex - 1, Home: 0, End: items.length - 1 },
    }
    const index = places[event.key]
    if (index === undefined || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
    event.preventDefault()
    goTo(index)
  }
  return (
    <div className={styles.list}>
      <div ref={ref} role="grid" aria-label={t.list} aria-rowcount={more ? -1 : items.length} onKeyDown={onKeyDown}>
        {items.map((item, index) => (
          <div key={item.id} role="row" aria-rowindex={index + 1} aria-selected={item.id === shown}>
            <div role="gridcell">
              <Entry
                item={item}
                search={search}
                isShown={item.id === shown}
                isTabStop={index === atIndex}
                focus={() => setAt(item.id)}
              />
            </div>
          </div>
        ))}
      </div>
      {more && (
        <div className={styles.more}>
          <Button variant="subtle" loading={more.isLoading} onClick={more.load}>
            {label.more}
          </Button>
        </div>
      )}
    </div>
  )
}

/** A row shows less than this of a text of any length. */
const SNIPPET_MAX = 2_000

interface EntryProps extends Pick<MailboxListProps, 'search'> {
  item: MailboxItem
  isShown: boolean
  isTabStop: boolean
  /** It has the focus now. */
  focus(): void
}

function Entry({ item, search, isShown, isTabStop, focus }: EntryProps) {
  const { to, ...content } = contentOf(item)
  const snippet = (content.body || content.text || '').slice(0, SNIPPET_MAX)
  const title = titleOf(content)
  return (
    <Link
      to="/mailbox/$itemId"
      params={{ itemId: item.id }}
      search={search}
      aria-current={isShown ? 'page' : undefined}
      tabIndex={isTabStop ? 0 : -1}
      onFocus={focus}
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
