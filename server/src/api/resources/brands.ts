/** /brands: written in versions that never change; one of them is the default. */
import { type Brand, brandBytesMax, brandsPage } from '@postrider/contract'
import { conflict, notFound, tooLarge } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { iso } from '../../base/time/timestamp.ts'
import { checkBrandSettings } from '../../brands/settings.ts'
import {
  type BrandRow,
  type BrandSave,
  deleteBrand,
  findBrand,
  insertBrand,
  listBrands,
  saveBrand,
} from '../../database/tables/notifications/brands.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'
import { contended } from '../retry-on-conflict.ts'
import { catalogueChanged } from '../workspace-config-change.ts'

export const brands = {
  'brands.list': async ({ query: { cursor, limit = brandsPage } }, { house, caller }) => {
    const page = await listBrands(house.engine, caller.workspaceId, cursor, limit)
    return success('brands.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'brands.create': async ({ body: { id, name, settings, snippets, default: makeDefault = false } }, call) => {
    const { caller, now } = call
    if (settings) checkBrandSettings(settings)
    const brand = bounded({ id: id ?? recordId(), name, settings: settings ?? {}, snippets: snippets ?? {} })
    const reply = success('brands.create', record({ ...brand, created: now, updated: now, isDefault: makeDefault }))
    const save = { workspaceId: caller.workspaceId, ...brand, makeDefault, now }
    if (!(await insertBrand(call.keeping(reply), save))) throw conflict('Already Exists')
    await catalogueChanged(call)
    return reply
  },
  'brands.get': async ({ params: { brand_id } }, call) => success('brands.get', record(await known(call, brand_id))),
  'brands.replace': async ({ params: { brand_id }, body }, call) => {
    const { caller, now } = call
    const makeDefault = body.default ?? false
    if (body.settings) checkBrandSettings(body.settings)
    return contended('The brand is being changed by others', async () => {
      const before = await known(call, brand_id)
      const { id, version, created } = before
      const settings = body.settings ?? before.settings
      const brand = bounded({ id, name: body.name, settings, snippets: body.snippets ?? before.snippets })
      const isDefault = makeDefault || before.isDefault
      const reply = success('brands.replace', record({ ...brand, created, updated: now, isDefault }))
      const save = { workspaceId: caller.workspaceId, ...brand, makeDefault, now }
      if (!(await saveBrand(call.keeping(reply), version, save))) return undefined
      await catalogueChanged(call)
      return reply
    })
  },
  'brands.delete': async ({ params: { brand_id } }, call) => {
    const { caller, now } = call
    const reply = success('brands.delete', undefined)
    if (!(await deleteBrand(call.keeping(reply), caller.workspaceId, brand_id, now))) {
      await known(call, brand_id)
      throw conflict('Cannot delete default brand')
    }
    await catalogueChanged(call)
    return reply
  },
} satisfies ResourceHandlers<'brands'>

async function known({ house, caller }: Call, id: string): Promise<BrandRow> {
  const row = await findBrand(house.engine, caller.workspaceId, id)
  if (!row) throw notFound()
  return row
}

function bounded(brand: Pick<BrandSave, 'id' | 'name'> & { settings: object; snippets: object }) {
  const { settings, snippets } = brand
  if (Buffer.byteLength(JSON.stringify({ settings, snippets })) > brandBytesMax)
    throw tooLarge(`The settings and snippets of a brand have at most ${brandBytesMax} bytes`)
  return { ...brand, settings: settings as JsonObject, snippets: snippets as JsonObject }
}

function record(row: Omit<BrandRow, 'version'>): Brand {
  const { id, name, created, updated, settings, snippets, isDefault } = row
  return {
    id,
    name,
    created,
    updated,
    published: updated,
    settings,
    snippets,
    version: iso(updated),
    default: isDefault,
  }
}
