/** The timeline of a message, on one axis of time: a row opens to its facts. */
import { ChevronRightIcon } from '@heroicons/react/16/solid'
import { Button } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { MessageDetail, MessageExplanation } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { CodeText } from '../../parts/code/code-text.tsx'
import { Section } from '../../parts/page.tsx'
import { useShortcuts } from '../../parts/shortcuts.tsx'
import { Time, useFormat } from '../../parts/time.tsx'
import type { MessageSearch } from '../search.ts'
import { type Axis, axisOf, fitting } from './axis.ts'
import { RowFacts } from './row-facts.tsx'
import { type RowTexts, useRowTexts } from './row-texts.tsx'
import {
  rowNamed,
  spansOf,
  type TimelineInput,
  type TimelineRow,
  timelineCounts,
  timelineRows,
  timelineStart,
} from './rows.ts'
import { foldsStyle, Signs, type SignsProps } from './signs.tsx'
import styles from './timeline.module.css'

const timelineTexts = texts({
  en: {
    title: 'Timeline',
    after: 'After',
    attempts: (count: number) => (count === 1 ? '1 attempt' : `${count} attempts`),
    integrations: (count: number) => (count === 1 ? 'by 1 integration' : `by ${count} integrations`),
    within: (duration: string) => `in ${duration}`,
    receipts: (count: number) => (count === 1 ? '1 receipt' : `${count} receipts`),
    openAll: 'Open all',
    closeAll: 'Close all',
    step: 'step through',
    next: 'Next row of the timeline',
    previous: 'Previous row of the timeline',
  },
  de: {
    title: 'Verlauf',
    after: 'Nach',
    attempts: (count: number) => (count === 1 ? '1 Versuch' : `${count} Versuche`),
    integrations: (count: number) => (count === 1 ? 'mit 1 Integration' : `mit ${count} Integrationen`),
    within: (duration: string) => `in ${duration}`,
    receipts: (count: number) => (count === 1 ? '1 Rückmeldung' : `${count} Rückmeldungen`),
    openAll: 'Alle öffnen',
    closeAll: 'Alle schließen',
    step: 'durchgehen',
    next: 'Nächste Zeile des Verlaufs',
    previous: 'Vorige Zeile des Verlaufs',
  },
})

export interface TimelineProps extends TimelineInput {
  message: MessageDetail
  explanation: MessageExplanation
  /** A row that the address names. */
  named: string | undefined
}

export function Timeline({ named, ...input }: TimelineProps) {
  const t = useTexts(timelineTexts)
  const { message, explanation, events } = input
  const rows = useMemo(() => timelineRows({ message, explanation, events }), [message, explanation, events])
  const axis = useMemo(() => axisOf(spansOf(rows)), [rows])
  const folds = useMemo(() => foldsStyle(axis), [axis])
  const textsOf = useRowTexts(input)
  const start = timelineStart(input)
  const { openRows, list, toggle, openAll } = useOpenRows(rows, named)
  const isAllOpen = rows.every(({ id }) => openRows.has(id))
  return (
    <Section
      title={t.title}
      description={<Counts rows={rows} {...input} />}
      actions={
        <>
          <span className={styles.keys} aria-hidden>
            <kbd>[</kbd> <kbd>]</kbd> {t.step}
          </span>
          <Button variant="default" size="compact-sm" onClick={() => openAll(!isAllOpen)}>
            {isAllOpen ? t.closeAll : t.openAll}
          </Button>
        </>
      }
    >
      <div className={styles.timeline}>
        <Ticks axis={axis} />
        <ol ref={list} aria-label={t.title}>
          {rows.map((row) => (
            <li key={row.id}>
              <Row
                {...{ row, rows, axis, folds, start, explanation }}
                texts={textsOf(row)}
                isOpen={openRows.has(row.id)}
                toggle={(isOpen) => toggle(row.id, isOpen)}
              />
            </li>
          ))}
        </ol>
      </div>
    </Section>
  )
}

/** As the name of a row in the address. */
const ALL = 'all'

/** `[` and `]` open one row after the other; the one that the address names is open from the start. */
function useOpenRows(rows: readonly TimelineRow[], named: string | undefined) {
  const t = useTexts(timelineTexts)
  const navigate = useNavigate({ from: '/messages/$messageId' })
  const list = useRef<HTMLOListElement>(null)
  const [openRows, setOpenRows] = useState<ReadonlySet<string>>(new Set())
  const [current, setCurrent] = useState<string>()
  const latest = useRef(rows)
  const isFirst = useRef(true)
  latest.current = rows
  useEffect(() => {
    if (named === ALL) setOpenRows(new Set(latest.current.map(({ id }) => id)))
    // Attempts that follow later neither open nor take the focus.
    const at = latest.current.findIndex(({ id }) => named !== undefined && id === rowNamed(latest.current, named)?.id)
    const row = latest.current[at]
    if (!row) return
    setCurrent(row.id)
    setOpenRows((before) => new Set([...before, row.id]))
    const summary = list.current?.querySelectorAll<HTMLElement>(':scope > li > details > summary')[at]
    // A link to the page leads to the row, one of the page to it with the keys.
    if (isFirst.current) summary?.scrollIntoView({ block: 'nearest' })
    else summary?.focus()
  }, [named])
  useEffect(() => {
    isFirst.current = false
  }, [])
  const name = (row: string | undefined) => {
    const search = ({ row: _, ...before }: MessageSearch) => (row === undefined ? before : { ...before, row })
    void navigate({ to: '.', search, replace: true, resetScroll: false, state: true })
  }
  const toggle = (id: string, isOpen: boolean) => {
    if (openRows.has(id) === isOpen) return
    setOpenRows(new Set(isOpen ? [...openRows, id] : [...openRows].filter((each) => each !== id)))
    setCurrent(id)
    name(isOpen ? id : undefined)
  }
  const step = (by: number) => {
    const at = rows.findIndex(({ id }) => id === current)
    const next = rows[at < 0 && by < 0 ? rows.length - 1 : Math.max(0, Math.min(rows.length - 1, at + by))]
    if (!next) return
    setOpenRows(new Set([next.id]))
    name(next.id)
  }
  const openAll = (isOpen: boolean) => {
    setOpenRows(new Set(isOpen ? rows.map(({ id }) => id) : []))
    name(isOpen ? ALL : undefined)
  }
  useShortcuts([
    { keys: ']', label: t.next, act: () => step(1) },
    { keys: '[', label: t.previous, act: () => step(-1) },
  ])
  return { openRows, list, toggle, openAll }
}

