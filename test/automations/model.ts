/** Automations as one would explain them to a child: no commits, no references, no expressions; only flat values and minutes. */

export type Flat = Record<string, number>

/** `key is (not) value`; or what became of the message of an earlier step: at least, or less than, this. */
export type Condition =
  | { of: 'data' | 'profile'; key: string; is: boolean; value: number }
  | { of: 'message'; step: number; least: boolean; status: number }

/** Enqueued is 1, sent 2, delivered 3, opened 4, clicked 5; who never got that far is at 0. */
export const becomes: Readonly<Record<string, number>> = { e0: 0, e1: 2, e2: 3, e3: 4, e4: 5 }

export type Step = { if?: Condition } & (
  | { do: 'send'; event: string; data: Flat }
  | { do: 'wait'; minutes: number }
  | { do: 'cancel'; token: string }
  | { do: 'fetch'; answer: Flat; strategy: Strategy }
  | { do: 'write'; who: string; profile: Flat; strategy: Strategy }
  | { do: 'read'; who: string }
  | { do: 'throttle'; max: number; minutes: number; scope: Scope }
  | { do: 'collect'; quiet: number; longest: number; max: number; scope: Scope }
)
export type Strategy = 'replace' | 'overwrite' | 'soft-merge' | 'none'
type Scope = 'user' | 'global' | 'dynamic'

export interface Plan {
  steps: Step[]
  token?: string
}

export interface Begin {
  plan: Plan
  at: number
  who: string
  data: Flat
}

export interface Expected {
  sent: { at: number; to: string; event: string; data: object }[]
  ends: string[]
}

interface Batch {
  key: string
  /** Undefined: it was canceled. */
  owner?: Run | undefined
  items: { of: Run; data: object }[]
  max: number
  closes: number
  latest: number
  /** When it became full. */
  full?: number
}

interface Run extends Omit<Begin, 'data'> {
  /** Flat, but for what a batch puts there. */
  data: Record<string, unknown>
  /** The events of its messages, by step. */
  sent: Record<number, string>
  next: number
  due: number
  waits?: Batch
  waited?: boolean
  end?: string
}

const mixed = (there: Flat, comes: Flat, strategy: Strategy): Flat => {
  if (strategy === 'replace') return comes
  if (strategy === 'none') return Object.keys(there).length > 0 ? there : comes
  const all = { ...there }
  for (const key of Object.keys(comes)) if (strategy === 'overwrite' || !(key in there)) all[key] = comes[key] as number
  return all
}

