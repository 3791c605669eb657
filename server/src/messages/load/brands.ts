/** The brands of a batch of messages: those of their decision snapshots, else those in force, cached. */

import { isObject, type JsonObject } from '../../base/json/json.ts'
import { createCache } from '../../base/perf/cache.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import { type BrandVersionRow, brandsInForce, brandVersions } from '../../database/tables/notifications/brands.ts'
import { readBrand } from '../../templates/brand.ts'
import { withSettings } from '../decide/read-routing.ts'
import type { BrandReference, DecisionSnapshot } from '../decision-snapshot.ts'
import type { Brands, BrandVersion, Mapping, Notification, TenantFacts } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'
import type { SendInput } from '../send.ts'

/** A brand of a workspace; without an id its default. */
interface BrandRequest {
  workspaceId: number
  id: string | undefined
}

interface BrandVersionRequest {
  workspaceId: number
  id: string
  version: number
}

export interface BrandCache {
  /** By `brandKey`; a brand there is not is absent. */
  inForce(lookups: readonly BrandRequest[]): Promise<ReadonlyMap<string, BrandVersion>>
  /** As they were, by `versionKey`. */
  versions(lookups: readonly BrandVersionRequest[]): Promise<ReadonlyMap<string, BrandVersion>>
  forget(): void
}

const brandKey = ({ workspaceId, id }: BrandRequest) => `${workspaceId} ${id ?? ''}`
const versionKey = ({ workspaceId, id, version }: BrandVersionRequest) => `${workspaceId} ${version} ${id}`

const LIFETIME_MS = SECOND
/** Each has 100 kB at most; the messages of one time use a few. */
const VERSIONS_MAX = 250
const IN_FORCE_MAX = 10_000

export function createBrandCache(engine: Engine, now: () => number): BrandCache {
  const inForce = createCache<string, BrandVersion>({ entriesMax: IN_FORCE_MAX })
  const cachedVersions = createCache<string, BrandVersion>({ entriesMax: VERSIONS_MAX })

  const versions = async (lookups: readonly BrandVersionRequest[]): Promise<ReadonlyMap<string, BrandVersion>> => {
    const brandByKey = new Map<string, BrandVersion>()
    const missing = new Map<string, BrandVersionRequest>()
    for (const lookup of lookups) {
      const key = versionKey(lookup)
      const brand = cachedVersions.get(key)
      if (brand) brandByKey.set(key, brand)
      else missing.set(key, lookup)
    }
    if (missing.size === 0) return brandByKey
    for (const row of await brandVersions(engine, [...missing.values()])) {
      const key = versionKey({ workspaceId: row.workspace_id, id: row.id, version: row.version })
      const brand = cachedVersions.get(key) ?? brandOf(row, key)
      cachedVersions.set(key, brand)
      brandByKey.set(key, brand)
    }
    return brandByKey
  }

  return {
    versions,
    async inForce(lookups) {
      const time = now()
      const brandByKey = new Map<string, BrandVersion>()
      // A brand that was not found is not cached: one that is created now can be used at once.
      const missing = new Map<string, BrandRequest>()
      for (const lookup of lookups) {
        const key = brandKey(lookup)
        const remembered = inForce.get(key, time)
        if (remembered) brandByKey.set(key, remembered)
        else missing.set(key, lookup)
      }
      if (missing.size === 0) return brandByKey
      const requests = [...missing.values()].map(({ workspaceId, id = null }) => ({ workspaceId, id }))
      const rows = (await brandsInForce(engine, requests)).map((row) => ({ ...row, workspaceId: row.workspace_id }))
      const brands = await versions(rows)
      for (const row of rows) {
        const brand = brands.get(versionKey(row))
        if (!brand) continue
        const key = brandKey({ workspaceId: row.workspaceId, id: row.requested ?? undefined })
        brandByKey.set(key, brand)
        inForce.set(key, brand, time + LIFETIME_MS)
      }
      return brandByKey
    },
    forget: () => inForce.clear(),
  }
}

function brandOf({ id, version, name, settings, snippets, created }: BrandVersionRow, key: string): BrandVersion {
  return { id, version, name, created, settings, snippets, brand: readBrand(settings, snippets, { key, name }) }
}

const none: ReadonlyMap<string, BrandVersion> = new Map()
export const noBrands: Brands = { message: undefined, channelBrands: none, missing: [] }

