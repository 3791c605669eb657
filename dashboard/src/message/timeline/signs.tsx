/** The signs of a row on the axis of time: a bar, a point or a receipt, the wait beside it, and the outcome behind it. */
import { ArrowPathIcon, CheckIcon, QuestionMarkCircleIcon, XMarkIcon } from '@heroicons/react/16/solid'
import type { CSSProperties } from 'react'
import type { Axis } from './axis.ts'
import type { RowTexts } from './row-texts.tsx'
import type { TimelineRow } from './rows.ts'
import styles from './timeline.module.css'

const outcomeMarks = {
  sent: CheckIcon,
  retry: ArrowPathIcon,
  rejected: XMarkIcon,
  in_doubt: QuestionMarkCircleIcon,
} as const

export interface SignsProps {
  row: TimelineRow
  axis: Axis
  /** The ground of each row, made once from the axis. */
  folds: CSSProperties
  texts: Pick<RowTexts, 'tone' | 'outcome' | 'code'>
}

export function Signs({ row, axis, folds, texts: { tone, outcome, code } }: SignsProps) {
  const from = axis.place(row.at)
  const to = axis.place(row.end ?? row.at)
  const sign = signOf(row)
  const waitFrom = axis.place(row.waitStart ?? row.at)
  const waitTo = axis.place(row.waitEnd ?? row.at)
  const result = row.kind === 'attempt' ? row.attempt.outcome : undefined
  const Mark = result && outcomeMarks[result]
  return (
    <span className={styles.axis} style={folds} data-tone={tone}>
      {waitTo > waitFrom && (
        <i className={styles.wait} style={{ left: `${waitFrom}%`, width: `${waitTo - waitFrom}%` }} />
      )}
      <i
        className={styles[sign]}
        style={{ left: `${from}%`, ...(sign === 'bar' && { width: `${to - from}%` }) }}
        data-outcome={result}
        data-first={from === 0}
      />
      {Mark && (
        <span className={styles.caption} style={{ left: `${to}%` }}>
          <Mark role="img" aria-label={outcome} />
          {code}
        </span>
      )}
    </span>
  )
}

/** The columns of what is folded, as the ground of each row. */
export function foldsStyle({ folds }: Axis): CSSProperties {
  // Two folds that touch are two columns.
  const stops = folds.flatMap(({ from, to }) => [
    `transparent ${from}%`,
    `var(--sunk) ${from}% ${to - FOLD_GAP}%`,
    `transparent ${to - FOLD_GAP}%`,
  ])
  return stops.length === 0 ? {} : { backgroundImage: `linear-gradient(90deg, ${stops.join(', ')})` }
}
const FOLD_GAP = 0.3

function signOf(row: TimelineRow): 'bar' | 'point' | 'receipt' | 'automated' | 'due' {
  if (row.kind === 'next') return 'due'
  if (row.kind === 'decided' || row.kind === 'attempt') return 'bar'
  if (row.kind !== 'event' || !row.isReceipt) return 'point'
  return 'automated' in row.event && row.event.automated ? 'automated' : 'receipt'
}
