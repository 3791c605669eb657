/** Members of audiences: changed users, their data, and the statement that writes members. */

import { timedId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { guardPlan, named, recordset, rowsOf, typesOf } from '../../query.ts'
import { columnTypes } from '../../schema.generated.ts'
import { outboxInsertFrom } from '../webhooks/webhook-outbox.ts'

/** Forces index lookups of users: without statistics the planner takes the table for empty and scans the workspace. */
const guardLookups = {
  text: `${guardPlan.text}; set local enable_bitmapscan = off; set local enable_material = off`,
}

/** The write counter, read before all data of a write; the write conflicts when it has changed. */
interface Basis {
  writes: number
}

export interface MemberChange extends Basis {
  id: number
  workspaceId: number
  userId: string
}

/** Oldest first. */
export async function changedUsers(engine: Engine, limit: number): Promise<MemberChange[]> {
  const { rows } = await engine.run<MemberChange>({
    text: `select c.id, c.workspace_id as "workspaceId", c.user_id as "userId", w.count as writes
      from audience_writes w cross join audience_changes c order by c.id limit $1`,
    values: [limit],
    name: 'audience-changes',
  })
  return rows
}

export interface Recomputation extends Basis {
  workspaceId: number
  id: string
  version: number
  /** Null matches no user; null also in a deleted audience. */
  filter: JsonObject | null
  operator: string | null
  removed: boolean
  /** The last evaluated user; empty at the start. */
  progress: string
}

/** The audience to recompute next. */
export async function dueRecomputation(engine: Engine, now: number): Promise<Recomputation | undefined> {
  const { rows } = await engine.run<Recomputation>({
    text: `select a.workspace_id as "workspaceId", a.id, a.version, a.operator, w.count as writes,
        case when a.removed is null then a.filter end as filter, a.removed is not null as removed,
        coalesce(a.progress, '') as progress
      from audience_writes w cross join audiences a where a.due_at <= $1 order by a.due_at limit 1`,
    values: [now],
    name: 'audience-recompute',
  })
  return rows[0]
}

interface Member {
  audienceId: string
  version: number
  reason: string
}

export interface User {
  id: string
  profile: JsonObject
  /** The requested tenants to which the user belongs. */
  tenants: string[]
  /** False without a profile and a tenant: such a user is in no audience. */
  exists: boolean
  memberOf: Member[]
}

/** The size of the profiles in one slice: many small ones, or a few large ones. */
const SLICE_BYTES = 1_000_000

/** $1 is the workspace, $2 the tenants in filters. */
const users = (ids: string, member: string) => `select s.* from (
    select u.id, coalesce(p.profile, '{}') as profile, count(*) over () as candidates,
      coalesce((select json_agg(t.tenant_id) from tenant_members t
        where t.workspace_id = $1 and t.user_id = u.id
          and t.tenant_id in (select json_array_elements_text($2::json))), '[]') as tenants,
      p.id is not null or exists (
        select 1 from tenant_members t where t.workspace_id = $1 and t.user_id = u.id) as exists,
      coalesce((select json_agg(json_build_object('audienceId', m.audience_id, 'version', m.version, 'reason', m.reason))
        from audience_members m where m.workspace_id = $1 and m.member_id = u.id and ${member}), '[]') as "memberOf",
      coalesce(sum(pg_column_size(p.profile)) over (order by u.id rows between unbounded preceding and 1 preceding), 0)
        as bytes_before
    from (${ids}) u left join profiles p on p.workspace_id = $1 and p.id = u.id
  ) s where s.bytes_before < ${SLICE_BYTES} order by s.id`

const chosen = users('select json_array_elements_text($3::json) collate "C" as id', 'true')

/** As many of the users as fit a slice, in the order of their ids. */
export async function usersById(
  engine: Engine,
  workspaceId: number,
  ids: readonly string[],
  tenants: readonly string[],
): Promise<User[]> {
  const values = [workspaceId, JSON.stringify(tenants), JSON.stringify(ids)]
  const [, result] = await engine.batch([guardLookups, { text: chosen, values, name: 'audience-users' }])
  return readable(engine, workspaceId, rowsOf<User>(result))
}

/** Filters compare decrypted values. */
function readable<Row extends User>(engine: Reader, workspaceId: number, users: Row[]): Row[] {
  for (const user of users) user.profile = engine.tokens.decrypt(workspaceId, user.profile)
  return users
}

const memberIds = `(select member_id as id from audience_members
  where workspace_id = $1 and audience_id = $5 and member_id > $3 order by member_id limit $4)`
// Users of a tenant may have no profile; members may have lost both.
const userIds = `(select id from profiles where workspace_id = $1 and id > $3 order by id limit $4)
  union (select distinct user_id from tenant_members where workspace_id = $1 and user_id > $3 order by user_id limit $4)`
const inOrder = (ids: string, member = 'm.audience_id = $5') =>
  users(`select i.id from (${ids}) i order by i.id limit $4`, member)
const everyone = { text: inOrder(`${userIds} union ${memberIds}`), name: 'audience-everyone' }
const membersOnly = { text: inOrder(memberIds), name: 'audience-members-only' }
const usersOnly = { text: inOrder(userIds, 'false'), name: 'audience-users-only' }

type CandidateUser = User & { candidates: number }

/** A short page of whole candidates is the last one; the size of profiles shortens others. */
function pageOfUsers(users: CandidateUser[], limit: number): { users: User[]; last: boolean } {
  const all = users[0]?.candidates ?? 0
  return { users, last: all < limit && users.length === all }
}

/** The next users of a recompute; with `last` there are no more. */
export async function nextUsers(
  engine: Engine,
  { workspaceId, id, progress, filter }: Recomputation,
  limit: number,
  tenants: readonly string[],
): Promise<{ users: User[]; last: boolean }> {
  const next = filter === null ? membersOnly : everyone
  const values = [workspaceId, JSON.stringify(tenants), progress, limit, id]
  const [, result] = await engine.batch([guardLookups, { ...next, values }])
  return pageOfUsers(readable(engine, workspaceId, rowsOf<CandidateUser>(result)), limit)
}

/** The users after an id whom an audience could have, without any membership; with `last` there are no more. */
export async function usersAfter(
  engine: Reader,
  workspaceId: number,
  after: string,
  limit: number,
  tenants: readonly string[],
): Promise<{ users: User[]; last: boolean }> {
  const values = [workspaceId, JSON.stringify(tenants), after, limit]
  const [, result] = await engine.batch([guardLookups, { ...usersOnly, values }])
  return pageOfUsers(readable(engine, workspaceId, rowsOf<CandidateUser>(result)), limit)
}

export interface MembersWrite extends Basis {
  workspaceId: number
  kept: (Member & { memberId: string })[]
  gone: { audienceId: string; memberId: string }[]
}

const member = `json_build_object(
  'audience_id', m.audience_id, 'audience_version', m.version, 'user_id', m.member_id, 'reason', m.reason)`

/** Webhook events for new and removed members, and those of `more`. */
const outboxRows = (more: string) => `(
    select :outboxId::text || '-' || lpad((row_number() over ())::text, 6, '0') as id, :workspaceId::smallint as workspace_id,
      'audiences:' || e.type as type, null::text as message_id, e.payload::text as payload, :now::bigint as at
    from (
      select 'user:matched' as type, ${member} as payload from kept m where m.is_new
      union all
      -- The deletion of an audience makes no event for each member.
      select 'user:unmatched', ${member} from gone m join audiences a
        on a.workspace_id = :workspaceId and a.id = m.audience_id and a.removed is null
      ${more}
    ) e
  ) a`

const { audience_id, member_id } = columnTypes.audience_members
const MEMBER = { '"audienceId"': audience_id, '"memberId"': member_id }
const goneRows = recordset(':gone', 'r', MEMBER)
const keptRows = recordset(':kept', 'r', { ...MEMBER, ...typesOf('audience_members', ['version', 'reason']) })

/** Members that are lost and kept, and in the same commit the rest: a change of what led to them. */
const membersWrite = (name: string, rest: string, more = '') =>
  named(
    name,
    `with turn as (
      update audience_writes set count = count + 1 where the_only and count = :writes returning count
    ),
    gone as (
      -- Found first, because a join could be done from the side of all members.
      delete from audience_members where exists (select 1 from turn) and ctid = any (array(
        select (select m.ctid from audience_members m
          where m.workspace_id = :workspaceId and m.audience_id = r."audienceId" and m.member_id = r."memberId")
        from ${goneRows}))
      returning audience_id, member_id, version, reason
    ),
    kept as (
      insert into audience_members (workspace_id, audience_id, member_id, version, reason, added)
      select :workspaceId, r."audienceId", r."memberId", r.version, r.reason, :now::bigint
      from ${keptRows}
      where exists (select 1 from turn)
      on conflict (workspace_id, audience_id, member_id)
        do update set version = excluded.version, reason = excluded.reason
      -- An updated row has a value other than 0.
      returning audience_id, member_id, version, reason, xmax = 0 as is_new
    ),
    rest as (${rest}),
    outbox as (${outboxInsertFrom(outboxRows(more))})
    select count from turn`,
  )

const ofChanges = membersWrite(
  'audience-follow',
  `delete from audience_changes where id in (select json_array_elements_text(:changes::json)::bigint)
    and exists (select 1 from turn)`,
)

const isCurrent = 'workspace_id = :workspaceId and id = :id and version = :version and exists (select 1 from turn)'

const ofRemoval = membersWrite('audience-remove', `delete from audiences where ${isCurrent}`)

// Due after the other audiences, so that all of them proceed.
const ofRecomputation = membersWrite(
  'audience-walk',
  `update audiences set progress = :progress,
      due_at = case when :progress::text is null then null else :now::bigint end
    where ${isCurrent} returning id, version, due_at`,
  `union all
  select 'calculated', json_build_object('audience_id', id, 'audience_version', version) from rest where due_at is null`,
)

/** False on a conflict: nothing is written, and all data must be read again. */
export function writeChanges(
  engine: Engine,
  write: MembersWrite,
  changes: readonly number[],
  now: number,
): Promise<boolean> {
  return writeMembers(engine, ofChanges({ ...valuesOf(write, now), changes: JSON.stringify(changes) }))
}

/** The same for a page of a recompute; `progress` undefined ends it. A newer version of the audience goes on by itself. */
export function writeRecomputation(
  engine: Engine,
  write: MembersWrite,
  { id, version, removed }: Recomputation,
  progress: string | undefined,
  now: number,
): Promise<boolean> {
  const values = { ...valuesOf(write, now), id, version }
  if (removed && progress === undefined) return writeMembers(engine, ofRemoval(values))
  return writeMembers(engine, ofRecomputation({ ...values, progress: progress ?? null }))
}

const valuesOf = ({ writes, workspaceId, kept, gone }: MembersWrite, now: number) => ({
  ...{ writes, workspaceId, now, kept: JSON.stringify(kept), gone: JSON.stringify(gone) },
  outboxId: timedId(now),
})

async function writeMembers(engine: Engine, write: Statement): Promise<boolean> {
  const [, result] = await engine.batch([guardLookups, write])
  return (result?.rows.length ?? 0) > 0
}
