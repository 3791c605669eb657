/** The figures an operator watches, in Prometheus' format. Labels have few values: no ids, no addresses. */
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import { reading, readings } from './scraped-figures.ts'

/** Its timer is half of what a process without work costs at the default of 10 ms; shorter stalls do no harm. */
const EVENT_LOOP_PRECISION_MS = 50

export type Metrics = ReturnType<typeof createMetrics>

// From a call on the same machine to the 30 s after which an attempt is cut off.
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

// From a cached look-up to a client that waits for a commit under load.
const REQUEST_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5]

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({
    eventLoopMonitoringPrecision: EVENT_LOOP_PRECISION_MS,
    register: registry,
    prefix: 'postrider_',
  })
  const registers = [registry]
  return {
    registry,
    ...messageFigures(registers),
    attempts: tally({
      name: 'postrider_attempts_total',
      help: 'Provider calls, by provider, title of the integration, and outcome.',
      labelNames: ['provider', 'integration', 'outcome'],
      registers,
    }),
    ...receiptFigures(registers),
    attemptSeconds: distribution({
      name: 'postrider_attempt_seconds',
      help: 'Duration of a provider call, by provider and title of the integration.',
      labelNames: ['provider', 'integration'],
      buckets: SECONDS,
      registers,
    }),
    webhookCalls: tally({
      name: 'postrider_webhook_calls_total',
      help: 'Calls of webhooks, by outcome: delivered, retry or failed.',
      labelNames: ['outcome'],
      registers,
    }),
    processStalls: tally({
      name: 'postrider_process_stalls_total',
      help: 'How often the process did not respond for five seconds.',
      labelNames: [],
      registers,
    }),
    acceptToCallSeconds: distribution({
      name: 'postrider_accept_to_call_seconds',
      help: 'Time from accepting a message to its first provider call, for messages without delay and of no request for many.',
      labelNames: [],
      buckets: SECONDS,
      registers,
    }),
    requestSeconds: distribution({
      name: 'postrider_http_request_seconds',
      help: 'Time to answer a request, by operation and class of status.',
      labelNames: ['operation', 'status'],
      buckets: REQUEST_SECONDS,
      registers,
    }),
    ...limitFigures(registers),
    inFlight: reading('postrider_messages_in_flight', 'Messages this node works on.', registers),
    slotsUsed: reading('postrider_delivery_slots_used', 'Provider calls in progress.', registers),
    paused: reading('postrider_deliveries_paused', '1 while nothing is delivered until it is resumed.', registers),
    ...databaseFigures(registers),
    ...installationFigures(registers),
  }
}

/** Figures of this node, read without a call of the database. */
const databaseFigures = (registers: Registry[]) => ({
  outage: readings(
    'postrider_database_outage',
    '1 while the database is unreachable, has a full disk or is read-only; /readyz is 503 then.',
    ['outage'],
    registers,
  ),
  connections: readings(
    'postrider_database_connections',
    'Connections of this node to the database, by state: busy or idle.',
    ['state'],
    registers,
  ),
  statementsWaiting: reading(
    'postrider_database_statements_waiting',
    'Statements of this node that wait for a connection to the database.',
    registers,
  ),
  diskFree: readings(
    'postrider_disk_free_bytes',
    'Free space on the disk of the data folder; only for the local database.',
    [],
    registers,
  ),
  lastBackup: readings(
    'postrider_last_backup_timestamp_seconds',
    'When the last complete copy of the local database was started, 0 before the first; only for the local database.',
    [],
    registers,
  ),
})

/** Figures of the whole installation, which are read from the database together. */
function installationFigures(registers: Registry[]) {
  const figure = <Name extends string>(name: string, help: string, labelNames: readonly Name[]) =>
    readings(name, help, labelNames, registers)
  return {
    queues: figure(
      'postrider_queue_overdue_seconds',
      'How long the first row of a queue of the installation has been due, by queue; 0 when none is.',
      ['queue'],
    ),
    deadLetters: figure(
      'postrider_dead_letters_open',
      'Dead letters of the installation that were neither released nor dismissed, by workspace and kind.',
      ['workspace', 'kind'],
    ),
    oldestWaiting: figure(
      'postrider_messages_oldest_waiting_seconds',
      'How long the oldest message has waited for more than its delay, by workspace: for a retry, a limit, or a node.',
      ['workspace'],
    ),
    heldMessages: figure(
      'postrider_messages_held',
      'Messages of the installation that only a repair of an integration can deliver, by workspace.',
      ['workspace'],
    ),
    backlog: backlogReading(registers),
    figuresAge: figure(
      'postrider_figures_age_seconds',
      'How long ago the figures of the installation were read from the database; a read that fails leaves the last ones.',
      [],
    ),
  }
}

