/** Translation catalogs, one for each domain and locale, and their immutable versions. */
import { sql } from 'kysely'
import type { Reader, Statement } from '../../engine.ts'
import { columnList, expectRows, firstRow, query, type Row, recordset, rows, statement, typesOf } from '../../query.ts'

export interface TranslationPlace {
  workspaceId: number
  domain: string
  locale: string
}

export async function findTranslation(engine: Reader, place: TranslationPlace): Promise<string | undefined> {
  const found = await firstRow(
    engine,
    query
      .selectFrom('translations')
      .select('content')
      .where('workspace_id', '=', place.workspaceId)
      .where('domain', '=', place.domain)
      .where('locale', '=', place.locale),
  )
  return found?.content
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
  const records = requests.map(({ workspaceId, ...one }) => ({ workspace_id: workspaceId, ...one }))
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
