/** One durable queue for every table of leased rows: a descriptor gives the statements that claim, renew, release and void. */
import { timedId } from '../base/ids.ts'
import type { LogEvent } from '../base/log-events.ts'
import type { Engine, Statement } from './engine.ts'
import { byKey, expectRows, guardPlan, inLockOrder, named, recordset, rowsOf, typesOf } from './query.ts'
import type { TokenCipher } from './token-cipher.ts'

/** The columns of every claimed row. */
export interface LeasedRow {
  id: string
  lease: string
  /** Claims without an outcome; the one in progress counts. */
  claims: number
}

/** The rule for rows that may end the process that works on them; `queue/poison.ts` says the whole of it. */
export interface PoisonRule {
  /** With more claims than this a row is suspected: it is started apart from others. */
  suspectedAfter: number
  /**
   * Sizes of the groups in which a process starts suspected rows before each is started alone; it counts those starts
   * itself. Without groups a claim takes one suspected row at a time, and counts it.
   */
  groups?: readonly number[]
}

/** A condition on `due_at` of a live row. */
export type DueCondition = (column: string) => string

export interface QueueDefinition<Row extends LeasedRow, Bounds> {
  /** One row, as a field of log lines. */
  name: string
  /** The log event of a row that is dead-lettered. */
  deadLettered: LogEvent
  table: string
  /** Columns of a claimed row besides `id`, `lease` and `claims`: of the table as `t`, of the due rows as `picked`. */
  columns: string
  /**
   * Common table expressions that end with `due`: the due rows that a claim may take, in the order of the queue, locked.
   * `:now` and the parameters of `bounds` stand for values. It has `id`, and without groups `claims` and `due_at`.
   */
  due: string
  /** Suspected rows, where `due` leaves them out because they have an index of their own. */
  suspected?: string
  /** The parameters of `due`. */
  bounds?(bounds: Bounds): Readonly<Record<string, unknown>>
  /** When the earliest live row that meets the condition is due: an expression that reads the index of the claim. */
  earliest: (condition: DueCondition) => string
  poison: PoisonRule
  /** The lease doubles with each claim without an outcome: a crash costs more than the time that the row waits. */
  backsOff?: true
  /** Further assignments of a claim. */
  set?: string
  /** The partition of its live rows, where it is partitioned by `due_at is null`. */
  live?: string
  /** Finds its live rows by id. */
  byId?: (column: string, value: string) => string
  released: ReleaseRule
  /** Decrypts the texts of a row. */
  readable?(tokens: TokenCipher, row: Row): Row
}

/** How a dead-lettered row goes back into its queue. */
export interface ReleaseRule {
  /** The ended rows that can go on, beside `due_at is null`: of the table as `t`. */
  where: string
  /** Further assignments; `:now` stands for a value. */
  set?: string
  /** Common table expressions on `released`, the rows as they are then, and `letter`; `:now` and `:eventId` stand for values. */
  writes?: string
}

/** A row that is given up. */
export interface DeadLetter extends Lease {
  /** The id of the dead letter. */
  letter: string
  /** A sentence of the server, without data of a person. */
  error: string
  /** Starts without an outcome. */
  attempts: number
  at: number
  /** The message that reports it. */
  messageId?: string
}

export interface ClaimTime {
  now: number
  /** When the lease expires. */
  until: number
  lease: string
  /** False: no suspected row, because one is in progress. Where the process isolates them it has no effect. */
  suspected?: boolean
}

export type Lease = Pick<LeasedRow, 'id' | 'lease'>

/** Leases as rows `r`; their types are the same in every table. */
export const leaseRows = (json: string) => recordset(json, 'r', typesOf('messages', ['id', 'lease']))

interface DeadLetterRelease {
  id: string
  workspaceId: number
  /** Author of the release, as the history of a message names it. */
  source: string
  now: number
}

