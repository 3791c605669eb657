/** Translation catalogs, one for each domain and locale, and their immutable versions. */
import { sql } from 'kysely'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { columnList, expectRows, firstRow, query, type Row, recordset, rows, statement, typesOf } from '../../query.ts'

export interface TranslationPlace {
  workspaceId: number
  domain: string
  locale: string
}

export async function findTranslation(engine: Reader, place: TranslationPlace): Promise<string | undefined> {
  const row = await firstRow(
    engine,
    query
      .selectFrom('translations')
      .select('content')
      .where('workspace_id', '=', place.workspaceId)
      .where('domain', '=', place.domain)
      .where('locale', '=', place.locale),
  )
  return row?.content
}

/** Creates or replaces the catalog. */
export function putTranslation(
  { workspaceId, domain, locale }: TranslationPlace,
  content: string,
  now: number,
): Statement[] {
  const change = { content, updated: now }
  const insert = query.insertInto('translations').values({ workspace_id: workspaceId, domain, locale, ...change })
  return [
    statement(
      insert.onConflict((conflict) => conflict.columns(['workspace_id', 'domain', 'locale']).doUpdateSet(change)),
    ),
  ]
}

export interface TranslationSummary {
  domain: string
  locale: string
  characters: number
  updated: number
}

/** By locale: a workspace has at most as many as there are locales. */
export function listTranslations(engine: Reader, workspaceId: number): Promise<TranslationSummary[]> {
  return rows(
    engine,
    query
      .selectFrom('translations')
      .select(['domain', 'locale', 'updated', sql<number>`length(content)`.as('characters')])
      .where('workspace_id', '=', workspaceId)
      .orderBy('domain')
      .orderBy('locale'),
  )
}

/** Must affect a row; affects none when there is no such catalog. */
export function deleteTranslation({ workspaceId, domain, locale }: TranslationPlace): Statement[] {
  const removal = query
    .deleteFrom('translations')
    .where('workspace_id', '=', workspaceId)
    .where('domain', '=', domain)
    .where('locale', '=', locale)
  return [expectRows(statement(removal))]
}

/** Removes versions that were replaced before this time. The last one stays: numbers go on after it. */
export async function dropTranslationVersions(engine: Engine, before: number, limit: number): Promise<number> {
  const key = ['workspace_id', 'domain', 'locale', 'version'] as const
  const { affected } = await engine.run({
    text: `delete from translation_versions where (${columnList(key)}) in (
      select ${columnList(key, 'v')} from translation_versions v where exists (
        select from translation_versions newer
        where newer.workspace_id = v.workspace_id and newer.domain = v.domain and newer.locale = v.locale
          and newer.version > v.version and newer.created < $1)
      limit $2)`,
    values: [before, limit],
  })
  return affected
}

const VERSION = ['workspace_id', 'locale', 'version'] as const

export type TranslationInForce = Row<'translation_versions', (typeof VERSION)[number]>

/** The current version of each locale, of all these workspaces. */
export async function translationsInForce(
  engine: Reader,
  workspaceIds: readonly number[],
): Promise<TranslationInForce[]> {
  const { rows } = await engine.run<TranslationInForce>({
    text: `select ${columnList(VERSION)} from translations
      where workspace_id = any ($1::smallint[]) and domain = 'default' order by workspace_id, locale`,
    values: [workspaceIds],
    name: 'translations-in-force',
  })
  return rows
}

export interface TranslationVersionRow extends TranslationInForce {
  content: string
}

export async function translationVersions(
  engine: Reader,
  requests: readonly { workspaceId: number; locale: string; version: number }[],
): Promise<TranslationVersionRow[]> {
  const records = requests.map(({ workspaceId, ...version }) => ({ workspace_id: workspaceId, ...version }))
  const { rows } = await engine.run<TranslationVersionRow>({
    text: `select ${columnList(VERSION, 'v')}, v.content
      from ${recordset('$1', 'r', typesOf('translation_versions', VERSION))}
      join translation_versions v on v.workspace_id = r.workspace_id and v.domain = 'default'
        and v.locale = r.locale and v.version = r.version`,
    values: [JSON.stringify(records)],
    name: 'translation-versions',
  })
  return rows
}
