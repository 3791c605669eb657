/** Users in tenants, each with a profile for that tenant. */
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Statement } from '../../engine.ts'
import { query, recordset, rows, statement, typesAs, typesOf } from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'
import type { TenantRequest } from './tenants.ts'

export interface MembershipRow {
  tenantId: string
  userId: string
  profile: JsonObject
}

export interface NewMembership {
  tenantId: string
  /** Absent: the profile of an existing membership is not changed. */
  profile?: JsonObject
}

const membershipsOf = (workspaceId: number) =>
  query
    .selectFrom('tenant_members')
    .select(['tenant_id as tenantId', 'user_id as userId', 'profile'])
    .where('workspace_id', '=', workspaceId)

const readable = ({ tokens }: Reader, workspaceId: number, rows: readonly MembershipRow[]): MembershipRow[] =>
  rows.map((row) => ({ ...row, profile: tokens.decrypt(workspaceId, row.profile) }))

/** Ordered by user. */
export async function listTenantUsers(
  engine: Reader,
  workspaceId: number,
  tenantId: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<MembershipRow>> {
  let selection = membershipsOf(workspaceId).where('tenant_id', '=', tenantId)
  if (cursor !== undefined) selection = selection.where('user_id', '>', decodeCursor(cursor, ['string'])[0])
  const page = readable(engine, workspaceId, await rows(engine, selection.orderBy('user_id').limit(limit + 1)))
  return pageOf(page, limit, ({ userId }) => [userId])
}

/** Ordered by tenant. */
export async function listUserTenants(
  engine: Reader,
  workspaceId: number,
  userId: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<MembershipRow>> {
  let selection = membershipsOf(workspaceId).where('user_id', '=', userId)
  if (cursor !== undefined) selection = selection.where('tenant_id', '>', decodeCursor(cursor, ['string'])[0])
  const page = readable(engine, workspaceId, await rows(engine, selection.orderBy('tenant_id').limit(limit + 1)))
  return pageOf(page, limit, ({ tenantId }) => [tenantId])
}

const written = recordset('$4', 'r', typesOf('tenant_members', ['tenant_id', 'profile']))

/** For a batch, which fails when a tenant does not exist. Each tenant is named once. */
export function putMemberships(
  tokens: TokenCipher,
  workspaceId: number,
  userId: string,
  memberships: readonly NewMembership[],
  now: number,
): Statement[] {
  if (memberships.length === 0) return []
  const records = memberships.map(({ tenantId, profile = {} }) => ({
    tenant_id: tenantId,
    profile: tokens.encrypt(workspaceId, profile),
  }))
  const withProfile = memberships.flatMap(({ tenantId, profile }) => (profile === undefined ? [] : [tenantId]))
  return [
    {
      // In one order, so that concurrent calls for a user do not deadlock.
      text: `insert into tenant_members (workspace_id, tenant_id, user_id, profile, created)
        select $1::smallint, r.tenant_id, $2::text, r.profile, $3::bigint
        from ${written} order by r.tenant_id collate "C"
        on conflict (workspace_id, tenant_id, user_id) do update set profile = excluded.profile
        where jsonb_exists($5::jsonb, excluded.tenant_id)`,
      values: [workspaceId, userId, now, JSON.stringify(records), JSON.stringify(withProfile)],
    },
  ]
}

export function deleteMembership(workspaceId: number, userId: string, tenantId: string): Statement[] {
  const all = query.deleteFrom('tenant_members').where('workspace_id', '=', workspaceId)
  return [statement(all.where('user_id', '=', userId).where('tenant_id', '=', tenantId))]
}

export function deleteMemberships(workspaceId: number, userId: string): Statement[] {
  const all = query.deleteFrom('tenant_members').where('workspace_id', '=', workspaceId)
  return [statement(all.where('user_id', '=', userId))]
}

/** Users of any of the tenants, each once, in the order of their ids, after `after`. */
export async function tenantRecipients(
  engine: Reader,
  workspaceId: number,
  tenantIds: readonly string[],
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const { rows } = await engine.run<{ user_id: string }>({
    // Only the first users of each tenant: the next page of a large tenant is found by key.
    text: `select distinct m.user_id from json_array_elements_text($2::json) as t(id)
      cross join lateral (
        select user_id from tenant_members
        where workspace_id = $1 and tenant_id = t.id collate "C" and user_id > $3
        order by user_id limit $4
      ) m
      order by m.user_id limit $4`,
    values: [workspaceId, JSON.stringify(tenantIds), after ?? '', limit],
  })
  return rows.map(({ user_id }) => user_id)
}

/** The users who belong to all of the tenants. */
export async function membersAmong(
  engine: Reader,
  workspaceId: number,
  tenantIds: readonly string[],
  users: readonly string[],
): Promise<ReadonlySet<string>> {
  const distinct = [...new Set(tenantIds)]
  const { rows } = await engine.run<{ user_id: string }>({
    text: `select u.id as user_id from json_array_elements_text($2::json) as u(id)
      where $4 = (
        select count(*) from json_array_elements_text($3::json) as t(id)
        join tenant_members m on m.workspace_id = $1 and m.tenant_id = t.id collate "C" and m.user_id = u.id collate "C"
      )`,
    values: [workspaceId, JSON.stringify(users), JSON.stringify(distinct), distinct.length],
  })
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Profiles of users in a tenant; `n` is a number of the caller. */
export async function membershipProfiles(
  engine: Reader,
  requests: readonly (TenantRequest & { n: number; userId: string })[],
): Promise<{ n: number; profile: JsonObject | null }[]> {
  const records = requests.map(({ n, workspaceId, tenantId, userId }) => ({
    n,
    w: workspaceId,
    t: tenantId,
    u: userId,
  }))
  const { rows } = await engine.run<{ n: number; profile: JsonObject | null }>({
    text: `select r.n, (select m.profile from tenant_members m
        where m.workspace_id = r.w and m.tenant_id = r.t and m.user_id = r.u) as profile
      from ${recordset('$1', 'r', {
        n: 'integer',
        ...typesAs('tenant_members', { w: 'workspace_id', t: 'tenant_id', u: 'user_id' }),
      })}`,
    values: [JSON.stringify(records)],
    name: 'membership-profiles',
  })
  const workspaces = new Map(requests.map(({ n, workspaceId }) => [n, workspaceId]))
  for (const row of rows) if (row.profile) row.profile = engine.tokens.decrypt(workspaces.get(row.n) ?? 0, row.profile)
  return rows
}
