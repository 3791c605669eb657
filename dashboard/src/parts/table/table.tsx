/** A list of rows by columns: paged by cursors, virtual, walked by keys. Where there is little room each row has two lines. */
import { Button, Checkbox } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  memo,
  type ReactNode,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { useShortcuts } from '../shortcuts.tsx'
import { Failed, Loading } from '../states.tsx'
import { useNarrow } from '../wide.ts'
import styles from './table.module.css'

export interface Column<Row> {
  key: string
  title: string
  /** A CSS width of a grid track: `120px`, `minmax(0, 2fr)`. */
  width?: string
  align?: 'end'
  /** Left out on a narrow screen. */
  wideOnly?: boolean
  /**
   * Its place in a row of two lines: `title` begins and `corner` ends the first, `beside` follows the title; `fill` takes
   * what is left of the second, which `end` ends. Where no column has one, the first is the title, and the last one of
   * figures the corner.
   */
  place?: 'title' | 'beside' | 'corner' | 'fill' | 'end'
  cell(row: Row): ReactNode
}

export interface TablePage<Row> {
  rows: readonly Row[]
  /** The cursor of the next page; absent on the last one. */
  next: string | undefined
}

const ROW_PX = 41
const NARROW_ROW_PX = 64
/** Rows below which drawing all is as fast as choosing. */
const DRAWN_MAX = 60
/** After a key that moves, until the row is shown beside the table. */
const FOLLOW_MS = 150
/** Within these, a row that is scrolled to has been drawn. */
const SCROLL_FRAMES_MAX = 30
/** All that cells have for the keys. */
const CONTROLS = 'a[href], button, input'

const tableTexts = texts({
  en: {
    more: 'Load more',
    loadingMore: 'Loading more',
    selectAll: 'Select all loaded rows',
    select: 'Select',
    next: 'Next row',
    previous: 'Previous row',
    show: 'Show row beside the table',
    open: 'Open row',
    rows: 'Rows',
  },
  de: {
    more: 'Mehr laden',
    loadingMore: 'Weitere werden geladen',
    selectAll: 'Alle geladenen Zeilen auswählen',
    select: 'Auswählen',
    next: 'Nächste Zeile',
    previous: 'Vorherige Zeile',
    show: 'Zeile neben der Tabelle zeigen',
    open: 'Zeile öffnen',
    rows: 'Zeilen',
  },
})

export interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf(row: Row): string
  /** Enter, and a click without `show`. */
  open?(row: Row): void
  /** A click: the row is shown beside the table. */
  show?(row: Row): void
  /** The id of the row that is shown beside the table: keys that move go on with it. */
  shown?: string | undefined
  /** The id of the row where the keys are first, which need not be loaded. */
  startAt?: string | undefined
  /** Each row has two lines, as on a phone. */
  isNarrow?: boolean
  /** Ids of the selected rows; rows have a box when it is there. */
  selected?: ReadonlySet<string>
  onSelect?(selected: ReadonlySet<string>): void
  /** Rows under the last one: more to load. */
  foot?: ReactNode
  /** On a wide screen every row is one line high: none is measured, which costs a layout each. */
  hasLineRows?: boolean
}

