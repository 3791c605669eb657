/** Ids that notifications and tenants refer to. */
import { sql } from 'kysely'
import type { Reader } from '../../engine.ts'
import { query, rows } from '../../query.ts'

const fields = (ids: readonly string[]) =>
  ['id' as const, sql<boolean>`id = any(${[...ids]}::text[])`.as('is_named')] as const

const live = {
  brand: (workspaceId: number, ids: readonly string[]) =>
    query.selectFrom('brands').select(fields(ids)).where('workspace_id', '=', workspaceId).where('deleted', 'is', null),
  topic: (workspaceId: number, ids: readonly string[]) =>
    query
      .selectFrom('preference_topics')
      .select(fields(ids))
      .where('workspace_id', '=', workspaceId)
      .where('archived', 'is', null),
  'routing strategy': (workspaceId: number, ids: readonly string[]) =>
    query
      .selectFrom('routing_strategies')
      .select(fields(ids))
      .where('workspace_id', '=', workspaceId)
      .where('archived', 'is', null),
}

export type ReferenceKind = keyof typeof live

interface Named {
  workspaceId: number
  kind: ReferenceKind
  ids: readonly string[]
  limit: number
}

/** Those of these ids that exist, and then others: `limit` together. */
export async function referenceIds(engine: Reader, { workspaceId, kind, ids, limit }: Named): Promise<string[]> {
  const candidates = live[kind](workspaceId, ids)
  const selection = query.selectFrom(candidates.as('candidates')).select('id').orderBy('is_named', 'desc').orderBy('id')
  return (await rows(engine, selection.limit(limit))).map(({ id }) => id)
}
