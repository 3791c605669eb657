/** The figures as a table: medians over the rounds, the ratio to the limit, and how far the rounds lie apart. */
import type { Stack } from '../alternatives.ts'
import type { Figures, Side } from '../measure.ts'
import { mean, median, standardError } from '../statistics.ts'

/** One entry a round. */
export type Rounds = Partial<Record<Side | Stack, Figures[]>>
export type Report = Record<string, Rounds>

interface Line extends Partial<Record<Side, string>> {
  title: string
  ratio?: string
  target?: string
}

const rates: Record<string, string> = {
  accepts: 'durable accepts/s, 64 connections',
  http: 'end to end, messages/s to an HTTP provider',
  turns: 'end to end, HTTP, in turns of 2 s: mean ratio ± its standard error',
  mail: 'end to end, mails/s to an SMTP server',
  calls: 'bare undici calls/s to the same provider',
}

const targets: Record<string, string> = { accepts: '≥ 75 %', http: '≥ 70 %', mail: '≥ 90 %' }

/** Nothing without such figures; those of another version have a column of their own, when it was measured. */
export function tableOf(report: Report, other?: string): string[] {
  const lines = [
    ...Object.keys(rates).flatMap((name) => rateLines(name, report[name] ?? {})),
    ...inlineLines(report),
    ...latencyLines(report.latency ?? {}),
    ...reactionLines(report),
    ...singleLines(report),
    ...filterLines(report),
    ...dashboardLines(report),
  ]
  if (lines.length === 0) return []
  const row = (cells: (string | undefined)[]) => `| ${cells.map((cell) => cell ?? '').join(' | ')} |`
  const shown = ({ title, limit, product, ratio, target, ...line }: Line) =>
    row(
      other === undefined ? [title, limit, product, ratio, target] : [title, limit, line.other, product, ratio, target],
    )
  const header = shown({
    ...{ title: '', limit: 'limit', product: 'Postrider', ratio: 'ratio (rounds)', target: 'target' },
    ...(other !== undefined && { other }),
  })
  const alignment = other === undefined ? '|---|---:|---:|---|---|' : '|---|---:|---:|---:|---|---|'
  return [[header, alignment, ...lines.map(shown)].join('\n')]
}

function rateLines(name: string, rounds: Rounds): Line[] {
  if (Object.keys(rounds).length === 0) return []
  const [limit, product] = [valuesOf(rounds, 'limit', 'perSecond'), valuesOf(rounds, 'product', 'perSecond')]
  const ratios = product.map((value, round) => value / (limit[round] ?? Number.NaN))
  const ratio = product.length === 0 ? '' : name === 'turns' ? meanOf(ratios) : medianOf(ratios)
  const lines: Line[] = [
    { title: rates[name] ?? name, ...cells(rounds, 'perSecond'), ratio, target: targets[name] ?? '' },
  ]
  if (valuesOf(rounds, 'product', 'cpu').length > 0)
    lines.push(
      { title: "… CPU of the server's process, µs a message", ...cells(rounds, 'cpu') },
      { title: '… CPU of all processes, µs a message', ...cells(rounds, 'cpuAll') },
    )
  if (name === 'accepts') lines.push({ title: '… p50 / p99, ms', ...latencyCells(rounds) })
  return lines
}

function inlineLines({ inline, http }: Report): Line[] {
  if (!inline) return []
  const template = valuesOf(http ?? {}, 'product', 'perSecond')
  const ratios = valuesOf(inline, 'product', 'perSecond').map((value, round) => value / (template[round] ?? Number.NaN))
  const ratio = template.length > 0 ? `**${percent(median(ratios))}** of template sends` : ''
  const title = 'unique inline content, messages/s to an HTTP provider'
  return [{ title, ...cells(inline, 'perSecond'), ratio, target: '≥ 80 %' }]
}

function latencyLines(rounds: Rounds): Line[] {
  if (Object.keys(rounds).length === 0) return []
  return [{ title: 'call → provider at 50/s, p50 / p99, ms', ...latencyCells(rounds), target: 'p50 ≤ 15' }]
}

