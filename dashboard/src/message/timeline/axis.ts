/** The axis of a timeline: one scale for all rows, on which a long gap without events is folded to a narrow column. */

/** Milliseconds since the message was accepted; a point in time has no length. */
export interface Span {
  from: number
  to: number
}

/** All positions are percentages of the width. */
export interface Axis {
  /** Times before the first span and after the last one are placed at its ends. */
  place(at: number): number
  folds: readonly { from: number; to: number; ms: number }[]
  ticks: readonly Tick[]
}

/** A label on the axis: where its middle is, or its left end at the beginning, and how wide it is. */
export interface Label {
  at: number
  width: number
}

/** Those that do not overlap: of two the one that comes first in this order. */
export function fitting<Labeled extends Label>(labels: readonly Labeled[]): Labeled[] {
  const shown: (Span & { label: Labeled })[] = []
  for (const label of labels) {
    const from = label.at === 0 ? 0 : label.at - label.width / 2
    const to = from + label.width
    if (from >= 0 && shown.every((other) => to <= other.from || from >= other.to)) shown.push({ from, to, label })
  }
  return shown.map(({ label }) => label)
}

export interface Tick {
  at: number
  ms: number
  /** The smallest difference that its label must show, in milliseconds. */
  step: number
  /** Where the scale begins, or goes on behind a fold: in milliseconds. */
  from: number
  /** Left out where there is little room. */
  isMinor: boolean
}

/** The rest is for the word behind the last bar. */
const WIDTH = 90
const FOLD_WIDTH = 8
const FOLDS_WIDTH_MAX = 48
/** Gaps up to this are never folded, however short the work is. */
const UNFOLDED_MS = 50
const TICK_DISTANCE = 9
const TICKS = 8

interface Stretch extends Span {
  isFolded: boolean
}

export function axisOf(spans: readonly Span[]): Axis {
  const stretches = stretchesOf(merged(spans))
  const folded = stretches.filter(({ isFolded }) => isFolded).length
  const foldWidth = folded === 0 ? 0 : Math.min(FOLD_WIDTH, FOLDS_WIDTH_MAX / folded)
  const total = sum(stretches.filter(({ isFolded }) => !isFolded).map(lengthOf))
  const perMs = (WIDTH - folded * foldWidth) / Math.max(1, total)
  let width = 0
  const placed = stretches.map((stretch) => {
    const begin = width
    width += stretch.isFolded ? foldWidth : lengthOf(stretch) * perMs
    return { ...stretch, begin, end: width }
  })
  const place = (at: number) => {
    const stretch = placed.find(({ to }) => at <= to) ?? placed.at(-1)
    if (!stretch) return 0
    const { from, to, begin, end } = stretch
    const share = to === from ? 0 : (Math.max(from, Math.min(to, at)) - from) / (to - from)
    return begin + share * (end - begin)
  }
  return {
    place,
    folds: placed
      .filter(({ isFolded }) => isFolded)
      .map(({ from, to, begin, end }) => ({ from: begin, to: end, ms: to - from })),
    ticks: ticksOf(placed, total),
  }
}

/** Overlapping spans as one, in the order of time. */
function merged(spans: readonly Span[]): Span[] {
  const result: Span[] = []
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = result.at(-1)
    if (last && from <= last.to) last.to = Math.max(last.to, to)
    else result.push({ from, to })
  }
  return result
}

/** A gap that is longer than all that is not folded is folded: the shortest gaps are kept first. */
function stretchesOf(spans: readonly Span[]): Stretch[] {
  const gaps = spans.slice(1).map(({ from }, at) => ({ from: spans[at]?.to ?? from, to: from }))
  let shown = sum(spans.map(lengthOf))
  const folded = new Set<Span>()
  for (const gap of gaps.toSorted((a, b) => lengthOf(a) - lengthOf(b)))
    if (folded.size === 0 && lengthOf(gap) <= Math.max(shown, UNFOLDED_MS)) shown += lengthOf(gap)
    else folded.add(gap)
  return spans.flatMap((span, at) => {
    const gap = gaps[at]
    return [{ ...span, isFolded: false }, ...(gap ? [{ ...gap, isFolded: folded.has(gap) }] : [])]
  })
}

function ticksOf(placed: readonly (Stretch & { begin: number; end: number })[], total: number): Tick[] {
  const step = niceStep(total / TICKS)
  const ticks: Tick[] = []
  let begins = 0
  const add = (at: number, ms: number, isMinor: boolean) => {
    if (ms === begins || at - (ticks.at(-1)?.at ?? Number.NEGATIVE_INFINITY) >= TICK_DISTANCE)
      ticks.push({ at, ms, step, from: begins, isMinor })
  }
  for (const [index, { from, to, begin, end, isFolded }] of placed.entries()) {
    if (isFolded) continue
    // Where the scale begins, and again behind a fold.
    if (index === 0 || placed[index - 1]?.isFolded) {
      begins = from
      add(begin, from, false)
    }
    for (let ms = Math.floor(from / step + 1) * step; ms <= to; ms += step)
      add(begin + ((ms - from) / (to - from)) * (end - begin), ms, (ms / step) % 2 === 1)
  }
  return ticks
}

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const steps = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR),
  ...[1, 2, 5, 10, 30, 90].map((days) => days * DAY),
]
const niceStep = (ms: number) => steps.find((step) => step >= ms) ?? 365 * DAY

const lengthOf = ({ from, to }: Span) => to - from
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)