const messageFigures = (registers: Registry[]) => ({
  accepted: tally({
    name: 'postrider_messages_accepted_total',
    help: 'Messages accepted, by workspace.',
    labelNames: ['workspace'],
    registers,
  }),
  finished: tally({
    name: 'postrider_messages_finished_total',
    help: 'Messages on which no more work is done, by status.',
    labelNames: ['status'],
    registers,
  }),
  released: tally({
    name: 'postrider_messages_released_total',
    help: 'Dead-lettered messages that were released; each counts as finished a second time when it ends.',
    labelNames: [],
    registers,
  }),
  optedOut: tally({
    name: 'postrider_messages_opted_out_total',
    help: 'Messages that ended because the recipient opted out, or has not opted in.',
    labelNames: [],
    registers,
  }),
  suppressed: tally({
    name: 'postrider_messages_suppressed_total',
    help: 'Messages that ended because every usable address is suppressed.',
    labelNames: [],
    registers,
  }),
  expired: tally({
    name: 'postrider_messages_expired_total',
    help: 'Messages that ended because their time was over before a provider accepted them.',
    labelNames: [],
    registers,
  }),
})

const receiptFigures = (registers: Registry[]) => ({
  receipts: tally({
    name: 'postrider_receipts_total',
    help: 'Receipts applied to messages, by provider and kind.',
    labelNames: ['provider', 'kind'],
    registers,
  }),
  callbacks: tally({
    name: 'postrider_callbacks_total',
    help: 'Callbacks of providers, by provider and outcome.',
    labelNames: ['provider', 'outcome'],
    registers,
  }),
  tracked: tally({
    name: 'postrider_tracked_requests_total',
    help: 'Requests of pixels, tracked links and push events, by kind and outcome: counted, automated, repeated, unknown or lost.',
    labelNames: ['kind', 'outcome'],
    registers,
  }),
  inboundMails: tally({
    name: 'postrider_inbound_mails_total',
    help: 'Mails that came in as bounces, by outcome.',
    labelNames: ['outcome'],
    registers,
  }),
})

function limitFigures(registers: Registry[]) {
  return {
    /** Calls that did not start because of a limit or an open breaker. */
    limited: tally({
      name: 'postrider_calls_limited_total',
      help: 'Provider calls that did not start because of a limit of the integration or its circuit breaker.',
      labelNames: ['provider', 'integration', 'limit'],
      registers,
    }),
    breakerOpened: tally({
      name: 'postrider_circuit_breaker_opened_total',
      help: 'How often this node opened the circuit breaker of an integration, by reason.',
      labelNames: ['provider', 'integration', 'reason'],
      registers,
    }),
    breakers: readings(
      'postrider_circuit_breaker_state',
      'The circuit breaker of an integration that this node has called within the hour, or that is open: 0 closed, 1 half open, 2 open.',
      ['provider', 'integration'],
      registers,
    ),
  }
}

/** The backlog of one lane of the whole installation. */
export interface Backlog {
  lane: string
  waiting: number
  overdue: number
  /** How long the first of the overdue has been due. */
  oldestSeconds: number
}

function backlogReading(registers: Registry[]) {
  const gauge = (name: string, help: string) => readings(name, help, ['lane'], registers)
  const waiting = gauge(
    'postrider_messages_waiting',
    'Messages of the installation that are due later, or that a node works on, by lane.',
  )
  const overdue = gauge(
    'postrider_messages_overdue',
    'Messages of the installation that are due and that no node works on, by lane.',
  )
  const oldest = gauge(
    'postrider_messages_oldest_overdue_seconds',
    'How long the first of the overdue messages has been due, by lane.',
  )
  return {
    from(current: () => Promise<readonly Backlog[]>) {
      const by = (figure: (backlog: Backlog) => number) => async () =>
        (await current()).map((backlog) => ({ labels: { lane: backlog.lane }, value: figure(backlog) }))
      waiting.from(by((backlog) => backlog.waiting))
      overdue.from(by((backlog) => backlog.overdue))
      oldest.from(by((backlog) => backlog.oldestSeconds))
    },
  }
}

// Labels lead to counters through maps: prom-client puts a text together of the labels each time, which takes 1 to 2 µs.
type Labels<Name extends string> = Readonly<Record<Name, string>>

interface Tally<Name extends string> {
  inc(labels: Labels<Name>, count?: number): void
}

interface Distribution<Name extends string> {
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
      const series = observed.of(labels)
      const at = buckets.findIndex((bound) => value <= bound)
      const bucket = at < 0 ? buckets.length : at
      series.inBucket[bucket] = (series.inBucket[bucket] ?? 0) + 1
      series.sum += value
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
