/** The tenants of a batch of messages: those of their decision snapshots, else as they are now. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Reader } from '../../database/engine.ts'
import { membershipProfiles } from '../../database/tables/tenants/memberships.ts'
import { type ChainRow, type TenantRequest, tenantChains } from '../../database/tables/tenants/tenants.ts'
import type { TenantFacts } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'

/** In the order of the subjects; undefined without a tenant, and for one that does not exist. */
export async function loadTenants(
  engine: Reader,
  requests: readonly LoadRequest[],
): Promise<readonly (TenantFacts | undefined)[]> {
  const asked = requests.flatMap(({ message, input, snapshot }, n) =>
    snapshot || input.tenantId === undefined
      ? []
      : [{ n, workspaceId: message.workspace_id, tenantId: input.tenantId, userId: message.recipient }],
  )
  const [chains, profiles] = await (asked.length > 0 ? readTenants(engine, asked) : nothing)
  return requests.map(({ message, input, snapshot }, n) => {
    // The profile that is pinned has everything the tenant said of it.
    if (snapshot) return snapshot.tenant && { ...snapshot.tenant, profiles: [] }
    const chain = input.tenantId === undefined ? undefined : chains.get(keyOf(message.workspace_id, input.tenantId))
    return chain && factsOf(chain, profiles.get(n))
  })
}

type Found = [chains: ReadonlyMap<string, readonly ChainRow[]>, profiles: ReadonlyMap<number, TenantFacts['ofUser']>]

const nothing: Found = [new Map(), new Map()]

const keyOf = (workspaceId: number, tenantId: string) => `${workspaceId} ${tenantId}`

async function readTenants(
  engine: Reader,
  asked: readonly (TenantRequest & { n: number; userId: string })[],
): Promise<Found> {
  const once = new Map(asked.map((one) => [keyOf(one.workspaceId, one.tenantId), one]))
  const [rows, members] = await Promise.all([
    tenantChains(engine, [...once.values()]),
    membershipProfiles(engine, asked),
  ])
  const chains = new Map<string, ChainRow[]>()
  for (const row of rows) {
    const key = keyOf(row.workspace_id, row.asked)
    chains.set(key, [...(chains.get(key) ?? []), row])
  }
  return [chains, new Map(members.map(({ n, profile }) => [n, profile ?? undefined]))]
}

const isNotEmpty = (profile: JsonObject) => Object.keys(profile).length > 0

function factsOf(chain: readonly ChainRow[], ofUser: TenantFacts['ofUser']): TenantFacts | undefined {
  const own = chain.at(-1)
  if (!own) return undefined
  return {
    id: own.id,
    name: own.name,
    properties: own.properties ?? {},
    ...(own.brand_id !== null && { brandId: own.brand_id }),
    profiles: chain.map(({ user_profile }) => user_profile).filter(isNotEmpty),
    ...(ofUser && isNotEmpty(ofUser) && { ofUser }),
  }
}