const reactionTitles: readonly [figure: string, title: string, target: string][] = [
  ['due', 'a delayed message, after its time', '≤ 2,500'],
  ['retry', 'a second attempt, after its time', '≤ 1,500'],
  ['failover', 'the next integration, after the first has failed', '≤ 2,000'],
  ['member', 'a profile that is written, until an audience shows it', '≤ 1,000'],
  ['revoked', 'a revoked key, until another node refuses it', '≤ 1,500'],
  ['beside', 'call → provider while 1,400 calls of another provider hang', '≤ 1,000'],
  ['back', 'PostgreSQL is back, until a send is accepted', '≤ 5,000'],
  ['gone', 'a killed service, until its database has ended', '≤ 2,000'],
  ['folder', 'a data folder in use is refused', '≤ 1,000'],
  ['headers', 'headers without an end are given up', '≤ 14,000'],
  ['dripping', "a provider's reply without an end is given up, after the limit of the call", '≤ 2,000'],
  ['bodies', '/livez beside a hundred bodies of 5 MB at once, the longest pause', '≤ 1,500'],
  ['locked', '`GET /system` beside a locked table', '≤ 2,500'],
]

/** Bounds hold for the slowest. */
function reactionLines({ reactions }: Report): Line[] {
  const figures = reactions?.product?.[0]
  if (!figures) return []
  const whole = (key: string) => Math.round(figures[key] ?? Number.NaN).toLocaleString('en')
  return reactionTitles
    .filter(([figure]) => figures[`${figure} max`] !== undefined)
    .map(([figure, title, target]) => ({
      title: `${title}, p50 / slowest, ms`,
      product: `${whole(`${figure} p50`)} / ${whole(`${figure} max`)}`,
      target,
    }))
}

const singles: readonly [measure: string, figure: string, title: string, target?: string][] = [
  ['many', 'users', 'a bulk job of so many users'],
  ['many', 'ingestPerSecond', '… users taken in a second'],
  ['many', 'singlePerSecond', '… single sends a second before and after it, mean'],
  ['many', 'perSecond', '… messages of it a second, from run to recorded'],
  ['many', 'ofSingle', '… in % of single sends', '≥ 85'],
  ['many', 'slowPerSecond', '… with a provider that answers after 100 ms', '≥ 2,500'],
  ['many', 'batchedPerSecond', '… as mails, with one that answers after 100 ms and takes 500 in a call', ''],
  ['many', 'batchedOfDirect', '… in % of the job with a provider that answers at once', '≥ 120'],
  ['many', 'idleP95', '… single sends without it, call → provider p95, ms'],
  ['many', 'busyP95', '… beside it'],
  ['many', 'idleP99', '… single sends without it, p99, ms'],
  ['many', 'busyP99', '… beside it', '≤ 60'],
  ['soak', 'minutes', 'minutes at full load'],
  ['soak', 'firstPerSecond', '… messages a second in the first one'],
  ['soak', 'heldPerSecond', '… while another session holds a snapshot'],
  ['soak', 'lastPerSecond', '… in the last one'],
  ['soak', 'lastOfFirst', '… in % of the first', '≥ 90'],
  ['soak', 'slowestPerSecond', '… in the slowest ten seconds'],
  ['soak', 'cpuAll', '… CPU of all processes, µs a message'],
  ['import', 'rows', 'a file of so many users'],
  ['import', 'createdPerSecond', '… profiles imported a second, new ones', '≥ 5,000'],
  ['import', 'mergedPerSecond', '… profiles imported a second, merged', '≥ 5,000'],
  ['import', 'subscribedPerSecond', '… subscribed to a list a second', '≥ 10,000'],
  ['import', 'suppressedPerSecond', '… addresses suppressed a second', '≥ 10,000'],
  ['import', 'usersPerSecond', '… added to a bulk job a second', '≥ 10,000'],
  ['import', 'commandMemory', '… highest memory of the command, MB'],
  ['import', 'memoryAfter', '… memory of all processes after the profiles, MB'],
  ['runs', 'startedPerSecond', 'automation runs started a second, 64 connections'],
  ['runs', 'stepsPerSecond', '… steps committed a second, 50 a run, starting them included'],
  ['runs', 'stepCpu', '… CPU of all processes, µs a step'],
  ['runs', 'waiting', 'automation runs that wait'],
  ['runs', 'memoryEmpty', '… memory of all processes without them, MB'],
  ['runs', 'memoryWaiting', '… memory of all processes with them, MB'],
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
  ['memory', 'memory', 'memory of all processes 10 s after the first start, MB', '≤ 220'],
  ['memory', 'startingHighest', '… highest during the first start, MB'],
  ['memory', 'memoryLoaded', '… after the HTTP load, MB'],
  ['memory', 'memoryHighest', '… highest under the HTTP load, MB', '≤ 350'],
  ['memory', 'idlePercent', 'CPU of all processes without work, % of a core', '≤ 1'],
  ['start', 'firstMs', 'first start until ready, ms'],
  ['start', 'firstCpuMs', '… CPU of all processes, ms'],
  ['start', 'againMs', 'later start, ms'],
  ['start', 'againCpuMs', '… CPU of all processes, ms'],
  ['start', 'recoveredMs', 'start after kill -9, ms'],
  ['start', 'messages', '… with so many messages'],
  ['start', 'memory', 'memory of all processes 2 s after the first start, MB'],
  ['start', 'memoryAgain', '… 2 s after a later start, MB'],
  ['http', 'memory', 'memory of all processes after the HTTP load, MB'],
]