export function Table<Row>({
  label,
  columns,
  rows,
  idOf,
  open,
  show = open,
  shown,
  startAt,
  isNarrow: hasLittleRoom = false,
  selected,
  onSelect,
  foot,
  hasLineRows,
}: TableProps<Row>) {
  const t = useTexts(tableTexts)
  const body = useRef<HTMLDivElement>(null)
  /** Where the keys are: rows come and go around it, so it is an id; the index counts when its row has gone. */
  const [at, setAt] = useState({ id: '', index: -1 })
  const isNarrow = useNarrow() || hasLittleRoom
  const isMeasured = isNarrow || !hasLineRows
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isNarrow ? NARROW_ROW_PX : ROW_PX),
    overscan: rows.length <= DRAWN_MAX ? DRAWN_MAX : 12,
    scrollMargin: body.current?.offsetTop ?? 0,
    getItemKey: (index) => idOf(rows[index] as Row),
  })
  const idAt = (index: number) => (rows[index] === undefined ? undefined : idOf(rows[index]))
  // Before the keys are anywhere, they are at the row that is shown beside the table, or was left last.
  const atId = at.id || (shown ?? startAt ?? '')
  const atIndex = idAt(at.index) === atId ? at.index : rows.findIndex((row) => idOf(row) === atId)
  const isFirst = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the heights of rows change with it, and its place in the window stays
  useLayoutEffect(() => {
    virtual.measure()
    if (!isFirst.current && atIndex >= 0) virtual.scrollToIndex(atIndex, { align: 'auto' })
    isFirst.current = false
  }, [isNarrow])
  const following = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  useEffect(() => () => clearTimeout(following.current), [])
  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, index))
    const id = idAt(next)
    if (id === undefined) return
    setAt({ id, index: next })
    virtual.scrollToIndex(next)
    focusRow(body, next)
    clearTimeout(following.current)
    const row = rows[next]
    // A key that is held down goes over many rows.
    if (shown !== undefined && row) following.current = setTimeout(() => show?.(row), FOLLOW_MS)
  }
  const toggle = (id: string) => {
    const next = new Set(selected)
    if (!next.delete(id)) next.add(id)
    onSelect?.(next)
  }
  const atRow = rows[atIndex]
  useShortcuts([
    // Without its row, the next one is in its place.
    { keys: 'j', label: t.next, act: () => goTo(atIndex < 0 ? at.index : atIndex + 1) },
    { keys: 'k', label: t.previous, act: () => goTo(atIndex < 0 ? at.index - 1 : atIndex - 1) },
    ...(atRow && selected ? [{ keys: 'x', label: t.select, act: () => toggle(idOf(atRow)) }] : []),
    ...(atRow && show !== open ? [{ keys: 'o', label: t.show, act: () => show?.(atRow) }] : []),
  ])
  const drawn = virtual.getVirtualItems()
  // A row that is scrolled out of sight is not drawn, and `Tab` needs one that is.
  const tabStop = Math.max(drawn[0]?.index ?? 0, Math.min(drawn.at(-1)?.index ?? 0, atIndex < 0 ? at.index : atIndex))
  useRowStops(body)
  const tracks = columns.map(({ width = 'minmax(0, 1fr)' }) => width).join(' ')
  const template = { gridTemplateColumns: selected ? `32px ${tracks}` : tracks }
  const onKeyDown = (row: Row) => (event: KeyboardEvent<HTMLElement>) => {
    const isAtRow = event.target === event.currentTarget
    if (isAtRow && event.key === 'Enter') open?.(row)
    if (isAtRow && event.key === ' ' && selected) {
      event.preventDefault()
      toggle(idOf(row))
    }
    walk(event, atIndex, rows.length, goTo)
  }
  return (
    // A grid of rows instead of a table element: only the visible rows exist, each at its own place.
    <div className={styles.table} data-narrow={isNarrow}>
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={foot ? -1 : rows.length + 1}
        aria-multiselectable={selected !== undefined}
      >
        <div className={styles.head} role="row" aria-rowindex={1} style={template}>
          {selected && (
            <span role="columnheader">
              <Checkbox
                size="xs"
                aria-label={t.selectAll}
                checked={rows.length > 0 && selected.size >= rows.length}
                indeterminate={selected.size > 0 && selected.size < rows.length}
                onChange={() => onSelect?.(selected.size > 0 ? new Set() : new Set(rows.map(idOf)))}
              />
            </span>
          )}
          {columns.map((column) => (
            <span key={column.key} role="columnheader" data-align={column.align}>
              {column.title}
            </span>
          ))}
        </div>
        <div ref={body} role="rowgroup" className={styles.body} style={{ height: virtual.getTotalSize() }}>
          {drawn.map(({ index, start, key }) => {
            const row = rows[index] as Row
            return (
              <div
                key={key}
                ref={isMeasured ? virtual.measureElement : undefined}
                data-index={index}
                className={styles.row}
                data-line={!isMeasured}
                role="row"
                aria-rowindex={index + 2}
                tabIndex={index === tabStop ? 0 : -1}
                data-opens={open !== undefined}
                aria-selected={selected?.has(idOf(row))}
                aria-current={idOf(row) === shown ? 'true' : undefined}
                style={{ ...template, transform: `translateY(${start - virtual.options.scrollMargin}px)` }}
                onFocus={() => setAt({ id: idOf(row), index })}
                onKeyDown={onKeyDown(row)}
                onClick={(event) => {
                  // A link, a button or selected text in the row has its own meaning.
                  if (!(event.target as Element).closest('a, button, input, label') && !getSelection()?.toString())
                    show?.(row)
                }}
              >
                {selected && (
                  <span role="gridcell">
                    <Checkbox
                      size="xs"
                      aria-label={`${t.select} ${idOf(row)}`}
                      checked={selected.has(idOf(row))}
                      onChange={() => toggle(idOf(row))}
                    />
                  </span>
                )}
                <Cells columns={columns} row={row} />
              </div>
            )
          })}
        </div>
      </div>
      {foot}
    </div>
  )
}

