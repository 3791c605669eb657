/** What tenants say about messages: each with those above it, and the profiles of users in them; one query a kind. */
import { tenantLevelsMax } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader } from '../../engine.ts'

/** A tenant that was asked for, or one above it. */
export interface ChainRow {
  workspace_id: number
  asked: string
  id: string
  name: string
  brand_id: string | null
  /** Of the tenant itself; null above it, where they do not count. */
  properties: JsonObject | null
  user_profile: JsonObject
}

export interface TenantRequest {
  workspaceId: number
  tenantId: string
}

const columns = 't.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile'

// Lateral subqueries that stay where they are: they can only be looked up by key, whatever the planner thinks.
const chainText = `with recursive up(w, asked, level, id, parent_id, name, brand_id, properties, user_profile) as (
    select r.w, r.id, 1, t.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile
    from json_to_recordset($1::json) as r(w smallint, id text)
    cross join lateral (select ${columns} from tenants t where t.workspace_id = r.w and t.id = r.id offset 0) t
    union all
    select up.w, up.asked, up.level + 1, t.id, t.parent_id, t.name, t.brand_id, t.properties, t.user_profile from up
    cross join lateral (select ${columns} from tenants t where t.workspace_id = up.w and t.id = up.parent_id offset 0) t
    where up.level < ${tenantLevelsMax}
  )
  select w as workspace_id, asked, id, name, brand_id, case when level = 1 then properties end as properties,
    user_profile
  from up order by level desc`

/** The highest first, the asked one last. Each is asked for once. */
export async function tenantChains(engine: Reader, asked: readonly TenantRequest[]): Promise<ChainRow[]> {
  const records = asked.map(({ workspaceId, tenantId }) => ({ w: workspaceId, id: tenantId }))
  const { rows } = await engine.run<ChainRow>({
    text: chainText,
    values: [JSON.stringify(records)],
    name: 'tenant-chains',
  })
  for (const row of rows) row.user_profile = engine.tokens.decrypt(row.workspace_id, row.user_profile)
  return rows
}

/** Those of users who are in the tenant; `n` is the caller's own number. */
export async function membershipProfiles(
  engine: Reader,
  asked: readonly (TenantRequest & { n: number; userId: string })[],
): Promise<{ n: number; profile: JsonObject | null }[]> {
  const records = asked.map(({ n, workspaceId, tenantId, userId }) => ({ n, w: workspaceId, t: tenantId, u: userId }))
  const { rows } = await engine.run<{ n: number; profile: JsonObject | null }>({
    text: `select r.n, (select m.profile from tenant_members m
        where m.workspace_id = r.w and m.tenant_id = r.t and m.user_id = r.u) as profile
      from json_to_recordset($1::json) as r(n integer, w smallint, t text, u text)`,
    values: [JSON.stringify(records)],
    name: 'membership-profiles',
  })
  const workspaces = new Map(asked.map(({ n, workspaceId }) => [n, workspaceId]))
  for (const row of rows) if (row.profile) row.profile = engine.tokens.decrypt(workspaces.get(row.n) ?? 0, row.profile)
  return rows
}