/** In the order of the requests. */
export async function loadBrands(
  cache: BrandCache,
  requests: readonly LoadRequest[],
  mapped: Promise<readonly (Mapping | undefined)[]>,
  tenanted: Promise<readonly (TenantFacts | undefined)[]>,
): Promise<Brands[]> {
  const [mappings, tenants] = await Promise.all([mapped, tenanted])
  const names = requests.map(({ input, snapshot }, index) =>
    snapshot ? undefined : brandNames(input, mappings[index]?.notification, tenants[index]?.brandId),
  )
  const undecided = requests.flatMap(({ message, snapshot }) => (snapshot ? [] : message.workspace_id))
  const workspaces = [...new Set(undecided)]
  const lookups = requests.flatMap(({ message }, index) => brandRequests(message.workspace_id, names[index]))
  // The default too: it takes the place of a brand there is not.
  lookups.push(...workspaces.map((workspaceId) => ({ workspaceId, id: undefined })))
  const snapshotted = requests.flatMap(({ message, snapshot }) => snapshotBrands(message.workspace_id, snapshot))
  const [inForce, versions] = await Promise.all([
    lookups.length > 0 ? cache.inForce(lookups) : none,
    snapshotted.length > 0 ? cache.versions(snapshotted) : none,
  ])
  const defaults = new Map(workspaces.map((id) => [id, chosen(id, unnamed, inForce)]))
  return requests.map(({ message, snapshot }, index) => {
    const workspaceId = message.workspace_id
    const named = names[index]
    if (!named) return brandsOfSnapshot(workspaceId, snapshot ?? {}, versions)
    return (isUnnamed(named) && defaults.get(workspaceId)) || chosen(workspaceId, named, inForce)
  })
}

const noNames: ReadonlyMap<string, string> = new Map()

/** The names of brands that a message could use; the default replaces an unknown one. */
interface BrandNames {
  /** Undefined: the default of the workspace. */
  message: string | undefined
  /** For single channels. */
  ofChannels: ReadonlyMap<string, string>
}

/** The send comes before the tenant, the tenant before the notification. */
export function brandNames(
  input: SendInput,
  notification: Notification | undefined,
  tenantBrandId: string | undefined,
): BrandNames {
  const { brand, channels, override } = withSettings(input, notification)
  const ofChannels = channels || override?.channel ? channelNames(channels, override) : noNames
  const overriding = typeof override?.brand === 'string' ? override.brand : undefined
  return { message: overriding ?? brand ?? tenantBrandId ?? notification?.brandId, ofChannels }
}

function channelNames(settings: SendInput['channels'] = {}, override: JsonObject = {}): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [channel, { brand }] of Object.entries(settings)) if (brand !== undefined) names.set(channel, brand)
  for (const [channel, over] of Object.entries(isObject(override.channel) ? override.channel : {}))
    if (isObject(over) && typeof over.brand === 'string') names.set(channel, over.brand)
  return names
}

/** As most messages do: one answer for all of a workspace. */
const unnamed: BrandNames = { message: undefined, ofChannels: noNames }
const isUnnamed = ({ message, ofChannels }: BrandNames) => message === undefined && ofChannels.size === 0

function brandRequests(workspaceId: number, names: BrandNames | undefined): BrandRequest[] {
  if (!names || isUnnamed(names)) return []
  return [names.message, ...names.ofChannels.values()].map((id) => ({ workspaceId, id }))
}

function chosen(
  workspaceId: number,
  { message, ofChannels }: BrandNames,
  inForce: ReadonlyMap<string, BrandVersion>,
): Brands {
  const find = (id: string | undefined) => inForce.get(brandKey({ workspaceId, id }))
  const otherwise = find(undefined)
  const channels = [...ofChannels].flatMap(([channel, id]): [string, BrandVersion][] => {
    const brand = find(id) ?? otherwise
    return brand ? [[channel, brand]] : []
  })
  const named = [...(message === undefined ? [] : [message]), ...ofChannels.values()]
  return {
    message: find(message) ?? otherwise,
    channelBrands: channels.length > 0 ? new Map(channels) : none,
    missing: [...new Set(named)].filter((id) => !find(id)),
  }
}

function snapshotBrands(workspaceId: number, snapshot: DecisionSnapshot | undefined): BrandVersionRequest[] {
  if (!snapshot) return []
  const { brand, channelBrands = {} } = snapshot
  return [...(brand ? [brand] : []), ...Object.values(channelBrands)].map((reference) => ({
    workspaceId,
    ...reference,
  }))
}

function brandsOfSnapshot(
  workspaceId: number,
  snapshot: DecisionSnapshot,
  versions: ReadonlyMap<string, BrandVersion>,
): Brands {
  const { brand, channelBrands, missingBrands: missing = [] } = snapshot
  if (!brand && !channelBrands) return { ...noBrands, missing }
  const find = (reference: BrandReference) => versions.get(versionKey({ workspaceId, ...reference }))
  const channelEntries = Object.entries(channelBrands ?? {}).flatMap(
    ([channel, reference]): [string, BrandVersion][] => {
      const version = find(reference)
      return version ? [[channel, version]] : []
    },
  )
  return { message: brand && find(brand), channelBrands: new Map(channelEntries), missing }
}