function placesOf<Row>(columns: readonly Column<Row>[]): Column<Row>['place'][] {
  if (columns.some(({ place }) => place)) return columns.map(({ place }) => place)
  // Without a title it is one of buttons.
  const isCorner = ({ align, title, wideOnly }: Column<Row>) => align === 'end' && title !== '' && !wideOnly
  const corner = columns.findLastIndex((column, index) => index > 0 && isCorner(column))
  return columns.map((_, index) => (index === 0 ? 'title' : index === corner ? 'corner' : undefined))
}

/** Drawn again only for another row: rows that move by one place are most of what a list that grows on top changes. */
const Cells = memo(function Cells<Row>({ columns, row }: { columns: readonly Column<Row>[]; row: Row }) {
  const places = placesOf(columns)
  const cells = columns.map((column, index) => (
    <span
      key={column.key}
      role="gridcell"
      data-place={places[index]}
      data-align={column.align}
      data-wide-only={column.wideOnly}
    >
      {column.cell(row)}
    </span>
  ))
  const led = places.lastIndexOf('beside') + 1
  if (led === 0) return cells
  return (
    <>
      <span role="none" className={styles.lead}>
        {cells.slice(0, led)}
      </span>
      {cells.slice(led)}
    </>
  )
}) as <Row>(props: { columns: readonly Column<Row>[]; row: Row }) => ReactNode

export interface PagedTableProps<Row> extends Omit<TableProps<Row>, 'rows' | 'foot'> {
  /** The key of the query: everything that the pages depend on. */
  queryKey: readonly unknown[]
  /** Loads the page at a cursor, the first one without. */
  load(cursor: string | undefined, signal: AbortSignal): Promise<TablePage<Row>>
  empty: ReactNode
  refetchMs?: number
}

/** A table that loads its next page when its end comes into view. */
export function PagedTable<Row>({ queryKey, load, empty, refetchMs, ...table }: PagedTableProps<Row>) {
  const t = useTexts(tableTexts)
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) => load(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next,
    refetchInterval: refetchMs ?? false,
  })
  const end = useRef<HTMLDivElement>(null)
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  useEffect(() => {
    if (!end.current || !hasNextPage || isFetchingNextPage) return
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && void fetchNextPage(), {
      rootMargin: '400px',
    })
    observer.observe(end.current)
    return () => observer.disconnect()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  if (query.isPending) return <Loading rows={10} />
  if (query.isError && !query.data) return <Failed error={query.error} retry={query.refetch} />
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? []
  if (rows.length === 0) return empty
  const foot = hasNextPage && (
    <div ref={end} className={styles.foot}>
      {/* A disabled button would lose the focus whenever it comes into view. */}
      <Button
        variant="subtle"
        aria-disabled={isFetchingNextPage}
        onClick={() => !isFetchingNextPage && void fetchNextPage()}
      >
        {isFetchingNextPage ? t.loadingMore : t.more}
      </Button>
    </div>
  )
  return (
    <>
      {query.isError && <Failed error={query.error} retry={query.refetch} />}
      <Table {...table} rows={rows} foot={foot} />
    </>
  )
}

/** At once, so that an Enter right after it reaches the row; a row out of sight exists some frames later. */
function focusRow(body: RefObject<HTMLElement | null>, index: number, frames = SCROLL_FRAMES_MAX): void {
  const row = body.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
  if (row) row.focus()
  else if (frames > 0) requestAnimationFrame(() => focusRow(body, index, frames - 1))
}

/** From a row or a control in it: up and down to another row, left and right to the control beside. */
function walk(event: KeyboardEvent<HTMLElement>, at: number, count: number, goTo: (index: number) => void): void {
  const { target, currentTarget: row, key } = event
  // A dialog that the row has opened is not in it.
  if (!row.contains(target as Element) || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return
  const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }
  const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 }
  const place = places[key]
  const step = steps[key]
  if (place === undefined && step === undefined) return
  event.preventDefault()
  if (place !== undefined) goTo(place)
  if (step === undefined) return
  const stops = [row, ...row.querySelectorAll<HTMLElement>(CONTROLS)]
  stops[stops.indexOf(target as HTMLElement) + step]?.focus()
}

/** `Tab` reaches the controls of the row that it reaches: of the others, there can be hundreds. Cells draw theirs when they like. */
function useRowStops(body: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    if (!body.current) return
    const follow = () => {
      for (const control of body.current?.querySelectorAll<HTMLElement>(CONTROLS) ?? []) {
        const { tabIndex = 0 } = control.closest<HTMLElement>('[role="row"]') ?? {}
        if (control.tabIndex !== tabIndex) control.tabIndex = tabIndex
      }
    }
    follow()
    const observer = new MutationObserver(follow)
    observer.observe(body.current, { childList: true, subtree: true, attributeFilter: ['tabindex'] })
    return () => observer.disconnect()
  }, [body])
}
