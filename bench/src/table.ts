/** The figures as a table: medians over the rounds, the ratio to the limit, and how far the rounds lie apart. */
import type { Figures, Side } from './measure.ts'
import type { EngineName } from './places.ts'
import { mean, median, standardError } from './statistics.ts'

/** One entry a round. */
export type Rounds = Partial<Record<Side, Figures[]>>
export type Report = Record<string, Rounds>

const rates: Record<string, string> = {
  accepts: 'durable accepts/s, 64 connections',
  http: 'end to end, messages/s to an HTTP provider',
  turns: 'end to end, HTTP, in turns of 2 s: mean ratio ± its standard error',
  mail: 'end to end, mails/s to an SMTP server',
  calls: 'bare undici calls/s to the same provider',
}

export function tableOf(engine: EngineName, report: Report): string {
  const lines = [`## ${engine}`, '', '| | limit | Postrider | ratio (rounds) | target |', '|---|---:|---:|---|---|']
  for (const [name, title] of Object.entries(rates)) {
    const rounds = report[name]
    if (!rounds) continue
    const [limit, product] = [valuesOf(rounds, 'limit', 'perSecond'), valuesOf(rounds, 'product', 'perSecond')]
    const ratios = product.map((value, round) => value / (limit[round] ?? Number.NaN))
    const ratio = product.length === 0 ? '' : name === 'turns' ? meanOf(ratios) : medianOf(ratios)
    lines.push(`| ${title} | ${whole(limit)} | ${whole(product)} | ${ratio} | ${targets[name] ?? ''} |`)
    const cpu = [valuesOf(rounds, 'limit', 'cpu'), valuesOf(rounds, 'product', 'cpu')] as const
    if (cpu[1].length > 0)
      lines.push(`| … CPU of the server's process, µs a message | ${whole(cpu[0])} | ${whole(cpu[1])} | | |`)
    if (name === 'accepts')
      lines.push(`| … p50 / p99, ms | ${latency(rounds, 'limit')} | ${latency(rounds, 'product')} | | |`)
  }
  const inline = valuesOf(report.inline ?? {}, 'product', 'perSecond')
  if (inline.length > 0) {
    const template = valuesOf(report.http ?? {}, 'product', 'perSecond')
    const ratios = inline.map((value, round) => value / (template[round] ?? Number.NaN))
    const ratio = template.length > 0 ? `**${percent(median(ratios))}** of template sends` : ''
    lines.push(`| unique inline content, messages/s to an HTTP provider | | ${whole(inline)} | ${ratio} | ≥ 80 % |`)
  }
  if (report.pace)
    lines.push(`| call → provider at 50/s, p50 / p99, ms | | ${latency(report.pace, 'product')} | | p50 ≤ 15 |`)
  lines.push(...single(report), ...filters(report))
  return lines.join('\n')
}

const medianOf = (ratios: number[]) => `**${percent(median(ratios))}** (${ratios.map(percent).join(', ')})`
const meanOf = (ratios: number[]) => `**${percent(mean(ratios))}** ± ${percent(standardError(ratios))}`

const targets: Record<string, string> = { accepts: '≥ 75 %', http: '≥ 70 %', mail: '≥ 90 %' }

const figures: readonly [measure: string, figure: string, title: string][] = [
  ['many', 'users', 'a bulk job of so many users'],
  ['many', 'ingestPerSecond', '… users taken in a second'],
  ['many', 'perSecond', '… messages a second, from run to recorded'],
  ['many', 'idleP95', '… single sends without it, call → provider p95, ms'],
  ['many', 'busyP95', '… single sends beside it, call → provider p95, ms'],
  ['runs', 'startedPerSecond', 'automation runs started a second, 64 connections'],
  ['runs', 'stepsPerSecond', '… steps committed a second, 50 a run, starting them included'],
  ['runs', 'stepCpu', '… CPU of the process, µs a step'],
  ['runs', 'waiting', 'automation runs that wait'],
  ['runs', 'memoryEmpty', '… memory without them, MB'],
  ['runs', 'memoryWaiting', '… memory with them, MB'],
  ['runs', 'claimEmptyP50', '… a claim of one due run without them, p50, µs'],
  ['runs', 'claimWaitingP50', '… a claim of one due run beside them, p50, µs'],
  ['rows', 'stored', 'messages stored'],
  ['rows', 'heapBytes', '… bytes a finished message, rows'],
  ['rows', 'indexBytes', '… bytes a finished message, indexes'],
  ['rows', 'walBytes', '… bytes of WAL a message'],
  ['rows', 'accept p50', '… accept 100 in one statement, p50, ms'],
  ['rows', 'claim p50', '… claim 100, p50, ms'],
  ['rows', 'record p50', '… record 100, p50, ms'],
  ['rows', 'vacuumMs', '… longest vacuum after 6,000 messages, ms'],
  ['start', 'memory', 'memory after the first start, MB'],
  ['start', 'memoryHighest', '… highest while creating, MB'],
  ['start', 'memoryAgain', 'memory after a later start, MB'],
  ['http', 'memory', 'memory after the HTTP load, MB'],
  ['http', 'memoryHighest', '… highest under it, MB'],
  ['start', 'firstMs', 'first start until ready, ms'],
  ['start', 'againMs', 'later start, ms'],
  ['start', 'recoveredMs', 'start after kill -9, ms'],
  ['start', 'messages', '… with so many messages'],
]

function single(report: Report): string[] {
  return figures.flatMap(([measure, figure, title]) => {
    const values = valuesOf(report[measure] ?? {}, 'product', figure)
    return values.length > 0 ? [`| ${title} | | ${whole(values)} | | |`] : []
  })
}

/** A page of messages by each filter. */
function filters(report: Report): string[] {
  const figures = report.filters?.product?.[0]
  if (!figures) return []
  const names = Object.keys(figures).flatMap((key) => (key.endsWith(' p99') ? [key.slice(0, -4)] : []))
  const shown = (name: string) => `${figures[`${name} p50`]?.toFixed(1)} / ${figures[`${name} p99`]?.toFixed(1)}`
  return [
    `| a page of ${figures.messages?.toLocaleString('en')} messages, p50 / p99, ms: ${names[0]} | | ${shown('none')} | | |`,
    ...names.slice(1).map((name) => `| … ${name} | | ${shown(name)} | | |`),
  ]
}

const valuesOf = (rounds: Rounds, side: Side, figure: string) =>
  (rounds[side] ?? []).flatMap((round) => round[figure] ?? [])
const whole = (values: number[]) => (values.length > 0 ? Math.round(median(values)).toLocaleString('en') : '')
const percent = (ratio: number) => `${Math.round(ratio * 100)} %`
const latency = (rounds: Rounds, side: Side) =>
  ['p50', 'p99'].map((name) => median(valuesOf(rounds, side, name)).toFixed(1)).join(' / ')
