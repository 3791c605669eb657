/** Erasures: started in one commit with the first deletions, continued step by step, kept as receipts. */
import { timeOfId } from '../../../base/ids.ts'
import type { Engine, Reader, Result, Statement } from '../../engine.ts'
import { type DeadLetter, defineQueue, dueRows, earliestRow, type LeasedRow } from '../../leased-queue.ts'
import { columnList, expectRows, firstRow, guardPlan, query, type Row, rowsOf } from '../../query.ts'
import { changesInsertFrom, originJson, REMOVED } from '../preferences/preference-changes.ts'

const SHOWN = ['id', 'pseudonym', 'status', 'begun', 'completed', 'removed'] as const

export type ErasureRow = Row<'erasures', (typeof SHOWN)[number]>

export interface NewErasure {
  id: string
  workspaceId: number
  person: string
  pseudonym: string
  /** `key/<name>` of the call. */
  actor: string
  now: number
}

// Locked first: a concurrent recompute of audience members conflicts, and writes nothing that was read before.
const lockMembers = `update audience_writes set count = count + 1
  where the_only and exists (select 1 from audiences where workspace_id = $1)`

const deleteRows = (table: string, column: string) =>
  `${table}_gone as (delete from ${table} where workspace_id = $1 and ${column} = $2 returning 1)`
const counted = (kind: string, table: string) => `'${kind}', (select count(*) from ${table}_gone)`

const startStatement = `with ${deleteRows('profiles', 'id')}, ${deleteRows('preferences', 'recipient')},
  topic_preferences_gone as (
    delete from topic_preferences where workspace_id = $1 and user_id = $2 returning ${REMOVED}),
  topic_preferences_changed as (${changesInsertFrom('topic_preferences_gone', '$7')}),
  ${deleteRows('list_subscriptions', 'recipient')}, ${deleteRows('tenant_members', 'user_id')}, ${deleteRows('device_tokens', 'user_id')},
  ${deleteRows('audience_members', 'member_id')}
  insert into erasures (id, workspace_id, person, pseudonym, status, begun, due_at, step, removed)
  select $3, $1, $2, $4, 'PROCESSING', $5, $5, $6, added_counts('{}', jsonb_build_object(
    ${counted('profiles', 'profiles')}, ${counted('preferences', 'preferences')},
    ${counted('topicPreferences', 'topic_preferences')}, ${counted('listSubscriptions', 'list_subscriptions')},
    ${counted('memberships', 'tenant_members')}, ${counted('deviceTokens', 'device_tokens')},
    ${counted('audienceMembers', 'audience_members')}))
  on conflict (workspace_id, person) where person is not null do update set
    again = true, status = excluded.status, due_at = coalesce(erasures.due_at, excluded.due_at),
    claims = case when erasures.due_at is null then 0 else erasures.claims end,
    removed = added_counts(erasures.removed, excluded.removed)
  returning ${columnList(SHOWN)}`

const forgetChanges = 'delete from audience_changes where workspace_id = $1 and user_id = $2'

/** A class of advisory locks of its own: an erasure excludes the changes that a link of the person makes. */
const PERSON_LOCKS = 7_305_027

const lockPerson = (
  { workspaceId, person }: Pick<NewErasure, 'workspaceId' | 'person'>,
  mode: '' | '_shared',
): Statement => ({
  text: `select pg_advisory_xact_lock${mode}(${PERSON_LOCKS}, hashtext($1::text || '/' || $2::text))`,
  values: [String(workspaceId), person],
})

/** Removes the person's data and stores the remaining steps; an erasure in progress is continued. */
export function startErasure(
  { id, workspaceId, person, pseudonym, actor, now }: NewErasure,
  firstStep: string,
): Statement[] {
  const ledger = originJson(workspaceId, pseudonym, { source: 'erasure', actor }, now)
  const values = [workspaceId, person, id, pseudonym, now, firstStep, ledger]
  return [
    // Changes under the shared lock are committed, and removed here; later ones find the erasure.
    lockPerson({ workspaceId, person }, ''),
    { text: lockMembers, values: [workspaceId] },
    { text: startStatement, values },
    { text: forgetChanges, values: [workspaceId, person] },
  ]
}

/** The erasure, new or old, from the results of `startErasure`. */
export function startedErasure([, , result]: readonly Result[]): ErasureRow {
  const [erasure] = rowsOf<ErasureRow>(result)
  if (!erasure) throw new Error('The statement returned no erasure')
  return erasure
}

const CLAIMED = ['workspace_id', 'person', 'pseudonym', 'step', 'place'] as const

/** A leased erasure. */
export type LiveErasure = LeasedRow & Row<'erasures', (typeof CLAIMED)[number]> & { person: string }