export interface LeasedQueue<Row extends LeasedRow, Bounds = object> {
  readonly name: string
  readonly deadLettered: LogEvent
  readonly table: string
  readonly poison: PoisonRule
  /** Leases due rows, among them those whose lease expired. */
  claim(engine: Engine, options: ClaimTime & Bounds): Promise<Row[]>
  /** The ids whose lease was renewed; the other rows belong to another worker now, or have ended. */
  renew(engine: Engine, leases: readonly Lease[], until: number): Promise<ReadonlySet<string>>
  /** Counts a start of suspected rows, where the claim does not. Committed before they start. */
  countStarts(engine: Engine, leases: readonly Lease[]): Promise<void>
  /** Releases rows that were leased and not started: due at this time, without counting the claim. */
  release(engine: Engine, leases: readonly Lease[], dueAt: number): Promise<void>
  /** Records a leased row as a dead letter: before the statement that ends it, in the same commit, behind `guardPlan`. */
  deadLetterInsert(letter: DeadLetter): Statement
  /** Puts the row of an open dead letter back into the queue, behind `guardPlan`. Must affect a row: it may not be as it was left. */
  deadLetterRelease(release: DeadLetterRelease): Statement
  /**
   * Makes leased rows due; returns their number. Only where the owner of every lease is known to be dead. Suspected rows
   * keep their lease, unless the process starts them after all others anyway.
   */
  voidLeases(engine: Engine, now: number): Promise<number>
  /** When the next row after this time is due; undefined without one. */
  nextDue(engine: Engine, after: number): Promise<number | undefined>
  readonly earliest: QueueDefinition<Row, Bounds>['earliest']
}

/** A lease grows to at most 64 times its length: a minute becomes an hour. */
const DOUBLINGS_MAX = 6
/** Far beyond every bound, and far below the largest value of the column. */
const CLAIMS_MAX = 1_000

const isAfter: DueCondition = (column) => `${column} > :after`

/** The due rows of a table, those that wait longest first; rows that another claim has locked are skipped. */
export const dueRows = (table: string, { where, limit, columns = 'id, claims, due_at' }: DueRows): string =>
  `select ${columns} from ${table} where ${where ? `${where} and ` : ''}due_at <= :now
    order by due_at limit ${limit} for update skip locked`

interface DueRows {
  limit: string
  where?: string
  columns?: string
}

/** When the earliest row of a table is due. */
export const earliestRow = (table: string, condition: string, where?: string): string =>
  `(select due_at from ${table} where ${condition}${where ? ` and ${where}` : ''} order by due_at limit 1)`

export function defineQueue<Row extends LeasedRow, Bounds = object>(
  definition: QueueDefinition<Row, Bounds>,
): LeasedQueue<Row, Bounds> {
  const { name, deadLettered, table, live = table, byId = byKey, poison, bounds, readable } = definition
  const ofLeases = `from ${leaseRows(':leases')} where ${byId('t.id', 'r.id')} and t.lease = r.lease`
  const claim = named(`${table}-claim`, claimText(definition))
  const renew = named(`${table}-renew`, `update ${live} t set due_at = :until ${ofLeases} returning t.id`)
  const countStarts = named(`${table}-count-starts`, `update ${live} t set claims = t.claims + 1 ${ofLeases}`)
  const release = named(
    `${table}-release`,
    `update ${live} t set lease = null, due_at = :dueAt, claims = greatest(t.claims - 1, 0) ${ofLeases}`,
  )
  const voided = named(
    `${table}-void`,
    `update ${live} set lease = null, due_at = :now
      where due_at is not null and lease is not null${poison.groups ? '' : ` and claims <= ${poison.suspectedAfter}`}`,
  )
  const record = named(`${table}-dead-letter`, deadLetterText(definition))
  const releaseRecord = named(`${table}-dead-letter-release`, releaseText(definition))
  const next = named(`${table}-next-due`, `select ${definition.earliest(isAfter)} as due`)
  const guarded = async (engine: Engine, statement: Statement) => (await engine.batch([guardPlan, statement]))[1]

  return {
    name,
    deadLettered,
    table,
    poison,
    earliest: definition.earliest,
    async claim(engine, options) {
      const { now, until, lease, suspected = true } = options
      const values = { now, until, lease, suspectedMax: suspected ? 1 : 0, ...bounds?.(options) }
      const rows = rowsOf<Row>(await guarded(engine, claim(values)))
      return readable ? rows.map((row) => readable(engine.tokens, row)) : rows
    },
    async renew(engine, leases, until) {
      const result = await guarded(engine, renew({ leases: leasesJson(leases), until }))
      return new Set((result?.rows ?? []).map((row) => String(row.id)))
    },
    async countStarts(engine, leases) {
      await guarded(engine, countStarts({ leases: leasesJson(leases) }))
    },
    async release(engine, leases, dueAt) {
      await guarded(engine, release({ leases: leasesJson(leases), dueAt }))
    },
    deadLetterInsert: ({ messageId = null, ...letter }) => record({ ...letter, messageId }),
    deadLetterRelease: (release) => expectRows(releaseRecord({ ...release, eventId: timedId(release.now) })),
    async voidLeases(engine, now) {
      return (await engine.run(voided({ now }))).affected
    },
    async nextDue(engine, after) {
      return rowsOf<{ due: number | null }>(await guarded(engine, next({ after })))[0]?.due ?? undefined
    },
  }
}

