/** The translation catalogs of a batch of messages: those of their decision snapshots, else those in force, cached. */
import { createCache } from '../../base/perf/cache.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Engine } from '../../database/engine.ts'
import { translationsInForce, translationVersions } from '../../database/tables/notifications/translations.ts'
import { type Catalog, localeChain, readCatalog } from '../../templates/translations/catalog.ts'
import type { DecisionInput } from '../decide/decision.ts'
import { mergedProfileOf } from '../decide/profile.ts'
import { localeOf } from '../decide/render.ts'
import type { CatalogVersion } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'

interface VersionRequest {
  workspaceId: number
  locale: string
  version: number
}

export interface TranslationCache {
  /** The version in force of each locale, by workspace. */
  inForce(workspaceIds: readonly number[]): Promise<ReadonlyMap<number, ReadonlyMap<string, number>>>
  /** As they were, by `versionKey`. */
  versions(requests: readonly VersionRequest[]): Promise<ReadonlyMap<string, Catalog>>
  forget(): void
}

const versionKey = ({ workspaceId, locale, version }: VersionRequest) => `${workspaceId} ${version} ${locale}`

const LIFETIME_MS = SECOND
const WORKSPACES_MAX = 100
/** Some ten large catalogs, or hundreds of usual ones. */
const CATALOG_BYTES_MAX = 50_000_000
/** The memory of an entry beside its texts. */
const ENTRY_BYTES = 200

function weightOf({ texts }: Catalog): number {
  let bytes = 1_000
  for (const [key, forms] of texts) {
    bytes += ENTRY_BYTES + 2 * key.length
    for (const form of forms) bytes += 2 * form.length
  }
  return bytes
}

export function createTranslationCache(engine: Engine, now: () => number): TranslationCache {
  const current = createCache<number, ReadonlyMap<string, number>>({ entriesMax: WORKSPACES_MAX })
  const catalogs = createCache<string, Catalog>({ weightMax: CATALOG_BYTES_MAX, weightOf })
  return {
    async inForce(workspaceIds) {
      const time = now()
      const versionsByWorkspace = new Map<number, ReadonlyMap<string, number>>()
      const missing = workspaceIds.filter((id) => {
        const versions = current.get(id, time)
        if (versions) versionsByWorkspace.set(id, versions)
        return !versions
      })
      if (missing.length === 0) return versionsByWorkspace
      const rows = await translationsInForce(engine, missing)
      for (const id of missing) {
        const ofWorkspace = rows.filter(({ workspace_id }) => workspace_id === id)
        const versions = new Map(ofWorkspace.map(({ locale, version }) => [locale, version]))
        versionsByWorkspace.set(id, versions)
        current.set(id, versions, time + LIFETIME_MS)
      }
      return versionsByWorkspace
    },
    async versions(requests) {
      const catalogByKey = new Map<string, Catalog>()
      const missing = new Map<string, VersionRequest>()
      for (const request of requests) {
        const key = versionKey(request)
        const catalog = catalogs.get(key)
        if (catalog) catalogByKey.set(key, catalog)
        else missing.set(key, request)
      }
      if (missing.size === 0) return catalogByKey
      for (const row of await translationVersions(engine, [...missing.values()])) {
        const key = versionKey({ workspaceId: row.workspace_id, locale: row.locale, version: row.version })
        const catalog = catalogs.get(key) ?? readCatalog(row.locale, row.content)
        catalogs.set(key, catalog)
        catalogByKey.set(key, catalog)
      }
      return catalogByKey
    },
    forget: () => current.clear(),
  }
}

/** True for a message whose content needs translations: for every other one nothing is loaded. */
export function isTranslated({ facts: { mapping, brands } }: DecisionInput): boolean {
  if (!mapping?.notification) return false
  if (mapping.notification.template.isTranslated || brands.message?.brand.isTranslated) return true
  for (const { brand } of brands.channelBrands.values()) if (brand.isTranslated) return true
  return false
}

/** The inputs with the catalogs of their locales; the locale is that of the merged profile, so this comes last. */
export async function withTranslations(
  decisionInputs: readonly DecisionInput[],
  requests: readonly LoadRequest[],
  cache: TranslationCache,
): Promise<DecisionInput[]> {
  const workspaceOf = (index: number) => (requests[index] as LoadRequest).message.workspace_id
  const undecided = decisionInputs.flatMap((decisionInput, index) =>
    isTranslated(decisionInput) && !requests[index]?.snapshot ? [workspaceOf(index)] : [],
  )
  const inForce = undecided.length > 0 ? await cache.inForce([...new Set(undecided)]) : undefined
  const requested = decisionInputs.map((decisionInput, index): readonly VersionRequest[] | undefined => {
    if (!isTranslated(decisionInput)) return undefined
    const workspaceId = workspaceOf(index)
    const { snapshot } = requests[index] as LoadRequest
    if (snapshot) return (snapshot.translations ?? []).map((version) => ({ workspaceId, ...version }))
    const versions = inForce?.get(workspaceId) ?? new Map<string, number>()
    const { locale } = localeOf({
      input: decisionInput.input,
      profile: { merged: mergedProfileOf(decisionInput.input, decisionInput.facts) },
    })
    return localeChain(versions.keys(), locale).map((name) => ({
      workspaceId,
      locale: name,
      version: versions.get(name) ?? 0,
    }))
  })
  const catalogs = await cache.versions(requested.flatMap((each) => each ?? []))
  return decisionInputs.map((decisionInput, index) => {
    const versions = requested[index]
    if (!versions) return decisionInput
    const translations = versions.flatMap((version): CatalogVersion[] => {
      const catalog = catalogs.get(versionKey(version))
      return catalog ? [{ version: version.version, catalog }] : []
    })
    return { ...decisionInput, facts: { ...decisionInput.facts, translations } }
  })
}