/** The queue of erasures: the one that waits longest, a step at a time. */
export const erasureQueue = defineQueue<LiveErasure>({
  name: 'erasure',
  deadLettered: 'erasure.dead_lettered',
  table: 'erasures',
  columns: columnList(CLAIMED, 't'),
  due: `due as materialized (${dueRows('erasures', { limit: '1' })})`,
  earliest: (condition) => earliestRow('erasures', condition('due_at')),
  // Claimed alone in any case, so that many tries delay no other erasure.
  poison: { suspectedAfter: 7 },
  released: { where: `t.status = 'ERROR'`, set: `status = 'PROCESSING'` },
})

/** The position of an erasure after a commit. */
export interface ErasureProgress {
  step: string
  place: string | null
  dueAt: number
}

/** The writes of a step, in the statement that advances the erasure; their parameters begin at `$6`. */
export interface ErasureWork {
  /** Common table expressions. */
  ctes: string
  /** A jsonb object with the number of changed rows of each kind. */
  counts: string
  values: readonly unknown[]
}

/** The writes and the new position in one statement; nothing is written when the lease was lost. */
export function erasureProgress(
  { id, lease }: LiveErasure,
  { step, place, dueAt }: ErasureProgress,
  work?: ErasureWork,
): Statement {
  return {
    text: `${work ? `with ${work.ctes} ` : ''}update erasures e set step = $3, place = $4, due_at = $5::bigint, lease = null,
      claims = 0, removed = added_counts(e.removed, ${work?.counts ?? "'{}'"})
      where e.id = $1 and e.lease = $2`,
    values: [id, lease, step, place, dueAt, ...(work?.values ?? [])],
  }
}

const finish = `update erasures e set
    status = case when e.again then e.status else 'COMPLETED' end,
    person = case when e.again then e.person end,
    completed = case when e.again then null else $3::bigint end,
    due_at = case when e.again then $3::bigint end,
    step = $4, place = null, lease = null, claims = 0, again = false
  where e.id = $1 and e.lease = $2
    and not exists (select 1 from messages m where m.workspace_id = e.workspace_id and m.recipient = e.person)
    and not exists (select 1 from digests d where d.workspace_id = e.workspace_id and d.recipient = e.person)
    and not exists (select 1 from mailbox k where k.workspace_id = e.workspace_id and k.recipient = e.person)
    and not exists (
      select 1 from unrecognized_bounces u where u.workspace_id = e.workspace_id and u.recipient = e.person)
    and not exists (
      select 1 from deferred_copies c where c.workspace_id = e.workspace_id and c.recipient = e.person)`

/** False when new messages, digests or bounces exist, or the lease was lost: nothing is written. Starts again after a repeated request. */
export async function finishErasure(
  engine: Engine,
  { id, lease }: LiveErasure,
  firstStep: string,
  now: number,
): Promise<boolean> {
  const { affected } = await engine.run({ text: finish, values: [id, lease, now, firstStep] })
  return affected > 0
}

/** It is not claimed again until it is released, or requested again; nothing is sent to the person meanwhile. */
export async function deadLetterErasure(engine: Engine, letter: DeadLetter): Promise<void> {
  const text = `update erasures set status = 'ERROR', due_at = null, lease = null where id = $1 and lease = $2`
  await engine.batch([guardPlan, erasureQueue.deadLetterInsert(letter), { text, values: [letter.id, letter.lease] }])
}

/**
 * True while the person of a message is being erased, and when they were erased after the message. A message beyond
 * its retention is compared by the time in its id: erasures before it are of no account.
 */
export async function isErasedRecipient(engine: Reader, linked: LinkedPerson): Promise<boolean> {
  const result = await engine.run<{ erased: boolean }>({
    text: `select ${IS_ERASED} as erased`,
    values: linkedValues(linked),
  })
  return result.rows[0]?.erased === true
}

/** The person of a link, as its message names them. */
type LinkedPerson = Pick<NewErasure, 'workspaceId' | 'person' | 'pseudonym'> & { messageId: string }

const linkedValues = ({ workspaceId, person, pseudonym, messageId }: LinkedPerson) => [
  ...[workspaceId, person, pseudonym, messageId, timeOfId(messageId)],
]

const IS_ERASED = `(exists (select 1 from erasures where workspace_id = $1::smallint and person = $2::text)
    or coalesce((select recipient = $3::text from messages where workspace_id = $1::smallint and id = $4::text),
      exists (select 1 from erasures where workspace_id = $1::smallint and pseudonym = $3::text
        and begun >= $5::bigint)))`

/**
 * First in the commit of a change that a link makes: a conflict when the person is erased, or is being erased. No erasure
 * begins between this and the commit.
 */
export const stillKnown = (linked: LinkedPerson): Statement[] => [
  lockPerson(linked, '_shared'),
  // A statement of its own: it reads what the holder of the lock before has committed.
  expectRows({ text: `select 1 as is_known where not ${IS_ERASED}`, values: linkedValues(linked) }),
]

export async function findErasure(engine: Reader, workspaceId: number, id: string): Promise<ErasureRow | undefined> {
  const selection = query.selectFrom('erasures').select(['id', 'pseudonym', 'status', 'begun', 'completed', 'removed'])
  return firstRow(engine, selection.where('workspace_id', '=', workspaceId).where('id', '=', id))
}
