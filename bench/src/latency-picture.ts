/** An SVG of latency over time: a column for each run, accepting above and delivering below, on one logarithmic scale. */
import { quantile } from './statistics.ts'

export interface Panel {
  title: string
  /** Calls a second; the n-th latency belongs to the second n / perSecond. */
  perSecond: number
  accepts: Float64Array
  receipts: Float64Array
}

const WIDTH = 440
const HEIGHT = 210
const MARGIN = { left: 64, right: 16, top: 96, bottom: 40 }
const GAP = { x: 56, y: 72 }
const LEGEND_HEIGHT = 28

const ROWS = [
  { of: 'accepts', title: 'call → accepted' },
  { of: 'receipts', title: 'call → provider' },
] as const

/** Middle tones: readable on a light and on a dark page. */
const COLORS = { max: '#d9730d', p99: '#3b82c4', text: '#7d8590', grid: '#7d859040' } as const

interface Second {
  max: number
  p99: number
}

export function latencyPicture(panels: readonly Panel[]): string {
  const series = panels.map((panel) => ({ ...panel, rows: ROWS.map(({ of }) => bySecond(panel[of], panel.perSecond)) }))
  const scale = scaleOf(series.flatMap(({ rows }) => rows.flat()))
  const width = MARGIN.left + panels.length * WIDTH + (panels.length - 1) * GAP.x + MARGIN.right
  const height = MARGIN.top + ROWS.length * HEIGHT + (ROWS.length - 1) * GAP.y + MARGIN.bottom + LEGEND_HEIGHT
  const charts = series.flatMap(({ title, rows }, column) =>
    rows.map((seconds, row) => {
      const at = { x: MARGIN.left + column * (WIDTH + GAP.x), y: MARGIN.top + row * (HEIGHT + GAP.y) }
      const heading = `${row === 0 ? text(0, -34, title, 'font-weight="bold"') : ''}${text(0, -10, headingOf(row, seconds))}`
      return `<g transform="translate(${at.x} ${at.y})">${heading}${chart(seconds, scale)}</g>`
    }),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="${COLORS.text}" role="img">
<title>${titleOf(panels)}</title>
${text(MARGIN.left, 28, titleOf(panels), 'font-size="15"')}
${charts.join('\n')}
${legend(height - LEGEND_HEIGHT + 12)}
</svg>
`
}

function titleOf(panels: readonly Panel[]): string {
  const rates = new Set(panels.map(({ perSecond }) => perSecond))
  return `Latency at ${[...rates].join(' and ')} calls a second, from the time at which each was planned`
}

/** A second in which nothing was answered has NaN. */
function bySecond(latencies: Float64Array, perSecond: number): Second[] {
  const size = Math.max(1, Math.round(perSecond))
  return Array.from({ length: Math.ceil(latencies.length / size) }, (_, second) => {
    const answered = [...latencies.subarray(second * size, (second + 1) * size)].filter((value) => !Number.isNaN(value))
    return { max: quantile(answered, 1), p99: quantile(answered, 0.99) }
  })
}

interface Scale {
  /** Powers of ten in ms. */
  least: number
  most: number
}

function scaleOf(seconds: readonly Second[]): Scale {
  const values = seconds.flatMap(({ max, p99 }) => [max, p99]).filter((value) => value > 0)
  const least = Math.floor(Math.log10(values.reduce((low, value) => Math.min(low, value), 1)))
  const most = Math.ceil(Math.log10(values.reduce((high, value) => Math.max(high, value), 100)))
  return { least, most: Math.max(most, least + 1) }
}

function chart(seconds: readonly Second[], scale: Scale): string {
  const y = (ms: number) => round(HEIGHT * (1 - (Math.log10(ms) - scale.least) / (scale.most - scale.least)))
  const x = (second: number) => round((second / Math.max(1, seconds.length - 1)) * WIDTH)
  const powers = Array.from({ length: scale.most - scale.least + 1 }, (_, n) => 10 ** (scale.least + n))
  const lines = powers.map((ms) => `<path d="M0 ${y(ms)}H${WIDTH}" stroke="${COLORS.grid}"/>${label(ms, y(ms))}`)
  const step = timeStep(seconds.length)
  const times = Array.from({ length: Math.floor((seconds.length - 1) / step) + 1 }, (_, n) => n * step)
  const ticks = times.map((second) => text(x(second), HEIGHT + 18, `${second}`, 'text-anchor="middle"'))
  const curve = (of: keyof Second) =>
    `<path d="${pathOf(
      seconds.map((second) => second[of]),
      x,
      y,
    )}" fill="none" stroke="${COLORS[of]}" stroke-width="1.5"/>`
  return [
    ...lines,
    ...ticks,
    text(WIDTH / 2, HEIGHT + 34, 'seconds', 'text-anchor="middle"'),
    text(-44, HEIGHT / 2, 'ms', `text-anchor="middle" transform="rotate(-90 -44 ${HEIGHT / 2})"`),
    curve('max'),
    curve('p99'),
  ].join('')
}

/** A gap where a second has no value. */
function pathOf(values: readonly number[], x: (second: number) => number, y: (ms: number) => number): string {
  let isDrawing = false
  return values
    .map((value, second) => {
      const command = isDrawing ? 'L' : 'M'
      isDrawing = value > 0
      return isDrawing ? `${command}${x(second)} ${y(value)}` : ''
    })
    .join('')
}

function timeStep(seconds: number): number {
  return [1, 2, 5, 10, 30, 60, 120, 300, 600].find((step) => seconds / step <= 8) ?? 3_600
}

function headingOf(row: number, seconds: readonly Second[]): string {
  const highest = Math.max(0, ...seconds.map(({ max }) => max).filter((max) => !Number.isNaN(max)))
  return `${ROWS[row]?.title}; highest ${Math.round(highest).toLocaleString('en')} ms`
}

function legend(y: number): string {
  const entries = [
    [COLORS.max, 'highest of each second'],
    [COLORS.p99, '99th percentile of each second'],
  ] as const
  return entries
    .map(([color, name], n) => {
      const x = MARGIN.left + n * 200
      return `<path d="M${x} ${y - 4}h24" stroke="${color}" stroke-width="2"/>${text(x + 32, y, name)}`
    })
    .join('')
}

const label = (ms: number, y: number) =>
  text(-8, y + 4, ms >= 1 ? ms.toLocaleString('en') : String(ms), 'text-anchor="end"')

const text = (x: number, y: number, content: string, attributes = '') =>
  `<text x="${x}" y="${y}" ${attributes}>${escaped(content)}</text>`

const escaped = (content: string) => content.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

const round = (value: number) => Math.round(value * 10) / 10
