/** The brands of a batch of messages: those their decisions were made with, else those in force. */

import { type BrandNames, brandNames } from '../decide/brand.ts'
import type { Brands, BrandVersion, Mapping, TenantFacts } from '../facts.ts'
import type { Pinned, PinnedBrand } from '../leased-message.ts'
import { type BrandAsked, type BrandPinned, type BrandShelf, brandKey, versionKey } from './brand-cache.ts'
import type { Subject } from './load-request.ts'

const none: ReadonlyMap<string, BrandVersion> = new Map()
export const noBrands: Brands = { message: undefined, own: none, missing: [] }

/** In the order of the subjects. */
export async function loadBrands(
  shelf: BrandShelf,
  subjects: readonly Subject[],
  mapped: Promise<readonly (Mapping | undefined)[]>,
  tenanted: Promise<readonly (TenantFacts | undefined)[]>,
): Promise<Brands[]> {
  const [mappings, tenants] = await Promise.all([mapped, tenanted])
  const names = subjects.map(({ input, pinned }, index) =>
    pinned ? undefined : brandNames(input, mappings[index]?.notification, tenants[index]?.brandId),
  )
  const unpinned = subjects.flatMap(({ message, pinned }) => (pinned ? [] : message.workspace_id))
  const workspaces = [...new Set(unpinned)]
  const asked = subjects.flatMap(({ message }, index) => askedFor(message.workspace_id, names[index]))
  // The default too: it takes the place of a brand there is not.
  asked.push(...workspaces.map((workspaceId) => ({ workspaceId, id: undefined })))
  const wanted = subjects.flatMap(({ message, pinned }) => pinnedBrands(message.workspace_id, pinned))
  const [inForce, versions] = await Promise.all([
    asked.length > 0 ? shelf.inForce(asked) : none,
    wanted.length > 0 ? shelf.versions(wanted) : none,
  ])
  const defaults = new Map(workspaces.map((id) => [id, chosen(id, unnamed, inForce)]))
  return subjects.map(({ message, pinned }, index) => {
    const workspaceId = message.workspace_id
    const named = names[index]
    if (!named) return asPinned(workspaceId, pinned ?? {}, versions)
    return (isUnnamed(named) && defaults.get(workspaceId)) || chosen(workspaceId, named, inForce)
  })
}

/** As most messages do: one answer for all of a workspace. */
const unnamed: BrandNames = { message: undefined, own: new Map() }
const isUnnamed = ({ message, own }: BrandNames) => message === undefined && own.size === 0

function askedFor(workspaceId: number, names: BrandNames | undefined): BrandAsked[] {
  if (!names || isUnnamed(names)) return []
  return [names.message, ...names.own.values()].map((id) => ({ workspaceId, id }))
}

function chosen(workspaceId: number, { message, own }: BrandNames, inForce: ReadonlyMap<string, BrandVersion>): Brands {
  const find = (id: string | undefined) => inForce.get(brandKey({ workspaceId, id }))
  const otherwise = find(undefined)
  const channels = [...own].flatMap(([channel, id]): [string, BrandVersion][] => {
    const brand = find(id) ?? otherwise
    return brand ? [[channel, brand]] : []
  })
  const named = [...(message === undefined ? [] : [message]), ...own.values()]
  return {
    message: find(message) ?? otherwise,
    own: channels.length > 0 ? new Map(channels) : none,
    missing: [...new Set(named)].filter((id) => !find(id)),
  }
}

function pinnedBrands(workspaceId: number, pinned: Pinned | undefined): BrandPinned[] {
  if (!pinned) return []
  const { brand, channelBrands = {} } = pinned
  return [...(brand ? [brand] : []), ...Object.values(channelBrands)].map((one) => ({ workspaceId, ...one }))
}

function asPinned(workspaceId: number, pinned: Pinned, versions: ReadonlyMap<string, BrandVersion>): Brands {
  const { brand, channelBrands, missingBrands: missing = [] } = pinned
  if (!brand && !channelBrands) return { ...noBrands, missing }
  const find = (one: PinnedBrand) => versions.get(versionKey({ workspaceId, ...one }))
  const own = Object.entries(channelBrands ?? {}).flatMap(([channel, one]): [string, BrandVersion][] => {
    const version = find(one)
    return version ? [[channel, version]] : []
  })
  return { message: brand && find(brand), own: new Map(own), missing }
}