export function predict(begins: readonly Begin[]): Expected {
  const expected: Expected = { sent: [], ends: [] }
  const runs: Run[] = begins.map((begin) => ({ ...begin, data: { ...begin.data }, sent: {}, next: 0, due: begin.at }))
  const counters: Record<string, number[]> = {}
  let batches: Batch[] = []
  const profiles: Record<string, Flat> = {}
  let now = 0

  const dueOf = ({ due, waits }: Run) => (waits ? (waits.full ?? waits.closes) : due)
  const keyOf = (run: Run, { scope }: { scope: Scope }) =>
    `${JSON.stringify(run.plan.steps)} ${run.next} ${scope === 'user' ? run.who : scope === 'dynamic' ? run.data.k : ''}`

  /** A cancellation that is due at a time comes before everything else due at that time. */
  const cancels = ({ plan: { steps }, next }: Run) => {
    const ahead = steps.slice(next)
    const wait = ahead.findIndex((step, index) => index > 0 && (step.do === 'wait' || step.do === 'collect'))
    return ahead.slice(0, wait < 0 ? ahead.length : wait).some((step) => step.do === 'cancel')
  }

  for (;;) {
    const run = runs
      .filter(({ end }) => !end)
      .sort((a, b) => dueOf(a) - dueOf(b) || Number(cancels(b)) - Number(cancels(a)))[0]
    const left = batches.filter(({ owner }) => !owner).sort((a, b) => (a.full ?? a.closes) - (b.full ?? b.closes))[0]
    const end = left && (left.full ?? left.closes)
    if (left && end !== undefined && end <= (run ? dueOf(run) : end)) {
      now = Math.max(now, end)
      const heir = left.items[0]?.of
      if (heir) {
        left.full ??= now
        left.owner = heir
        heir.waits = left
        delete heir.end
      } else batches = batches.filter((batch) => batch !== left)
      continue
    }
    if (!run) break
    now = Math.max(now, dueOf(run))
    while (!run.end) {
      const step = run.plan.steps[run.next]
      if (!step) run.end = 'PROCESSED'
      else if (!take(run, step)) break
    }
  }
  expected.ends = runs.map(({ end }) => end ?? '')
  return expected

  function holds(run: Run, only: Condition): boolean {
    if (only.of === 'message') {
      const event = run.sent[only.step]
      return event !== undefined && (becomes[event] as number) >= only.status === only.least
    }
    const there = only.of === 'data' ? run.data : profiles[run.who]
    return (there?.[only.key] === only.value) === only.is
  }

  /** False when it waits. */
  function take(run: Run, step: Step): boolean {
    const { if: only } = step
    if (only && !run.waited && !run.waits && !holds(run, only)) {
      run.next += 1
      return true
    }
    const isCounted = step.do === 'throttle' || step.do === 'collect'
    if (isCounted && step.scope === 'dynamic' && run.data.k === undefined) {
      run.end = 'ERROR'
      return true
    }
    if (step.do === 'throttle') {
      const key = keyOf(run, step)
      const first = counters[key]?.[0]
      if (first === undefined || now >= first + step.minutes) counters[key] = []
      const uses = counters[key] as number[]
      if (uses.length < step.max) uses.push(now)
      else run.end = 'THROTTLED'
    } else if (step.do === 'wait' && !run.waited) {
      if (step.minutes > 0) {
        run.due = now + step.minutes
        run.waited = true
        return false
      }
    } else if (step.do === 'collect') {
      if (!collect(run, step)) return run.end !== undefined
    } else act(run, step)
    run.waited = false
    run.next += 1
    return true
  }

  function act(run: Run, step: Step): void {
    if (step.do === 'send') {
      expected.sent.push({ at: now, to: run.who, event: step.event, data: { ...run.data, ...step.data } })
      run.sent[run.next] = step.event
    }
    if (step.do === 'fetch') run.data = mixed(run.data as Flat, step.answer, step.strategy)
    if (step.do === 'write') profiles[step.who] = mixed(profiles[step.who] ?? {}, step.profile, step.strategy)
    if (step.do === 'read') run.data = { ...run.data, ...profiles[step.who] }
    if (step.do === 'cancel')
      for (const other of runs)
        if (other !== run && !other.end && other.at <= now && other.plan.token === step.token) {
          other.end = 'CANCELED'
          const { waits } = other
          if (waits) {
            waits.owner = undefined
            waits.items = waits.items.filter(({ of }) => of !== other)
          }
        }
  }

  /** True when the batch is handed on. */
  function collect(run: Run, step: Step & { do: 'collect' }): boolean {
    const key = keyOf(run, step)
    if (run.waits) {
      const { items } = run.waits
      batches = batches.filter((batch) => batch !== run.waits)
      run.data = { ...run.data, batch: { count: items.length, items: items.map(({ data }) => data) } }
      delete run.waits
      return true
    }
    const there = batches.find((batch) => batch.key === key && batch.full === undefined && batch.closes > now)
    if (there) {
      there.items.push({ of: run, data: { ...run.data } })
      there.closes = Math.min(now + step.quiet, there.latest)
      if (there.items.length === there.max) there.full = now
      if (there.owner) run.end = 'PROCESSED'
      else {
        there.owner = run
        run.waits = there
      }
      return false
    }
    const latest = now + step.longest
    const items = [{ of: run, data: { ...run.data } }]
    const batch: Batch = { key, owner: run, items, max: step.max, closes: Math.min(now + step.quiet, latest), latest }
    if (step.max === 1) batch.full = now
    batches.push(batch)
    run.waits = batch
    return false
  }
}