function claimText<Row extends LeasedRow, Bounds>(definition: QueueDefinition<Row, Bounds>): string {
  const { table, live = table, byId = byKey, columns, due, suspected, backsOff, poison, set } = definition
  const { suspectedAfter, groups } = poison
  // Without groups each claim of a suspected row is a start. With groups claims count until the row is suspected.
  const count = groups
    ? `greatest(t.claims, least(t.claims + 1, ${suspectedAfter + 1}))`
    : `least(t.claims + 1, ${CLAIMS_MAX})`
  const until = backsOff
    ? `:now::bigint + (:until::bigint - :now::bigint) * (1 << least(t.claims, ${DOUBLINGS_MAX}))`
    : ':until'
  const apart = suspected
    ? `, suspected as materialized (${suspected}), picked as (select id from due union all select id from suspected)`
    : `, picked as (select * from due where claims < ${suspectedAfter}
      union all (select * from due where claims >= ${suspectedAfter} order by due_at limit :suspectedMax))`
  return `with ${due}${groups ? '' : apart}
  update ${live} t set lease = :lease, due_at = ${until}, claims = ${count}${set ? `, ${set}` : ''}
  from ${groups ? 'due as picked' : 'picked'} where ${byId('t.id', 'picked.id')}
  returning t.id, t.lease, t.claims, ${columns}`
}

/** Locked until its end is committed: without its lease nothing is recorded. */
const deadLetterText = <Row extends LeasedRow, Bounds>({
  name,
  table,
  live = table,
  byId = byKey,
}: QueueDefinition<Row, Bounds>) =>
  `insert into dead_letters (id, workspace_id, kind, subject_id, message_id, error, attempts, node, created)
  select :letter, t.workspace_id, '${name}', t.id, :messageId, :error, :attempts, regexp_replace(t.lease, '-[0-9]+$', ''), :at
  from ${live} t where ${byId('t.id', ':id')} and t.lease = :lease
    and not exists (select from dead_letters d where d.message_id = t.id)
  for update of t
  on conflict (kind, subject_id) where released is null do update
    set id = excluded.id, error = excluded.error, attempts = excluded.attempts, node = excluded.node, created = excluded.created,
      dismissed = null`

function releaseText<Row extends LeasedRow, Bounds>({ name, table, released }: QueueDefinition<Row, Bounds>): string {
  const { where, set, writes } = released
  return `with letter as materialized (
    select subject_id, created from dead_letters
    where id = :id and workspace_id = :workspaceId and kind = '${name}' and released is null for update),
  released as (
    update ${table} t set due_at = :now::bigint, lease = null, claims = 0${set ? `, ${set}` : ''}
    from letter where ${byKey('t.id', 'letter.subject_id')} and t.workspace_id = :workspaceId and t.due_at is null and ${where}
    returning t.*)${writes ? `, ${writes}` : ''}
  update dead_letters set released = :now::bigint where id = :id and exists (select from released)`
}

const leasesJson = (leases: readonly Lease[]) =>
  JSON.stringify(inLockOrder(leases).map(({ id, lease }) => ({ id, lease })))
