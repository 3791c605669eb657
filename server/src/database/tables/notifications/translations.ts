/** Translation catalogs, one for each domain and locale. */
import type { Reader, Statement } from '../../engine.ts'
import { firstRow, query, statement } from '../../query.ts'

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
