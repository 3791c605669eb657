/** Brands: immutable versions, the current version of each brand, and the default brand. */
import { sql } from 'kysely'
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import {
  columnList,
  expectRows,
  firstRow,
  query,
  type Row,
  type RowOf,
  recordset,
  rows,
  statement,
  typesAs,
} from '../../query.ts'

/** The default brand of a new installation has it until an operator names the brand. */
export const INITIAL_BRAND_NAME = 'Default'

export type BrandRow = RowOf<typeof live>

/** The input of a write. */
export interface BrandSave {
  workspaceId: number
  id: string
  name: string
  settings: JsonObject
  snippets: JsonObject
  /** Makes the brand the default. */
  makeDefault: boolean
  now: number
}

const defaultOf = (workspaceId: number) =>
  query
    .selectFrom('brands as d')
    .select('d.id')
    .where('d.workspace_id', '=', workspaceId)
    .where('d.deleted', 'is', null)
    .where('d.default_since', 'is not', null)
    .orderBy('d.default_since', 'desc')
    .orderBy('d.id')
    .limit(1)

const live = (workspaceId: number) =>
  query
    .selectFrom('brands as b')
    .innerJoin('brand_versions as v', (join) =>
      join
        .onRef('v.workspace_id', '=', 'b.workspace_id')
        .onRef('v.brand_id', '=', 'b.id')
        .onRef('v.version', '=', 'b.version'),
    )
    .select(['b.id', 'b.version', 'v.name', 'v.settings', 'v.snippets', 'b.created', 'b.updated'])
    .select(sql<boolean>`coalesce(b.id = (${defaultOf(workspaceId)}), false)`.as('isDefault'))
    .where('b.workspace_id', '=', workspaceId)
    .where('b.deleted', 'is', null)

export function findBrand(engine: Reader, workspaceId: number, id: string): Promise<BrandRow | undefined> {
  return firstRow(engine, live(workspaceId).where('b.id', '=', id))
}

/** The first of these brands that exists, else the default. */
export async function findBrandInForce(
  engine: Reader,
  workspaceId: number,
  ids: readonly (string | null | undefined)[],
): Promise<BrandRow | undefined> {
  for (const id of ids) {
    const brand = id ? await findBrand(engine, workspaceId, id) : undefined
    if (brand) return brand
  }
  return firstRow(engine, live(workspaceId).where('b.id', '=', defaultOf(workspaceId)))
}

/** Newest first. */
export async function listBrands(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<BrandRow>> {
  let selection = live(workspaceId)
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor, ['number', 'string'])
    selection = selection.where(sql<boolean>`(b.created, b.id) < (${created}, ${id})`)
  }
  const newest = selection
    .orderBy('b.created', 'desc')
    .orderBy('b.id', 'desc')
    .limit(limit + 1)
  return pageOf(await rows(engine, newest), limit, ({ created, id }) => [created, id])
}

/** Later than that of every other default, independent of the clocks of nodes. */
const defaultSince = `case when $3::boolean then greatest($4::bigint, 1 + coalesce(
          (select max(default_since) from brands where workspace_id = $1::smallint), 0)) end`

const valuesOf = ({ workspaceId, id, name, settings, snippets, makeDefault, now }: BrandSave) => [
  workspaceId,
  id,
  makeDefault,
  now,
  name,
  JSON.stringify(settings),
  JSON.stringify(snippets),
]

/** Affects no row when the id exists. The id of a deleted brand can be reused; its version numbers continue. */
export function brandInsert(save: BrandSave): Statement {
  return {
    text: `with made as (
        insert into brands (workspace_id, id, version, default_since, created, updated)
        values ($1::smallint, $2::text, 1, ${defaultSince}, $4::bigint, $4::bigint)
        on conflict (workspace_id, id) do update
          set version = brands.version + 1, default_since = excluded.default_since,
            created = excluded.created, updated = excluded.updated, deleted = null
          where brands.deleted is not null
        returning version)
      insert into brand_versions (workspace_id, brand_id, version, name, settings, snippets, created)
      select $1::smallint, $2::text, version, $5::text, $6::jsonb, $7::jsonb, $4::bigint from made`,
    values: valuesOf(save),
  }
}

/** Must affect a row; affects none when the id is taken. */
export function insertBrand(save: BrandSave): Statement[] {
  return [expectRows(brandInsert(save))]
}

/** Writes what was made of `version`; affects none when another write came first. */
export function saveBrand(version: number, save: BrandSave): Statement[] {
  const write: Statement = {
    text: `with saved as (
        update brands set version = version + 1, updated = $4::bigint,
          default_since = coalesce(${defaultSince}, default_since)
        where workspace_id = $1::smallint and id = $2::text and version = $8::integer and deleted is null
        returning version)
      insert into brand_versions (workspace_id, brand_id, version, name, settings, snippets, created)
      select $1::smallint, $2::text, version, $5::text, $6::jsonb, $7::jsonb, $4::bigint from saved`,
    values: [...valuesOf(save), version],
  }
  return [expectRows(write)]
}

/** Must affect a row; affects none when it is the default, or there is none. */
export function deleteBrand(workspaceId: number, id: string, now: number): Statement[] {
  const removal = query
    .updateTable('brands')
    .set({ deleted: now, updated: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('deleted', 'is', null)
    .where(sql<boolean>`id is distinct from (${defaultOf(workspaceId)})`)
  return [expectRows(statement(removal))]
}

export interface BrandInForce {
  workspace_id: number
  /** Null: the default was requested. */
  requested: string | null
  id: string
  version: number
}

/** The current version of each requested brand, if it exists. An id of null requests the default. */
export async function brandsInForce(
  engine: Engine,
  requests: readonly { workspaceId: number; id: string | null }[],
): Promise<BrandInForce[]> {
  const { rows } = await engine.run<BrandInForce>({
    text: `with requested as (select * from ${recordset('$1', 'r', typesAs('brands', { w: 'workspace_id', id: 'id' }))})
      select a.w as workspace_id, a.id as requested, b.id, b.version
      from requested a join brands b on b.workspace_id = a.w and b.id = a.id and b.deleted is null
      union all
      select a.w, null, d.id, d.version
      from requested a cross join lateral (
        select b.id, b.version from brands b
        where b.workspace_id = a.w and b.deleted is null and b.default_since is not null
        order by b.default_since desc, b.id limit 1) d
      where a.id is null`,
    values: [JSON.stringify(requests.map(({ workspaceId, id }) => ({ w: workspaceId, id })))],
    name: 'brands-in-force',
  })
  return rows
}

const VERSION = ['workspace_id', 'version', 'name', 'settings', 'snippets', 'created'] as const

export interface BrandVersionRow extends Row<'brand_versions', (typeof VERSION)[number]> {
  id: string
}

export async function brandVersions(
  engine: Engine,
  requests: readonly { workspaceId: number; id: string; version: number }[],
): Promise<BrandVersionRow[]> {
  const { rows } = await engine.run<BrandVersionRow>({
    text: `select v.brand_id as id, ${columnList(VERSION, 'v')}
      from ${recordset('$1', 'r', typesAs('brand_versions', { w: 'workspace_id', id: 'brand_id', version: 'version' }))}
      join brand_versions v on v.workspace_id = r.w and v.brand_id = r.id and v.version = r.version`,
    values: [JSON.stringify(requests.map(({ workspaceId, id, version }) => ({ w: workspaceId, id, version })))],
    name: 'brand-versions',
  })
  return rows
}
