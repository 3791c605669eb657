/** /tenants: written, shown, listed, deleted, and who is in them. */
import { type Tenant, type TenantInput, tenantBytesMax, tenantLevelsMax, tenantsPage } from '@postrider/contract'
import { conflict, invalidField, invalidRequest, notFound, tooLarge } from '../../../base/errors.ts'
import { type JsonObject, jsonBytes } from '../../../base/json/json.ts'
import { quoted } from '../../../base/quote.ts'
import type { Page } from '../../../database/cursor.ts'
import { ConflictError, isBrokenReference } from '../../../database/engine.ts'
import { listTenantUsers } from '../../../database/tables/tenants/memberships.ts'
import {
  deleteTenant,
  findTenant,
  listTenants,
  putTenant,
  readTenantDefaults,
  type TenantRow,
  type TopicDefault,
  tenantMembersSlice,
} from '../../../database/tables/tenants/tenants.ts'
import { type CallContext, listPage, success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { membership } from './memberships.ts'

export const tenants = {
  'tenants.list': async ({ query }, ctx) => {
    const page = await tenantPage(ctx, query, query.parent_tenant_id)
    return success(
      'tenants.list',
      listPage('/tenants', query, page, (tenant) => tenant),
    )
  },
  'tenants.get': async ({ params: { tenant_id } }, ctx) => success('tenants.get', await tenantNamed(ctx, tenant_id)),
  'tenants.put': ({ params: { tenant_id }, body }, ctx) => {
    const { tenant, ...work } = writeTenant(ctx, tenant_id, body)
    return { ...work, reply: success('tenants.put', tenant) }
  },
  'tenants.delete': ({ params: { tenant_id } }, ctx) => ({
    reply: success('tenants.delete', undefined),
    ...removeTenant(ctx, tenant_id),
  }),
  'tenants.users': async ({ params: { tenant_id }, query }, { app, caller }) => {
    const { limit = tenantsPage, cursor = query.starting_after } = query
    if (!(await findTenant(app.database, caller.workspaceId, tenant_id))) throw notFound('Tenant not found')
    const page = await listTenantUsers(app.database, caller.workspaceId, tenant_id, cursor, limit)
    return success(
      'tenants.users',
      listPage(`/tenants/${encodeURIComponent(tenant_id)}/users`, query, page, membership),
    )
  },
} satisfies ResourceHandlers<'tenants'>

export async function tenantNamed(ctx: CallContext, id: string): Promise<Tenant> {
  const row = await findTenant(ctx.app.database, ctx.caller.workspaceId, id)
  if (!row) throw notFound('Tenant not found')
  const [tenant] = await records(ctx, [row])
  if (!tenant) throw new Error('A row gave no record')
  return tenant
}

export interface TenantQuery {
  limit?: number
  cursor?: string
  starting_after?: string
}

export async function tenantPage(
  ctx: CallContext,
  { limit = tenantsPage, cursor, starting_after }: TenantQuery,
  parentId: string | undefined,
): Promise<Page<Tenant>> {
  const { app, caller } = ctx
  const filter = { cursor: cursor ?? starting_after, parentId }
  const page = await listTenants(app.database, caller.workspaceId, filter, limit)
  return { ...page, rows: await records(ctx, page.rows) }
}

/** `parentField`: the name of `parent_tenant_id` in the body. */
export function writeTenant(ctx: CallContext, id: string, input: TenantInput, parentField = 'parent_tenant_id') {
  const { workspaceId } = ctx.caller
  const row: TenantRow = {
    id,
    name: input.name,
    parentId: input.parent_tenant_id ?? null,
    brandId: input.brand_id ?? null,
    properties: bounded('properties', input.properties),
    userProfile: bounded('user_profile', input.user_profile),
  }
  const defaults = defaultsOf(input)
  return {
    tenant: record(row, defaults),
    writes: putTenant(ctx.app.database.tokens, workspaceId, row, defaults, ctx.now),
    onConflict: (error: Error) =>
      error instanceof ConflictError || isBrokenReference(error) ? badParent(ctx, row, parentField) : undefined,
  }
}

export const removeTenant = ({ caller }: CallContext, id: string) => ({
  slices: [tenantMembersSlice(caller.workspaceId, id)],
  writes: deleteTenant(caller.workspaceId, id),
  onConflict(error: Error) {
    if (error instanceof ConflictError) return notFound('Tenant not found')
    return isBrokenReference(error)
      ? conflict('in_use', 'Other tenants are below this one; delete or move them first')
      : undefined
  },
})

async function badParent({ app, caller }: CallContext, { id, parentId }: TenantRow, param: string) {
  const code = 'invalid_field'
  if (parentId === id) return invalidRequest('A tenant cannot be above itself', { code, param })
  if (parentId === null || !(await findTenant(app.database, caller.workspaceId, parentId)))
    return invalidRequest('Unknown parent tenant', { code: 'unknown_tenant', param })
  return invalidRequest(
    `A tenant is not above one that it is below, and a tenant with those above it are at most ${tenantLevelsMax} levels`,
    { code, param },
  )
}

function bounded(field: string, value: JsonObject | null | undefined): JsonObject {
  if (jsonBytes(value ?? {}) > tenantBytesMax) throw tooLarge(`${field} has at most ${tenantBytesMax} bytes`, field)
  return value ?? {}
}

function defaultsOf({ default_preferences: given }: TenantInput): TopicDefault[] {
  const byTopic = new Map<string, TopicDefault>()
  for (const { id, status, has_custom_routing, custom_routing } of given?.items ?? []) {
    if (byTopic.has(id)) throw invalidField('default_preferences.items', `names the topic ${quoted(id)} twice`)
    const hasCustomRouting = has_custom_routing ?? false
    byTopic.set(id, { topicId: id, status, hasCustomRouting, customRouting: custom_routing ?? [] })
  }
  return [...byTopic.values()].sort((one, other) => (one.topicId < other.topicId ? -1 : 1))
}

async function records({ app, caller }: CallContext, rows: readonly TenantRow[]): Promise<Tenant[]> {
  const ids = rows.map(({ id }) => id)
  const defaults = await readTenantDefaults(app.database, caller.workspaceId, ids)
  const byTenant = new Map<string, TopicDefault[]>(ids.map((id) => [id, []]))
  for (const one of defaults) byTenant.get(one.tenantId)?.push(one)
  return rows.map((row) => record(row, byTenant.get(row.id) ?? []))
}

function record(row: TenantRow, defaults: readonly TopicDefault[]): Tenant {
  return {
    id: row.id,
    name: row.name,
    parent_tenant_id: row.parentId,
    properties: row.properties,
    user_profile: row.userProfile,
    brand_id: row.brandId,
    default_preferences: {
      items: defaults.map(({ topicId, status, hasCustomRouting, customRouting }) => ({
        id: topicId,
        status,
        has_custom_routing: hasCustomRouting,
        custom_routing: customRouting,
      })),
    },
  }
}
