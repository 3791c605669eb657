/** A simulation for people: every step and every released digest in words, then how the runs ended, and each error in full. */
import type { Simulation } from '@postrider/client'
import { plain, utcTime } from '../../../plain.ts'
import { span } from '../../../span.ts'
import { statusStyle } from '../../../status.ts'
import { table } from '../../../table.ts'
import type { Terminal } from '../../../terminal.ts'
import { digestText, stepText } from './texts.ts'

export function simulationText(terminal: Terminal, simulation: Simulation): string {
  const { runs, timeline, digests, start, end, complete, warnings = [] } = simulation
  const numbers = new Map(runs.map(({ run_id }, index) => [run_id, index + 1]))
  const several = runs.length > 1
  const nameOf = (runId: string) => `run ${numbers.get(runId) ?? runId}`
  const cells = (at: string, run: string | undefined, step: number | string, status: string, words: string) => ({
    at: Date.parse(at),
    row: [
      utcTime(Date.parse(at)),
      ...(several ? [run === undefined ? '' : numbers.get(run)] : []),
      step,
      status,
      words,
    ],
  })
  const rows = [
    ...timeline.map((step) => cells(step.at, step.run_id, step.position, step.status, stepText(step, nameOf))),
    ...digests.map((digest) => cells(digest.released_at, undefined, '', 'RELEASED', digestText(digest))),
  ]
    // The sort is stable: a release at the time of a step comes behind it.
    .sort((left, right) => left.at - right.at)
    .map(({ row }) => row)
  const style = (text: string) => statusStyle(terminal, text)
  const columns = [
    { title: 'WHEN' },
    ...(several ? [{ title: 'RUN' }] : []),
    { title: 'STEP' },
    { title: 'STATUS', style },
    { title: 'WHAT', charactersMax: 160 },
  ]
  const ms = Date.parse(end) - Date.parse(start)
  return [
    table(columns, rows),
    `${outcomes(runs, style)}, over ${ms === 0 ? 'at once' : `after ${span(ms)}`}.`,
    complete ? '' : 'The simulation was stopped at its limits; the timeline is incomplete.',
    errors(runs, several),
    warnings.map((warning) => `Warning: ${plain(warning)}`).join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n')
}

type Runs = Simulation['runs']

/** `3 runs: 2 PROCESSED, 1 ERROR`. */
function outcomes(runs: Runs, style: (text: string) => string): string {
  const counts = new Map<string, number>()
  for (const { status } of runs) counts.set(status, (counts.get(status) ?? 0) + 1)
  const ends = [...counts].map(([status, count]) => `${count} ${style(status)}`)
  return `${runs.length} run${runs.length === 1 ? '' : 's'}: ${ends.join(', ')}`
}

/** More than these are the same few mistakes. */
const ERRORS_MAX = 50
const NUMBERS_MAX = 10

/** Last, where a terminal shows them; the same one of many runs once. */
function errors(runs: Runs, several: boolean): string {
  const byText = new Map<string, number[]>()
  for (const [index, { error }] of runs.entries())
    if (error !== undefined) byText.set(error, [...(byText.get(error) ?? []), index + 1])
  const lines = [...byText].slice(0, ERRORS_MAX).map(([error, numbers]) => {
    const more = numbers.length > NUMBERS_MAX ? ` and ${numbers.length - NUMBERS_MAX} more` : ''
    const whose = `run${numbers.length === 1 ? '' : 's'} ${numbers.slice(0, NUMBERS_MAX).join(', ')}${more}`
    return `ERROR${several ? ` of ${whose}` : ''}: ${plain(error)}`
  })
  const left = byText.size - lines.length
  return [...lines, ...(left > 0 ? [`and ${left} other errors: see --json`] : [])].join('\n')
}