function singleLines(report: Report): Line[] {
  return singles.flatMap(([measure, figure, title, target = '']) => {
    const rounds = report[measure] ?? {}
    const format = figure === 'idlePercent' ? fine : whole
    return valuesOf(rounds, 'product', figure).length > 0 ? [{ title, ...cells(rounds, figure, format), target }] : []
  })
}

/** A page of messages by each filter. */
function filterLines(report: Report): Line[] {
  const figures = report.filters?.product?.[0]
  if (!figures) return []
  const names = Object.keys(figures).flatMap((key) => (key.endsWith(' p99') ? [key.slice(0, -4)] : []))
  const product = (name: string) => `${figures[`${name} p50`]?.toFixed(1)} / ${figures[`${name} p99`]?.toFixed(1)}`
  const title = `a page of ${figures.messages?.toLocaleString('en')} messages, p50 / p99, ms: ${names[0]}`
  return [
    { title, product: product('none') },
    ...names.slice(1).map((name) => ({ title: `… ${name}`, product: product(name) })),
  ]
}

function dashboardLines(report: Report): Line[] {
  const figures = report.dashboard?.product?.[0]
  if (!figures) return []
  const pair = (first: string, second: string) => `${figures[first]?.toFixed(0)} / ${figures[second]?.toFixed(0)}`
  const screens = Object.keys(figures).flatMap((key) => /^open (.*) max$/.exec(key)?.[1] ?? [])
  const messages = figures.messages?.toLocaleString('en')
  return [
    {
      title: `dashboard over ${messages} messages: cold first load until interactive, p50 / slowest, ms`,
      product: pair('coldP50', 'coldMax'),
      target: '≤ 1,500',
    },
    { title: '… its compressed size, kB', product: figures.coldKb?.toFixed(0) ?? '', target: '≤ 300' },
    ...screens.map((screen) => ({
      title: `… ${screen} opened, p50 / slowest, ms`,
      product: pair(`open ${screen}`, `open ${screen} max`),
      target: '≤ 500',
    })),
    {
      title: '… next page of messages, p50 / slowest, ms',
      product: pair('nextPageP50', 'nextPageMax'),
      target: '≤ 500',
    },
    { title: '… rows in the page at its end', product: figures.rowsDrawn?.toFixed(0) ?? '', target: '≤ 60' },
    {
      title: `… live tail at ${figures.livePerSecond?.toFixed(0)} messages/s: frames/s, without messages / with them`,
      product: pair('liveFramesIdle', 'liveFrames'),
      target: '60',
    },
    { title: '… its slowest frames, p99 / max, ms', product: pair('liveFrameP99', 'liveFrameMax') },
    { title: '… dropped frames, %', product: figures.liveDroppedPercent?.toFixed(1) ?? '' },
  ]
}

type Cells = Partial<Record<Side, string>>

function cells(rounds: Rounds, figure: string, format = whole): Cells {
  const sides = Object.keys(rounds) as Side[]
  return Object.fromEntries(sides.map((side) => [side, format(valuesOf(rounds, side, figure))]))
}

function latencyCells(rounds: Rounds): Cells {
  const [p50, p99] = [cells(rounds, 'p50', fine), cells(rounds, 'p99', fine)]
  return Object.fromEntries((Object.keys(p50) as Side[]).map((side) => [side, `${p50[side]} / ${p99[side]}`]))
}

const valuesOf = (rounds: Rounds, side: Side, figure: string) =>
  (rounds[side] ?? []).flatMap((round) => round[figure] ?? [])
const whole = (values: number[]) => (values.length > 0 ? Math.round(median(values)).toLocaleString('en') : '')
const fine = (values: number[]) => (values.length > 0 ? median(values).toFixed(1) : '')
const percent = (ratio: number) => `${Math.round(ratio * 100)} %`
const medianOf = (ratios: number[]) => `**${percent(median(ratios))}** (${ratios.map(percent).join(', ')})`
const meanOf = (ratios: number[]) => `**${percent(mean(ratios))}** ± ${percent(standardError(ratios))}`
