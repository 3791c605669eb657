/** Catalogues of translated words, one for each domain and locale. */
import type { Engine } from '../../engine.ts'
import { countAffected, firstRow, query } from '../../query.ts'

export interface TranslationPlace {
  workspaceId: number
  domain: string
  locale: string
}

export async function findTranslation(engine: Engine, place: TranslationPlace): Promise<string | undefined> {
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

/** Whatever was there before. */
export async function putTranslation(
  engine: Engine,
  { workspaceId, domain, locale }: TranslationPlace,
  content: string,
  now: number,
): Promise<void> {
  const change = { content, updated: now }
  const insert = query.insertInto('translations').values({ workspace_id: workspaceId, domain, locale, ...change })
  await countAffected(
    engine,
    insert.onConflict((conflict) => conflict.columns(['workspace_id', 'domain', 'locale']).doUpdateSet(change)),
  )
}
