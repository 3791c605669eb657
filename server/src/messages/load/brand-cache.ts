/** Caches brands for decisions: the versions in force for a second, the content of a version for good. */
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import { type BrandVersionRow, brandsInForce, brandVersions } from '../../database/tables/notifications/brands.ts'
import { readBrand } from '../../templates/brand.ts'
import type { BrandVersion } from '../facts.ts'

/** A brand of a workspace; without an id its default. */
export interface BrandAsked {
  workspaceId: number
  id: string | undefined
}

export interface BrandPinned {
  workspaceId: number
  id: string
  version: number
}

export interface BrandShelf {
  /** By `brandKey`; a brand there is not is absent. */
  inForce(asked: readonly BrandAsked[]): Promise<ReadonlyMap<string, BrandVersion>>
  /** As they were, by `versionKey`. */
  versions(asked: readonly BrandPinned[]): Promise<ReadonlyMap<string, BrandVersion>>
  forget(): void
}

export const brandKey = ({ workspaceId, id }: BrandAsked) => `${workspaceId} ${id ?? ''}`
export const versionKey = ({ workspaceId, id, version }: BrandPinned) => `${workspaceId} ${version} ${id}`

const LIFETIME_MS = SECOND
/** Of 100 kB at most; what is being sent at one time uses a few. */
const VERSIONS_MAX = 250
const IN_FORCE_MAX = 10_000

export function createBrandShelf(engine: Engine, now: () => number): BrandShelf {
  const inForce = new Map<string, { brand: BrandVersion; until: number }>()
  const known = new Map<string, BrandVersion>()

  const versions = async (asked: readonly BrandPinned[]): Promise<ReadonlyMap<string, BrandVersion>> => {
    const found = new Map<string, BrandVersion>()
    const missing = new Map<string, BrandPinned>()
    for (const one of asked) {
      const key = versionKey(one)
      const brand = known.get(key)
      if (brand) found.set(key, brand)
      else missing.set(key, one)
    }
    if (missing.size === 0) return found
    for (const row of await brandVersions(engine, [...missing.values()])) {
      const key = versionKey({ workspaceId: row.workspace_id, id: row.id, version: row.version })
      const brand = known.get(key) ?? brandOf(row, key)
      if (known.size >= VERSIONS_MAX) known.delete(known.keys().next().value ?? '')
      known.set(key, brand)
      found.set(key, brand)
    }
    return found
  }

  return {
    versions,
    async inForce(asked) {
      const time = now()
      const found = new Map<string, BrandVersion>()
      // What was not found is never remembered: who creates a brand and sends at once finds it.
      const missing = new Map<string, BrandAsked>()
      for (const one of asked) {
        const key = brandKey(one)
        const remembered = inForce.get(key)
        if (remembered && remembered.until > time) found.set(key, remembered.brand)
        else missing.set(key, one)
      }
      if (missing.size === 0) return found
      const wanted = [...missing.values()].map(({ workspaceId, id = null }) => ({ workspaceId, id }))
      const rows = (await brandsInForce(engine, wanted)).map((row) => ({ ...row, workspaceId: row.workspace_id }))
      const brands = await versions(rows)
      if (inForce.size > IN_FORCE_MAX) inForce.clear()
      for (const row of rows) {
        const brand = brands.get(versionKey(row))
        if (!brand) continue
        const key = brandKey({ workspaceId: row.workspaceId, id: row.asked ?? undefined })
        found.set(key, brand)
        inForce.set(key, { brand, until: time + LIFETIME_MS })
      }
      return found
    },
    forget: () => inForce.clear(),
  }
}

function brandOf({ id, version, name, settings, snippets, created }: BrandVersionRow, key: string): BrandVersion {
  return { id, version, name, created, settings, snippets, brand: readBrand(settings, snippets, { key, name }) }
}
