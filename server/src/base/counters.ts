/**
 * Counters and histograms for what is counted with every message. Their labels lead to them through maps: prom-client
 * puts a text together of the labels each time, which takes 1 to 2 µs.
 */
import { Counter, Histogram, type Registry } from 'prom-client'

type Labels<Name extends string> = Readonly<Record<Name, string>>

export interface Tally<Name extends string> {
  inc(labels: Labels<Name>, count?: number): void
}

export interface Distribution<Name extends string> {
  observe(labels: Labels<Name>, value: number): void
}

interface Figure<Name extends string> {
  name: string
  help: string
  labelNames: readonly Name[]
  registers: Registry[]
}

export function tally<Name extends string>({ labelNames, ...figure }: Figure<Name>): Tally<Name> {
  const counts = byLabels(labelNames, () => ({ count: 0 }))
  new Counter({
    ...figure,
    labelNames,
    collect() {
      this.reset()
      for (const { labels, value } of counts.all) this.inc(labels, value.count)
    },
  })
  return {
    inc(labels, count = 1) {
      counts.of(labels).count += count
    },
  }
}

interface Observed {
  /** How many values were in each bucket, and above all of them. */
  inBucket: number[]
  sum: number
}

export function distribution<Name extends string>({
  labelNames,
  buckets,
  ...figure
}: Figure<Name> & { buckets: readonly number[] }): Distribution<Name> {
  const observed = byLabels(
    labelNames,
    (): Observed => ({ inBucket: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 }),
  )
  const histogram = new Histogram({ ...figure, labelNames, buckets: [...buckets] })
  const get = async () => ({
    name: figure.name,
    help: figure.help,
    type: 'histogram',
    aggregator: 'sum',
    values: observed.all.flatMap(({ labels, value }) => exported(figure.name, labels, value, buckets)),
  })
  // The registry reads by the second one where there is one.
  Object.assign(histogram, { get, getForPromString: get })
  return {
    observe(labels, value) {
      const found = observed.of(labels)
      const at = buckets.findIndex((bound) => value <= bound)
      const bucket = at < 0 ? buckets.length : at
      found.inBucket[bucket] = (found.inBucket[bucket] ?? 0) + 1
      found.sum += value
    },
  }
}

function exported(name: string, labels: object, { inBucket, sum }: Observed, buckets: readonly number[]) {
  let count = 0
  const upTo = inBucket.map((inThis, at) => {
    count += inThis
    return { metricName: `${name}_bucket`, labels: { le: buckets[at] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...upTo,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

interface Branch<Value> {
  branches: Map<string, Branch<Value>>
  value: Value | undefined
}

function byLabels<Name extends string, Value>(names: readonly Name[], make: () => Value) {
  const branch = (): Branch<Value> => ({ branches: new Map(), value: undefined })
  const root = branch()
  const all: { labels: Labels<Name>; value: Value }[] = []
  const of = (labels: Labels<Name>): Value => {
    let at = root
    for (const name of names) {
      let next = at.branches.get(labels[name])
      if (!next) {
        next = branch()
        at.branches.set(labels[name], next)
      }
      at = next
    }
    if (at.value === undefined) {
      at.value = make()
      all.push({ labels: { ...labels }, value: at.value })
    }
    return at.value
  }
  // A figure without labels is exported before anything was counted.
  if (names.length === 0) of({} as Labels<Name>)
  return { all, of }
}
