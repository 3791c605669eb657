/** Integrations: a provider with settings to show and secrets to encrypt. */
import { sql } from 'kysely'
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import { type Commit, DatabaseRefused, type Engine, type Statement, UNIQUE_VIOLATION } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement, tryCommit } from '../../query.ts'

export interface IntegrationRow {
  id: string
  provider: string
  /** Null: every channel of the provider. */
  channel: string | null
  title: string
  alias: string | null
  enabled: boolean
  priority: number
  settings: JsonObject
  /** Encrypted. */
  secrets: string | null
  version: number
  created: number
  updated: number
}

const own = (workspaceId: number) =>
  query
    .selectFrom('integrations')
    .select(['id', 'provider', 'channel', 'title', 'alias', 'enabled', 'priority', 'settings', 'secrets', 'version'])
    .select(['created', 'updated'])
    .where('workspace_id', '=', workspaceId)

/** By id, else by alias. */
export function findIntegration(
  engine: Engine,
  workspaceId: number,
  name: string,
): Promise<IntegrationRow | undefined> {
  const found = own(workspaceId).where((e) => e.or([e('id', '=', name), e('alias', '=', name)]))
  return firstRow(engine, found.orderBy(sql`id = ${name}`, 'desc').limit(1))
}

/** Oldest first. */
export async function listIntegrations(
  engine: Engine,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<IntegrationRow>> {
  let found = own(workspaceId)
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor, ['number', 'string'])
    found = found.where(sql<boolean>`(created, id) > (${created}, ${id})`)
  }
  const oldest = found
    .orderBy('created')
    .orderBy('id')
    .limit(limit + 1)
  return pageOf(await rows(engine, oldest), limit, ({ created, id }) => [created, id])
}

export type IntegrationWriteOutcome = 'stored' | 'alias_taken' | 'conflict'

/** `integrated`: the channels it takes from the sandbox. */
export function insertIntegration(
  commit: Commit,
  workspaceId: number,
  row: IntegrationRow,
  integrated: readonly string[],
): Promise<IntegrationWriteOutcome> {
  const insert = query
    .insertInto('integrations')
    .values({ ...row, settings: JSON.stringify(row.settings), workspace_id: workspaceId })
  return written(commit, insert, integratedNow(workspaceId, integrated))
}

/** Writes what was made of the row's version. */
export function updateIntegration(
  commit: Commit,
  workspaceId: number,
  { id, version, created: _created, ...row }: IntegrationRow,
  integrated: readonly string[],
): Promise<IntegrationWriteOutcome> {
  const update = query
    .updateTable('integrations')
    .set({ ...row, settings: JSON.stringify(row.settings), version: version + 1 })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('version', '=', version)
  return written(commit, update, integratedNow(workspaceId, integrated))
}

/** Remembered for good: a deleted integration must not hand its channels back to the mailbox. */
function integratedNow(workspaceId: number, channels: readonly string[]): Statement[] {
  if (channels.length === 0) return []
  const text = `update workspaces set integrated_channels =
      (select array_agg(distinct channel order by channel) from unnest(integrated_channels || $2::text[]) channel)
    where id = $1 and not integrated_channels @> $2::text[]`
  return [{ text, values: [workspaceId, [...channels]] }]
}

async function written(
  commit: Commit,
  write: Parameters<typeof statement>[0],
  further: readonly Statement[],
): Promise<IntegrationWriteOutcome> {
  try {
    return (await tryCommit(commit, [expectRows(statement(write)), ...further])) ? 'stored' : 'conflict'
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNIQUE_VIOLATION) return 'alias_taken'
    throw error
  }
}

/** False when there was none. */
export function deleteIntegration(commit: Commit, workspaceId: number, id: string): Promise<boolean> {
  const own = query.deleteFrom('integrations').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return tryCommit(commit, [expectRows(statement(own))])
}
