/** /brands: written in versions that never change; one of them is the default. */
import { type Brand, brandBytesMax, brandsPage } from '@postrider/contract'
import { conflict, invalidAt, notFound, tooLarge } from '../../../base/errors.ts'
import { textsOf } from '../../../base/finding.ts'
import { recordId } from '../../../base/ids.ts'
import { type JsonObject, jsonBytes } from '../../../base/json/json.ts'
import { iso } from '../../../base/time/clock.ts'
import { checkBrandSettings } from '../../../brands/settings.ts'
import {
  type BrandRow,
  type BrandSave,
  deleteBrand,
  findBrand,
  insertBrand,
  listBrands,
  saveBrand,
} from '../../../database/tables/notifications/brands.ts'
import { storedContent } from '../../../notifications/notification.ts'
import { readBrand } from '../../../templates/brand.ts'
import { compile } from '../../../templates/compile.ts'
import { RenderFailed } from '../../../templates/failure.ts'
import { sizeWarnings } from '../../../templates/mail/size.ts'
import { render } from '../../../templates/render.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const brands = {
  'brands.list': async ({ query: { cursor, limit = brandsPage } }, { app, caller }) => {
    const page = await listBrands(app.database, caller.workspaceId, cursor, limit)
    return success('brands.list', { paging: paging(page), results: page.rows.map(record) })
  },
  'brands.create': ({ body: { id, name, settings, snippets, default: makeDefault = false } }, ctx) => {
    const { caller, now } = ctx
    if (settings) checkBrandSettings(settings)
    const brand = bounded({ id: id ?? recordId(), name, settings: settings ?? {}, snippets: snippets ?? {} })
    const reply = success('brands.create', record({ ...brand, created: now, updated: now, isDefault: makeDefault }))
    const save = { workspaceId: caller.workspaceId, ...brand, makeDefault, now }
    return {
      reply,
      writes: insertBrand(save),
      onConflict: otherwise(() => conflict('already_exists', 'Already Exists', 'id')),
      changesConfig,
    }
  },
  'brands.preview': ({ body: { name, settings, snippets, content, data, locale } }) => {
    if (settings) checkBrandSettings(settings)
    const brand = bounded({ id: 'preview', name, settings: settings ?? {}, snippets: snippets ?? {} })
    const template = compile(storedContent(content))
    try {
      const { subject, html, text, findings } = render(template, {
        ...{ channel: 'email', dialect: 'html', brand: readBrand(brand.settings, brand.snippets, { name }) },
        context: { data: data ?? {}, brand: { ...brand.settings, id: brand.id, name } },
        ...(locale && { locale }),
      })
      const warnings = [...textsOf([...template.findings, ...(findings ?? [])]), ...sizeWarnings(html)]
      return success('brands.preview', { subject, html, text, warnings })
    } catch (error) {
      if (error instanceof RenderFailed)
        throw invalidAt('content', error.message, { code: 'invalid_content', cause: error })
      throw error
    }
  },
  'brands.get': async ({ params: { brand_id } }, ctx) =>
    success('brands.get', record(await requireBrand(ctx, brand_id))),
  'brands.replace': async ({ params: { brand_id }, body }, ctx) => {
    const { caller, now } = ctx
    const makeDefault = body.default ?? false
    if (body.settings) checkBrandSettings(body.settings)
    const before = await requireBrand(ctx, brand_id)
    const { id, version, created } = before
    const settings = body.settings ?? before.settings
    const brand = bounded({ id, name: body.name, settings, snippets: body.snippets ?? before.snippets })
    const isDefault = makeDefault || before.isDefault
    return {
      reply: success('brands.replace', record({ ...brand, created, updated: now, isDefault })),
      writes: saveBrand(version, { workspaceId: caller.workspaceId, ...brand, makeDefault, now }),
      onConflict: otherwise(() => retry('The brand is being changed by others')),
      changesConfig,
    }
  },
  'brands.delete': ({ params: { brand_id } }, ctx) => ({
    reply: success('brands.delete', undefined),
    writes: deleteBrand(ctx.caller.workspaceId, brand_id, ctx.now),
    onConflict: otherwise(async () => {
      await requireBrand(ctx, brand_id)
      return conflict('in_use', 'Cannot delete default brand')
    }),
    changesConfig,
  }),
} satisfies ResourceHandlers<'brands'>

async function requireBrand({ app, caller }: CallContext, id: string): Promise<BrandRow> {
  const row = await findBrand(app.database, caller.workspaceId, id)
  if (!row) throw notFound()
  return row
}

function bounded(brand: Pick<BrandSave, 'id' | 'name'> & { settings: object; snippets: object }) {
  const { settings, snippets } = brand
  if (jsonBytes({ settings, snippets }) > brandBytesMax)
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
