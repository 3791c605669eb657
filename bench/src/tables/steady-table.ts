/** The steady loads side by side: a column for each count of stored messages, and the ratio of each to the fewest. */
import type { Figures } from '../measure.ts'
import type { Report } from './table.ts'

const NAME = 'steady '
/** The rows of the report for the load on so many stored messages. */
export const steadyName = (storedCount: number) => `${NAME}${storedCount}`

const ratioTarget = '≤ 1.3 ×'
const lines: readonly [figure: string, title: string, target?: string][] = [
  ['acceptP50', 'accepted, p50, ms'],
  ['acceptP99', '… p99', `≤ 25; ${ratioTarget}`],
  ['acceptP999', '… p99.9', `≤ 60; ${ratioTarget}`],
  ['acceptMax', '… highest', `≤ 200; ${ratioTarget}`],
  ['receiptP50', 'call → provider, p50, ms'],
  ['receiptP99', '… p99', `≤ 50; ${ratioTarget}`],
  ['receiptP999', '… p99.9', ratioTarget],
  ['receiptMax', '… highest', ratioTarget],
  ['refused', 'refused', '0'],
  ['missing', 'accepted and not received', '0'],
  ['cpuAll', 'CPU of all processes, µs a message'],
  ['memory', 'memory of all processes, highest, MB', '≤ 350'],
  ['readyMs', 'start until ready, ms'],
  ['bytesStored', 'bytes a stored message on disk'],
  ['bytesSent', 'bytes by which the database grew a message sent'],
]

interface Column {
  title: string
  figures: Figures
  /** The same load with the fewest messages; undefined for that one itself and for another version. */
  few: Figures | undefined
}

/** Nothing without a steady load; `other` names the version of `--product`. */
export function steadyTable(report: Report, other = ''): string[] {
  const columns = columnsOf(report, other)
  if (columns.length === 0) return []
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  return [
    [
      row(['messages stored', ...columns.map(({ title }) => title), 'target']),
      `|---|${'---:|'.repeat(columns.length)}---|`,
      ...lines.map(([figure, title, target = '']) => row([title, ...columns.map((of) => cell(of, figure)), target])),
    ].join('\n'),
  ]
}

function columnsOf(report: Report, other: string): Column[] {
  const counts = Object.keys(report).flatMap((name) => (name.startsWith(NAME) ? [Number(name.slice(NAME.length))] : []))
  const figuresOf = (storedCount: number, side: 'other' | 'product') => report[steadyName(storedCount)]?.[side]?.[0]
  const [fewest = 0, ...more] = counts.sort((a, b) => a - b)
  const few = figuresOf(fewest, 'product')
  return [fewest, ...more].flatMap((storedCount) => {
    const title = storedCount.toLocaleString('en')
    const [before, figures] = [figuresOf(storedCount, 'other'), figuresOf(storedCount, 'product')]
    return [
      ...(before ? [{ title: `${title}, ${other}`, figures: before, few: undefined }] : []),
      ...(figures ? [{ title, figures, few: storedCount === fewest ? undefined : few }] : []),
    ]
  })
}

function cell({ figures, few }: Column, figure: string): string {
  const value = figures[figure] ?? Number.NaN
  const isLatency = /^(accept|receipt)/.test(figure)
  const shown = isLatency ? value.toFixed(1) : Math.round(value).toLocaleString('en')
  const least = few?.[figure]
  return isLatency && least ? `${shown} (${(value / least).toFixed(2)} ×)` : shown
}
