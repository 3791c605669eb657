/** The live tail: follows new messages and shows them on top, a few a frame, while no row is read or chosen. */
import { ArrowUpIcon } from '@heroicons/react/16/solid'
import { Button } from '@mantine/core'
import type { Message, MessagesListQuery } from '@postrider/client'
import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { texts, useTexts } from '../language/language.tsx'
import { Empty, Failed } from '../parts/states.tsx'
import { Table, type TableProps } from '../parts/table/table.tsx'
import { api } from '../session/api.ts'
import {
  countOfFrame,
  hasUnfinished,
  type LiveRows,
  liveRowsMax,
  newestOf,
  noLiveRows,
  showPending,
  started,
  startedAbove,
  withArrived,
  withFrame,
  withUpdates,
} from './live-rows.ts'
import styles from './messages.module.css'

const liveTexts = texts({
  en: {
    waiting: 'Waiting for messages',
    hint: 'They appear here as they are accepted.',
    added: (count: string) => `${count} new`,
  },
  de: {
    waiting: 'Wartet auf Nachrichten',
    hint: 'Sie erscheinen hier, sobald sie angenommen sind.',
    added: (count: string) => `${count} neue`,
  },
})

const POLL_MS = 500
/** The largest page that follows a message. */
const PAGE = 200
/** Pages of one poll: 1,000 messages, so 2,000 messages a second. With more, the tail starts again at the newest. */
const PAGES_MAX = 5
/** Rows on top whose status is read again while they are on their way. */
const UPDATED = 50
const UPDATE_MS = 2_000
/** Every third frame: moving and painting all rows is most of what a frame costs. */
const STEP_MS = 50
/** The reader is at the top. */
const TOP_PX = 120

export interface LiveMessagesProps extends Omit<TableProps<Message>, 'rows' | 'idOf' | 'foot' | 'hasLineRows'> {
  filters: MessagesListQuery
}

export function LiveMessages({ filters, ...table }: LiveMessagesProps) {
  const t = useTexts(liveTexts)
  const isChoosing = (table.selected?.size ?? 0) > 0
  const list = useRef<HTMLDivElement>(null)
  const { live, show, error, retry } = useLiveRows(filters, list, isChoosing)
  if (error && live.rows.length === 0) return <Failed error={error} retry={retry} />
  if (live.rows.length === 0) return <Empty title={t.waiting}>{t.hint}</Empty>
  return (
    <>
      <div role="status">
        {live.pending.length > 0 && (
          <Button
            className={styles.added ?? ''}
            size="compact-sm"
            leftSection={<ArrowUpIcon width={14} aria-hidden />}
            onClick={() => {
              show()
              scrollTo({ top: 0 })
            }}
          >
            {t.added(live.pending.length < liveRowsMax ? String(live.pending.length) : `${liveRowsMax}+`)}
          </Button>
        )}
      </div>
      <div ref={list}>
        <Table {...table} rows={live.rows} idOf={idOf} hasLineRows />
      </div>
    </>
  )
}

const idOf = ({ id }: Message) => id

function useLiveRows(filters: MessagesListQuery, list: RefObject<HTMLElement | null>, isChoosing: boolean) {
  const [live, setLive] = useState(noLiveRows)
  // Polls and frames go by the latest rows, which a render may not have shown yet.
  const latest = useRef({
    ...{ live: noLiveRows, nextPollAt: 0, updatedAt: 0, frame: 0, steppedAt: 0 },
    ...{ isScrolled: false, isChoosing },
  })
  const set = (next: LiveRows) => {
    if (next === latest.current.live) return
    latest.current.live = next
    setLive(next)
  }
  /** Rows that are read, walked by keys or chosen must not move. */
  const isReading = () =>
    latest.current.isScrolled || latest.current.isChoosing || list.current?.contains(document.activeElement) === true
  const showUnlessRead = () => {
    const { current } = latest
    if (!isReading() && current.live.pending.length > 0) set(showPending(current.live))
  }
  const onFrame = (now: number) => {
    const { current } = latest
    if (now >= current.steppedAt + STEP_MS) {
      current.steppedAt = now
      const count = countOfFrame(current.live.arriving.length, current.nextPollAt - now, STEP_MS)
      set(withFrame(current.live, count, isReading()))
    }
    current.frame = current.live.arriving.length > 0 ? requestAnimationFrame(onFrame) : 0
  }
  const query = useQuery({
    queryKey: ['messages', 'live', filters],
    // Queries pause while the page is hidden, and so does the tail.
    refetchInterval: POLL_MS,
    gcTime: 0,
    staleTime: 0,
    async queryFn({ signal }) {
      const { current } = latest
      const batch = await follow(filters, newestOf(current.live), signal)
      const isUpdated = performance.now() > current.updatedAt + UPDATE_MS && hasUnfinished(current.live, UPDATED)
      const updates = isUpdated ? await newest(filters, UPDATED, signal) : []
      if (isUpdated) current.updatedAt = performance.now()
      current.nextPollAt = performance.now() + POLL_MS
      const start =
        isReading() && current.live.rows.length > 0
          ? startedAbove(current.live, batch.messages)
          : started(batch.messages)
      const before = withUpdates(batch.isStart ? start : current.live, updates)
      set(batch.isStart ? before : withArrived(before, batch.messages))
      if (!current.frame && current.live.arriving.length > 0) current.frame = requestAnimationFrame(onFrame)
      return batch.messages.length
    },
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads the latest rows
  useEffect(() => {
    const { current } = latest
    // Read here and kept: in a frame it would make the browser lay out the page twice.
    const onScroll = () => {
      current.isScrolled = scrollY > TOP_PX
      showUnlessRead()
    }
    // While the focus moves within the list, no element has it.
    const onFocusOut = ({ relatedTarget }: FocusEvent) => {
      if (!list.current?.contains(relatedTarget as Node | null)) showUnlessRead()
    }
    onScroll()
    addEventListener('scroll', onScroll, { passive: true })
    addEventListener('focusout', onFocusOut)
    return () => {
      removeEventListener('scroll', onScroll)
      removeEventListener('focusout', onFocusOut)
      cancelAnimationFrame(current.frame)
    }
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: it reads the latest rows
  useEffect(() => {
    latest.current.isChoosing = isChoosing
    showUnlessRead()
  }, [isChoosing])
  return {
    ...{ live, error: query.error, retry: query.refetch },
    show: () => set(showPending(latest.current.live)),
  }
}

const newest = async (filters: MessagesListQuery, limit: number, signal: AbortSignal): Promise<Message[]> =>
  (await api.messages.list({ ...filters, include: 'providers', limit }, { signal })).results

/** The messages after one, oldest first; without one, or where there are too many, the newest: a start, newest first. */
async function follow(filters: MessagesListQuery, after: string | undefined, signal: AbortSignal) {
  const messages: Message[] = []
  let last = after
  for (let pages = 0; last !== undefined && pages < PAGES_MAX; pages += 1) {
    const { results, paging } = await api.messages.list(
      { ...filters, include: 'providers', limit: PAGE, after: last },
      { signal },
    )
    messages.push(...results)
    if (!paging.more) return { messages, isStart: false }
    last = results.at(-1)?.id ?? last
  }
  return { messages: await newest(filters, START, signal), isStart: true }
}
/** More than a screen; the largest page that lists the newest. */
const START = 100
