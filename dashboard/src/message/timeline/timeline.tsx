/** The timeline of a message, on one axis of time: a row opens to its facts. */
import { ChevronRightIcon } from '@heroicons/react/16/solid'
import { Button } from '@mantine/core'
import type { MessageDetail, MessageExplanation } from '@postrider/client'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useMemo, useRef, useState } from 'react'
import { texts, useTexts } from '../../language/language.tsx'
import { CodeText } from '../../parts/code/code-text.tsx'
import { Section } from '../../parts/page.tsx'
import { useShortcuts } from '../../parts/shortcuts.tsx'
import type { Tone } from '../../parts/status.tsx'
import { useFormat } from '../../parts/time.tsx'
import type { MessageSearch } from '../search.ts'
import { type Axis, axisOf } from './axis.ts'
import { RowFacts } from './row-facts.tsx'
import { type RowTexts, useRowTexts } from './row-texts.tsx'
import { rowNamed, spansOf, type TimelineInput, type TimelineRow, timelineCounts, timelineRows } from './rows.ts'
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
  const { openRows, setOpenRows, list, openAll } = useOpenRows(rows, named)
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
                row={row}
                rows={rows}
                axis={axis}
                isOpen={openRows.has(row.id)}
                toggle={(isOpen) =>
                  setOpenRows((before) => {
                    if (before.has(row.id) === isOpen) return before
                    return new Set(isOpen ? [...before, row.id] : [...before].filter((id) => id !== row.id))
                  })
                }
                {...input}
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
  latest.current = rows
  useEffect(() => {
    if (named === ALL) setOpenRows(new Set(latest.current.map(({ id }) => id)))
    // Attempts that follow later neither open nor take the focus.
    const at = latest.current.findIndex(({ id }) => named !== undefined && id === rowNamed(latest.current, named)?.id)
    const row = latest.current[at]
    if (!row) return
    setCurrent(row.id)
    setOpenRows((before) => new Set([...before, row.id]))
    list.current?.querySelectorAll<HTMLElement>(':scope > li > details > summary')[at]?.focus()
  }, [named])
  const name = (row: string | undefined) => {
    const search = ({ row: _, ...before }: MessageSearch) => (row === undefined ? before : { ...before, row })
    void navigate({ to: '.', search, replace: true, resetScroll: false })
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
  return { openRows, setOpenRows, list, openAll }
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
  return (
    <div className={styles.head} aria-hidden>
      <span>{t.after}</span>
      <div className={styles.ticks}>
        {axis.ticks.map(({ at, ms, step, isMinor }) => (
          <span key={at} style={{ left: `${at}%` }} data-minor={isMinor} data-first={at === 0}>
            {ms === 0 ? '0' : format.duration(ms, digitsOf(ms, step))}
          </span>
        ))}
        {axis.folds
          .filter(({ from, to }, index) => to - from >= FOLD_LABELED && axis.folds[index - 1]?.to !== from)
          .map(({ from, to, ms }) => (
            <span key={from} className={styles.fold} style={{ left: `${(from + to) / 2}%` }}>
              ⋯ {format.duration(ms)}
            </span>
          ))}
      </div>
    </div>
  )
}
/** Percent of the axis that the length of a fold takes; of two that touch the first has its own. */
const FOLD_LABELED = 7

/** As many digits as tell two ticks apart. */
const digitsOf = (ms: number, step: number) =>
  ms < 60_000 ? [1_000, 100, 10].filter((unit) => step % unit !== 0).length : undefined

interface RowProps extends Omit<TimelineProps, 'named'> {
  row: TimelineRow
  rows: readonly TimelineRow[]
  axis: Axis
  isOpen: boolean
  toggle(isOpen: boolean): void
}

function Row({ row, rows, axis, isOpen, toggle, ...input }: RowProps) {
  const format = useFormat()
  const words = useRowTexts(input)(row)
  const at = row.kind === 'decided' ? (row.end ?? row.at) : row.at
  return (
    <details className={styles.row} open={isOpen} onToggle={(event) => toggle(event.currentTarget.open)}>
      <summary>
        <span className={styles.offset}>{at === 0 ? '0' : `+${format.duration(at, at < 10_000 ? 2 : undefined)}`}</span>
        <span className={styles.what}>
          {words.mark}
          <span>
            {words.title}
            {words.detail && (
              <small title={words.detail.replaceAll('`', '')}>
                <CodeText text={words.detail} />
              </small>
            )}
          </span>
        </span>
        <Signs row={row} axis={axis} words={words} />
        <ChevronRightIcon className={styles.chevron} aria-hidden />
      </summary>
      {isOpen && (
        <div className={styles.facts}>
          <RowFacts row={row} rows={rows} {...input} />
        </div>
      )}
    </details>
  )
}

/** A longer word than the code of a reply has no place behind a bar that ends here, in percent of the axis. */
const WORD_BEFORE = 78
const CODE_LENGTH = 5

function Signs({ row, axis, words: { tone, caption } }: { row: TimelineRow; axis: Axis; words: RowTexts }) {
  const from = axis.place(row.at)
  const to = axis.place(row.end ?? row.at)
  const sign = signOf(row)
  const waits = [row.waitStart === undefined ? row.at : row.waitStart, row.waitEnd ?? row.at].map(axis.place)
  const [waitFrom = from, waitTo = from] = waits
  const isBefore = to > WORD_BEFORE && (caption?.length ?? 0) > CODE_LENGTH
  return (
    <span className={styles.axis} data-tone={tone satisfies Tone}>
      {axis.folds.map((fold) => (
        <i
          key={fold.from}
          className={styles.foldColumn}
          style={{ left: `${fold.from}%`, width: `${fold.to - fold.from}%` }}
        />
      ))}
      {waitTo > waitFrom && (
        <i className={styles.wait} style={{ left: `${waitFrom}%`, width: `${waitTo - waitFrom}%` }} />
      )}
      <i
        className={styles[sign]}
        style={{ left: `${from}%`, ...(sign === 'bar' && { width: `${to - from}%` }) }}
        data-outcome={row.kind === 'attempt' ? row.attempt.outcome : undefined}
        data-first={from === 0}
      />
      {caption && (
        <span className={styles.caption} style={isBefore ? { right: `${100 - from}%` } : { left: `${to}%` }}>
          {caption}
        </span>
      )}
    </span>
  )
}

function signOf(row: TimelineRow): 'bar' | 'point' | 'receipt' | 'automated' | 'due' {
  if (row.kind === 'next') return 'due'
  if (row.kind === 'decided' || row.kind === 'attempt') return 'bar'
  if (row.kind !== 'event' || !row.isReceipt) return 'point'
  return 'automated' in row.event && row.event.automated ? 'automated' : 'receipt'
}