function Counts({ rows, explanation: { deliveries } }: Pick<TimelineProps, 'explanation'> & { rows: TimelineRow[] }) {
  const t = useTexts(timelineTexts)
  const format = useFormat()
  const { attempts, integrations, receipts, ms } = timelineCounts(rows, deliveries)
  return [
    attempts > 0 && [t.attempts(attempts), t.integrations(integrations), t.within(format.duration(ms))].join(' '),
    receipts > 0 && t.receipts(receipts),
  ]
    .filter(Boolean)
    .join('; ')
}

function Ticks({ axis }: { axis: Axis }) {
  const t = useTexts(timelineTexts)
  const format = useFormat()
  const { ref, width: axisWidth } = useElementSize()
  const widthOf = (text: string) => ((text.length * CHARACTER_PX + SPACE_PX) / (axisWidth || AXIS_PX)) * 100
  const ticks = axis.ticks.map(({ at, ms, step, from, isMinor }) => {
    const text =
      ms === from || ms < MINUTE || step >= unitOf(ms) / 10
        ? ms === 0
          ? '0'
          : format.duration(ms, digitsOf(ms, step))
        : `+${format.duration(ms - from, digitsOf(ms - from, step))}`
    return { at, text, width: widthOf(text), isMinor, isFold: false, begins: ms === from }
  })
  const folds = axis.folds.map(({ from, to, ms }) => {
    const text = `⋯ ${format.duration(ms)}`
    return { at: (from + to) / 2, text, width: widthOf(text), isMinor: false, isFold: true, begins: false }
  })
  // The scale first, and where it goes on behind a fold.
  const labels = fitting([
    ...ticks.filter(({ at }) => at === 0),
    ...folds.slice(0, 1),
    ...ticks.filter(({ at, begins }) => begins && at !== 0),
    ...folds.slice(1),
    ...ticks.filter(({ begins, isMinor }) => !begins && !isMinor),
    ...ticks.filter(({ begins, isMinor }) => !begins && isMinor),
  ])
  return (
    <div className={styles.head} aria-hidden>
      <span>{t.after}</span>
      <div ref={ref} className={styles.ticks}>
        {labels.map(({ at, text, isMinor, isFold }) => (
          <span
            key={`${isFold} ${at}`}
            className={isFold ? styles.fold : undefined}
            style={{ left: `${at}%` }}
            data-minor={isMinor}
            data-first={at === 0}
          >
            {text}
          </span>
        ))}
      </div>
    </div>
  )
}
/** A character of the small text, rounded up. */
const CHARACTER_PX = 6.5
/** Between two labels. */
const SPACE_PX = 8
/** Until the axis is measured. */
const AXIS_PX = 600

const MINUTE = 60_000
/** A length of time is written in this unit from a minute on. */
const unitOf = (ms: number) => [86_400_000, 3_600_000].find((unit) => ms >= unit) ?? MINUTE

/** As many digits as tell two ticks apart. */
const digitsOf = (ms: number, step: number) =>
  ms < MINUTE ? [1_000, 100, 10].filter((unit) => step % unit !== 0).length : undefined

interface RowProps extends Omit<SignsProps, 'texts'> {
  rows: readonly TimelineRow[]
  explanation: MessageExplanation
  texts: RowTexts
  /** When the message was accepted. In milliseconds since the Unix epoch. */
  start: number
  isOpen: boolean
  toggle(isOpen: boolean): void
}

function Row({
  row,
  rows,
  explanation,
  texts: { title, detail, mark, ...signs },
  start,
  isOpen,
  toggle,
  ...axis
}: RowProps) {
  const format = useFormat()
  const at = row.kind === 'decided' ? (row.end ?? row.at) : row.at
  return (
    <details className={styles.row} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <span className={styles.offset}>
          <Time at={start + at} exact>
            {at === 0 ? '0' : `+${format.duration(at, at < 10_000 ? 2 : undefined)}`}
          </Time>
        </span>
        <span className={styles.what}>
          {mark}
          <span>
            {title}
            {detail && (
              <small title={detail.replaceAll('`', '')}>
                <CodeText text={detail} />
              </small>
            )}
          </span>
        </span>
        <Signs row={row} {...axis} texts={signs} />
        <ChevronRightIcon className={styles.chevron} aria-hidden />
      </summary>
      {isOpen && (
        <div className={styles.facts}>
          <RowFacts row={row} rows={rows} explanation={explanation} />
        </div>
      )}
    </details>
  )
}
