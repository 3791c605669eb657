/** The stacks side by side: means over the turns, and how often Postrider does what each of them does. */
import { alternativesName, type Stack, type stackLoads, stacks } from '../alternatives.ts'
import { mean, standardError } from '../statistics.ts'
import type { Report, Rounds } from './table.ts'

const titles: Record<keyof typeof stackLoads, string> = {
  accepts: 'durable accepts/s, 64 connections',
  http: 'end to end, messages/s to an HTTP provider',
  mail: 'end to end, mails/s to an SMTP server',
}
/** Ratios to the first stack. */
const targets: Record<keyof typeof stackLoads, string> = { accepts: '≥ 1.3 ×', http: '≥ 4 ×', mail: '≥ 5 ×' }

/** Nothing without alternatives. */
export function alternativesTable(report: Report): string[] {
  const row = (cells: string[]) => `| ${cells.join(' | ')} |`
  const lines = (Object.keys(titles) as (keyof typeof stackLoads)[]).flatMap((name) => {
    const rounds = report[alternativesName(name)]
    if (!rounds) return []
    return [
      row([
        titles[name],
        whole(rounds, 'product', 'perSecond'),
        ...ratioCells(rounds),
        targets[name],
        ...limitCells(rounds),
      ]),
      row(['… CPU of all processes, µs a message', ...cells(rounds), '', whole(rounds, 'limit', 'cpuAll'), '']),
    ]
  })
  if (lines.length === 0) return []
  const header = [
    'in turns of 2 s',
    'Postrider',
    ...stacks.flatMap((stack) => [stack, 'ratio']),
    'target',
    'limit',
    'its ratio',
  ]
  return [[row(header), `|---|---:|${stacks.map(() => '---:|---|').join('')}---|---:|---|`, ...lines].join('\n')]
}

const ratioCells = (rounds: Rounds) =>
  stacks.flatMap((stack) => [whole(rounds, stack, 'perSecond'), `**${ratioTo(stack, rounds, 'product')}**`])

/** How much of the target the raw limit leaves: its ratio to the first stack. */
const limitCells = (rounds: Rounds) => [whole(rounds, 'limit', 'perSecond'), ratioTo(stacks[0], rounds, 'limit')]

/** Mean and standard error over the turns. */
function ratioTo(stack: Stack, rounds: Rounds, side: 'product' | 'limit'): string {
  const theirs = values(rounds, stack, 'perSecond')
  const ratios = values(rounds, side, 'perSecond').map((value, turn) => value / (theirs[turn] ?? Number.NaN))
  return ratios.length > 0 ? `${mean(ratios).toFixed(1)} × ± ${standardError(ratios).toFixed(1)}` : ''
}

const cells = (rounds: Rounds) => [
  whole(rounds, 'product', 'cpuAll'),
  ...stacks.flatMap((stack) => [whole(rounds, stack, 'cpuAll'), '']),
]

const values = (rounds: Rounds, side: keyof Rounds, figure: string) =>
  (rounds[side] ?? []).map((turn) => turn[figure] ?? Number.NaN)
function whole(...of: Parameters<typeof values>): string {
  const figures = values(...of)
  return figures.length > 0 ? Math.round(mean(figures)).toLocaleString('en') : ''
}
