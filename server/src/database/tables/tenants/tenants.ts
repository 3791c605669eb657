/** Tenants, their tree and their defaults for topics; users in tenants are in `memberships.ts`. */
import { tenantLevelsMax, tenantTreeMax } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Reader, Slice, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type RowOf, recordset, rows, statement, typesAs } from '../../query.ts'
import type { TokenCipher } from '../../token-cipher.ts'

export type TenantRow = RowOf<typeof tenantsOf>

const tenantsOf = (workspaceId: number) =>
  query
    .selectFrom('tenants')
    .select(['id', 'name', 'parent_id as parentId', 'brand_id as brandId', 'properties', 'user_profile as userProfile'])
    .where('workspace_id', '=', workspaceId)

export async function findTenant(engine: Reader, workspaceId: number, id: string): Promise<TenantRow | undefined> {
  const row = await firstRow(engine, tenantsOf(workspaceId).where('id', '=', id))
  return row && readable(engine, workspaceId, row)
}

const readable = (engine: Reader, workspaceId: number, row: TenantRow): TenantRow => ({
  ...row,
  userProfile: engine.tokens.decrypt(workspaceId, row.userProfile),
})

/** Those of the ids that exist. */
export async function existingTenants(engine: Reader, workspaceId: number, ids: readonly string[]): Promise<string[]> {
  const selection = query.selectFrom('tenants').select('id').where('workspace_id', '=', workspaceId)
  return (await rows(engine, selection.where('id', 'in', [...ids]))).map(({ id }) => id)
}

/** Ordered by id. */
export async function listTenants(
  engine: Reader,
  workspaceId: number,
  { cursor, parentId }: { cursor: string | undefined; parentId: string | undefined },
  limit: number,
): Promise<Page<TenantRow>> {
  let selection = tenantsOf(workspaceId)
  if (parentId !== undefined) selection = selection.where('parent_id', '=', parentId)
  if (cursor !== undefined) selection = selection.where('id', '>', decodeCursor(cursor, ['string'])[0])
  const tenants = (await rows(engine, selection.orderBy('id').limit(limit + 1))).map((row) =>
    readable(engine, workspaceId, row),
  )
  return pageOf(tenants, limit, ({ id }) => [id])
}

/**
 * The upsert must affect a row. It does not, or a key is violated, where the parent does not exist, is below the tenant,
 * or the levels would be too many; and where the tenant exists and must be absent.
 */
export function putTenant(
  tokens: TokenCipher,
  workspaceId: number,
  row: TenantRow,
  defaults: readonly TopicDefault[],
  { now, mustBeAbsent }: { now: number; mustBeAbsent: boolean },
): Statement[] {
  const { id, name, parentId, brandId, properties, userProfile } = row
  const upsert: Statement = {
    text: `${insertUnderParent} ${mustBeAbsent ? 'do nothing' : replaceTenant}`,
    values: [
      workspaceId,
      id,
      name,
      parentId,
      brandId,
      JSON.stringify(properties),
      JSON.stringify(tokens.encrypt(workspaceId, userProfile)),
      now,
      tenantLevelsMax,
    ],
  }
  const lock = parentId === null ? [] : [treeLock(workspaceId)]
  return [...lock, expectRows(upsert), ...replaceTenantDefaults(workspaceId, id, defaults)]
}

/** Serializes moves in a workspace: two valid concurrent moves could form a cycle. */
const treeLock = (workspaceId: number): Statement => ({
  text: 'select id from workspaces where id = $1 for no key update',
  values: [workspaceId],
})

/** Conflicts when there would be a cycle or too many levels. Without a change of the parent nothing is checked. */
const insertUnderParent = `
  with recursive up(id, parent_id, level) as (
    select t.id, t.parent_id, 1 from tenants t
    where t.workspace_id = $1 and t.id = $4
      and not exists (select from tenants s where s.workspace_id = $1 and s.id = $2 and s.parent_id = $4)
    union all
    select t.id, t.parent_id, up.level + 1 from up
    join tenants t on t.workspace_id = $1 and t.id = up.parent_id where up.level <= $9
  ),
  down(id, level) as (
    select $2::text collate "C", 1 where exists (select from up)
    union all
    select t.id, down.level + 1 from down
    join tenants t on t.workspace_id = $1 and t.parent_id = down.id where down.level <= $9
  )
  insert into tenants (workspace_id, id, name, parent_id, brand_id, properties, user_profile, created, updated)
  select $1, $2, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb, $8::bigint, $8::bigint
  where $4::text is distinct from $2 and not exists (select from up where id = $2)
    and coalesce((select max(level) from up) + (select max(level) from down), 0) <= $9
  on conflict (workspace_id, id)`

const replaceTenant = `do update set name = excluded.name, parent_id = excluded.parent_id,
    brand_id = excluded.brand_id, properties = excluded.properties, user_profile = excluded.user_profile,
    updated = excluded.updated`

/** A statement of some 20 ms; other statements run in between. */
const MEMBERS_A_SLICE = 1_000

const deleteSlice = `delete from tenant_members where ctid = any (array(
  select ctid from tenant_members where workspace_id = $1 and tenant_id = $2
    and not exists (select from tenants where workspace_id = $1 and parent_id = $2)
  order by user_id limit $3))`

/** Repeated until it is not full, before the tenant goes: interrupted, the tenant is still there and is deleted again. */
export const tenantMembersSlice = (workspaceId: number, id: string): Slice => ({
  statement: { text: deleteSlice, values: [workspaceId, id, MEMBERS_A_SLICE], name: 'tenant-members-slice' },
  rows: MEMBERS_A_SLICE,
})

