/** Integrations: providers with their settings and secrets, which are encrypted and bound to workspace and row. */
import { sql } from 'kysely'
import { isObject, type JsonObject } from '../../../base/json/json.ts'
import { decrypt, encrypt, type SecretKey } from '../../../base/secret.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import { encryptionContext } from '../../encrypted-tables.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type Row, rows, statement } from '../../query.ts'
import { repairMark } from '../messages/held-messages.ts'

const COLUMNS = [
  ...([
    'id',
    'provider',
    'channel',
    'title',
    'alias',
    'enabled',
    'priority',
    'settings',
    'secrets',
    'version',
  ] as const),
  ...(['created', 'updated', 'weight', 'limit_per_second', 'limit_concurrency', 'limit_per_day', 'tracking'] as const),
]

/** A channel of null is every channel of the provider; secrets are encrypted. */
export type IntegrationRow = Row<'integrations', (typeof COLUMNS)[number]>

const integrationsOf = (workspaceId: number) =>
  query.selectFrom('integrations').select(COLUMNS).where('workspace_id', '=', workspaceId)

/** By id, else by alias. */
export function findIntegration(
  engine: Reader,
  workspaceId: number,
  name: string,
): Promise<IntegrationRow | undefined> {
  const selection = integrationsOf(workspaceId).where((e) => e.or([e('id', '=', name), e('alias', '=', name)]))
  return firstRow(engine, selection.orderBy(sql`id = ${name}`, 'desc').limit(1))
}

/** Oldest first. */
export async function listIntegrations(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<IntegrationRow>> {
  let selection = integrationsOf(workspaceId)
  if (cursor !== undefined) {
    const [created, id] = decodeCursor(cursor, ['number', 'string'])
    selection = selection.where(sql<boolean>`(created, id) > (${created}, ${id})`)
  }
  const oldest = selection
    .orderBy('created')
    .orderBy('id')
    .limit(limit + 1)
  return pageOf(await rows(engine, oldest), limit, ({ created, id }) => [created, id])
}

/** `integrated`: the channels it takes from the sandbox. A unique violation says that the alias is taken. */
export function insertIntegration(
  workspaceId: number,
  row: IntegrationRow,
  integrated: readonly string[],
): Statement[] {
  const insert = query
    .insertInto('integrations')
    .values({ ...row, ...jsonColumns(row), workspace_id: workspaceId, ...repairedAt(row) })
  return [statement(insert), ...integratedNow(workspaceId, integrated)]
}

/** Writes what was made of the row's version; it must affect a row, as long as no other write came first. */
export function updateIntegration(
  workspaceId: number,
  { id, version, created: _created, ...row }: IntegrationRow,
  integrated: readonly string[],
): Statement[] {
  const update = query
    .updateTable('integrations')
    .set({ ...row, ...jsonColumns(row), version: version + 1, ...repairedAt(row) })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('version', '=', version)
  return [expectRows(statement(update)), ...integratedNow(workspaceId, integrated)]
}

const jsonColumns = ({ settings, tracking }: Pick<IntegrationRow, 'settings' | 'tracking'>) => ({
  settings: JSON.stringify(settings),
  tracking: tracking && JSON.stringify(tracking),
})

/** Any change may be the repair that messages wait for. */
const repairedAt = ({ enabled, updated }: Pick<IntegrationRow, 'enabled' | 'updated'>) =>
  enabled ? repairMark(updated) : {}

/** Permanent: deleting an integration must not return its channels to the sandbox. */
function integratedNow(workspaceId: number, channels: readonly string[]): Statement[] {
  if (channels.length === 0) return []
  const text = `update workspaces set integrated_channels =
      (select array_agg(distinct channel order by channel) from unnest(integrated_channels || $2::text[]) channel)
    where id = $1 and not integrated_channels @> $2::text[]`
  return [{ text, values: [workspaceId, [...channels]] }]
}

/** Channels that ever had an integration. */
export async function integratedChannels(engine: Reader, workspaceId: number): Promise<readonly string[]> {
  const selection = query.selectFrom('workspaces').select('integrated_channels').where('id', '=', workspaceId)
  return (await firstRow(engine, selection))?.integrated_channels ?? []
}

/** It must affect a row: there may be none. */
export function deleteIntegration(workspaceId: number, id: string): Statement[] {
  const deletion = query.deleteFrom('integrations').where('workspace_id', '=', workspaceId).where('id', '=', id)
  return [expectRows(statement(deletion))]
}

export interface Owner {
  workspaceId: number
  id: string
}

const contextOf: (owner: Owner) => string = encryptionContext.integration

/** Null without secrets. */
export function sealCredentials(key: SecretKey, owner: Owner, secrets: JsonObject): string | null {
  return Object.keys(secrets).length > 0 ? encrypt(key, JSON.stringify(secrets), contextOf(owner)) : null
}

/** Undefined when they were encrypted with another secret key: they are lost and must be entered again. */
export function openCredentials(key: SecretKey, owner: Owner, sealed: string | null): JsonObject | undefined {
  if (sealed === null) return {}
  try {
    const secrets: unknown = JSON.parse(decrypt(key, sealed, contextOf(owner)))
    return isObject(secrets) ? secrets : undefined
  } catch {
    return undefined
  }
}

/** Over all nodes. */
export const limitsOf = (row: Pick<IntegrationRow, 'limit_per_second' | 'limit_concurrency' | 'limit_per_day'>) => ({
  ...(row.limit_per_second !== null && { perSecond: row.limit_per_second }),
  ...(row.limit_concurrency !== null && { concurrency: row.limit_concurrency }),
  ...(row.limit_per_day !== null && { perDay: row.limit_per_day }),
})
