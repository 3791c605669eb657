/** Tenants as the API writes and shows them. */
import { type Tenant, type TenantInput, tenantBytesMax, tenantLevelsMax } from '@postrider/contract'
import { type CallerError, conflict, invalidField, invalidRequest, notFound, tooLarge } from '../base/errors.ts'
import { type JsonObject, jsonBytes } from '../base/json/json.ts'
import { quoted } from '../base/quote.ts'
import { ConflictError, isBrokenReference, type Reader } from '../database/engine.ts'
import {
  deleteTenant,
  findTenant,
  putTenant,
  readTenantDefaults,
  type TenantRow,
  type TopicDefault,
  tenantMembersSlice,
} from '../database/tables/tenants/tenants.ts'
import { profileWarnings } from '../recipients/profile-warnings.ts'

interface TenantWrite {
  workspaceId: number
  id: string
  input: TenantInput
  now: number
  /** The name of `parent_tenant_id` in the body. */
  parentField: string
  /** A tenant that exists stays as it is, and the writes conflict. */
  mustBeAbsent?: boolean
}

/** The tenant as it is stored, its writes, and what in it has no effect. Throws a 4xx. */
export function writeTenant(
  database: Reader,
  { workspaceId, id, input, now, parentField, mustBeAbsent = false }: TenantWrite,
) {
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
    tenant: tenantRecord(row, defaults),
    warnings: profileWarnings(row.userProfile, {}, 'user_profile'),
    writes: putTenant(database.tokens, workspaceId, row, defaults, { now, mustBeAbsent }),
    onConflict: (error: Error) =>
      error instanceof ConflictError || isBrokenReference(error)
        ? parentError(database, workspaceId, row, parentField)
        : undefined,
  }
}

export const removeTenant = (workspaceId: number, id: string) => ({
  slices: [tenantMembersSlice(workspaceId, id)],
  writes: deleteTenant(workspaceId, id),
  onConflict(error: Error) {
    if (error instanceof ConflictError) return notFound('Tenant not found')
    return isBrokenReference(error)
      ? conflict('in_use', 'Other tenants are below this one; delete or move them first')
      : undefined
  },
})

async function parentError(
  database: Reader,
  workspaceId: number,
  { id, parentId }: TenantRow,
  param: string,
): Promise<CallerError> {
  const code = 'invalid_field'
  if (parentId === id) return invalidRequest('A tenant cannot be above itself', { code, param })
  if (parentId === null || !(await findTenant(database, workspaceId, parentId)))
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

function defaultsOf({ default_preferences: preferences }: TenantInput): TopicDefault[] {
  const byTopic = new Map<string, TopicDefault>()
  for (const { id, status, has_custom_routing, custom_routing } of preferences?.items ?? []) {
    if (byTopic.has(id)) throw invalidField('default_preferences.items', `names the topic ${quoted(id)} twice`)
    const hasCustomRouting = has_custom_routing ?? false
    byTopic.set(id, { topicId: id, status, hasCustomRouting, customRouting: custom_routing ?? [] })
  }
  return [...byTopic.values()].sort((left, right) => (left.topicId < right.topicId ? -1 : 1))
}

/** With their defaults for topics, in the order of the rows. */
export async function tenantRecords(
  database: Reader,
  workspaceId: number,
  rows: readonly TenantRow[],
): Promise<Tenant[]> {
  const ids = rows.map(({ id }) => id)
  const defaults = await readTenantDefaults(database, workspaceId, ids)
  const byTenant = new Map<string, TopicDefault[]>(ids.map((id) => [id, []]))
  for (const topicDefault of defaults) byTenant.get(topicDefault.tenantId)?.push(topicDefault)
  return rows.map((row) => tenantRecord(row, byTenant.get(row.id) ?? []))
}

function tenantRecord(row: TenantRow, defaults: readonly TopicDefault[]): Tenant {
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