/** The first must affect a row. A foreign key is violated where other tenants are below it. */
export function deleteTenant(workspaceId: number, id: string): Statement[] {
  const forget = query.deleteFrom('tenants').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(forget)), ...replaceTenantDefaults(workspaceId, id, [])]
}

/** The tenant and its descendants, unordered; at most `tenantTreeMax`. Empty when it does not exist. */
export async function tenantTree(engine: Reader, workspaceId: number, tenantId: string): Promise<string[]> {
  const { rows } = await engine.run<{ id: string }>({
    text: `with recursive tree(id, level) as (
        select id, 1 from tenants where workspace_id = $1 and id = $2
        union all
        select t.id, tree.level + 1 from tree
        join tenants t on t.workspace_id = $1 and t.parent_id = tree.id where tree.level < $3
      )
      select id from tree limit $4`,
    values: [workspaceId, tenantId, tenantLevelsMax, tenantTreeMax],
  })
  return rows.map(({ id }) => id)
}

/** A requested tenant, or one of its ancestors. */
export interface ChainRow {
  workspace_id: number
  requested: string
  id: string
  name: string
  brand_id: string | null
  /** Null for ancestors, whose properties are not inherited. */
  properties: JsonObject | null
  user_profile: JsonObject
}

export interface TenantRequest {
  workspaceId: number
  tenantId: string
}

const chainColumns = 't.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile'

// `offset 0` keeps the lateral subqueries: they are looked up by key, independent of the planner's estimates.
const chainText = `with recursive up(w, requested, level, id, parent_id, name, brand_id, properties, user_profile) as (
    select r.w, r.id, 1, t.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile
    from ${recordset('$1', 'r', typesAs('tenants', { w: 'workspace_id', id: 'id' }))}
    cross join lateral (select ${chainColumns} from tenants t where t.workspace_id = r.w and t.id = r.id offset 0) t
    union all
    select up.w, up.requested, up.level + 1, t.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile from up
    cross join lateral (select ${chainColumns} from tenants t where t.workspace_id = up.w and t.id = up.parent_id offset 0) t
    where up.level < ${tenantLevelsMax}
  )
  select w as workspace_id, requested, id, name, brand_id, case when level = 1 then properties end as properties,
    user_profile
  from up order by level desc`

/** Each tenant with its ancestors, the root first. A tenant may be requested once. */
export async function tenantChains(engine: Reader, requests: readonly TenantRequest[]): Promise<ChainRow[]> {
  const records = requests.map(({ workspaceId, tenantId }) => ({ w: workspaceId, id: tenantId }))
  const { rows } = await engine.run<ChainRow>({
    text: chainText,
    values: [JSON.stringify(records)],
    name: 'tenant-chains',
  })
  for (const row of rows) row.user_profile = engine.tokens.decrypt(row.workspace_id, row.user_profile)
  return rows
}

/** A default applies unless a user has chosen. */
export interface TopicDefault {
  topicId: string
  status: string
  hasCustomRouting: boolean
  customRouting: string[]
}

export type TenantTopicDefault = TopicDefault & { tenantId: string }

/** The defaults of the tenants, ordered by topic. */
export async function readTenantDefaults(
  engine: Reader,
  workspaceId: number,
  tenantIds: readonly string[],
): Promise<TenantTopicDefault[]> {
  if (tenantIds.length === 0) return []
  return rows(
    engine,
    query
      .selectFrom('tenant_topic_defaults')
      .select(['tenant_id as tenantId', 'topic_id as topicId', 'status', 'has_custom_routing as hasCustomRouting'])
      .select('custom_routing as customRouting')
      .where('workspace_id', '=', workspaceId)
      .where('tenant_id', 'in', [...tenantIds])
      .orderBy('tenant_id')
      .orderBy('topic_id'),
  )
}

/** For a batch. Each topic is named once. */
function replaceTenantDefaults(workspaceId: number, tenantId: string, items: readonly TopicDefault[]): Statement[] {
  const forget = query
    .deleteFrom('tenant_topic_defaults')
    .where('workspace_id', '=', workspaceId)
    .where('tenant_id', '=', tenantId)
  if (items.length === 0) return [statement(forget)]
  const insert = query.insertInto('tenant_topic_defaults').values(
    items.map(({ topicId, status, hasCustomRouting, customRouting }) => ({
      workspace_id: workspaceId,
      tenant_id: tenantId,
      topic_id: topicId,
      status,
      has_custom_routing: hasCustomRouting,
      custom_routing: JSON.stringify(customRouting),
    })),
  )
  return [statement(forget), statement(insert)]
}

/** False without such a tenant. */
export function putTenantDefault(
  workspaceId: number,
  tenantId: string,
  { topicId, status, hasCustomRouting, customRouting }: TopicDefault,
): Statement[] {
  const put = {
    text: `insert into tenant_topic_defaults
        (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
      select workspace_id, id, $3, $4, $5::boolean, $6::jsonb from tenants where workspace_id = $1 and id = $2 for key share
      on conflict (workspace_id, tenant_id, topic_id) do update set status = excluded.status,
        has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing`,
    values: [workspaceId, tenantId, topicId, status, hasCustomRouting, JSON.stringify(customRouting)],
  }
  return [expectRows(put)]
}

export function deleteTenantDefault(workspaceId: number, tenantId: string, topicId: string): Statement[] {
  const deletion = query.deleteFrom('tenant_topic_defaults').where('workspace_id', '=', workspaceId)
  return [statement(deletion.where('tenant_id', '=', tenantId).where('topic_id', '=', topicId))]
}
