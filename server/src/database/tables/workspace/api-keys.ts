/** API keys: only their hash is stored. */
import type { KeyKind, KeyRole } from '@postrider/contract'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type RowOf, rows, statement } from '../../query.ts'

export type KeyRow = Omit<RowOf<typeof live>, 'kind' | 'role'> & { kind: KeyKind; role: KeyRole }

/** Revoked ones are gone. */
const live = () =>
  query
    .selectFrom('keys')
    .select(['id', 'workspace_id as workspaceId', 'kind', 'role', 'name', 'created'])
    .where('revoked', 'is', null)

const asKey = (row: RowOf<typeof live>): KeyRow => ({
  ...row,
  kind: row.kind as KeyKind,
  role: row.role as KeyRole,
})

export async function findKey(engine: Engine, hash: string): Promise<KeyRow | undefined> {
  const row = await firstRow(engine, live().where('hash', '=', hash))
  return row && asKey(row)
}

/** When the key of this hash was revoked; undefined for one that was not, and for none. */
export async function revokedAt(engine: Reader, hash: string): Promise<number | undefined> {
  const selection = query.selectFrom('keys').select('revoked').where('hash', '=', hash)
  return (await firstRow(engine, selection))?.revoked ?? undefined
}

/** Undefined when it was revoked. */
export async function findKeyById(engine: Reader, workspaceId: number, id: string): Promise<KeyRow | undefined> {
  const row = await firstRow(engine, live().where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && asKey(row)
}

/**
 * The key that a link of the operator signs in with: the one of this hash, else the oldest one that may do everything, of
 * production where there is one.
 */
export async function findOperatorKey(engine: Reader, hash = ''): Promise<KeyRow | undefined> {
  const selection = live()
    .where('kind', '=', 'published')
    .where('role', '=', 'full')
    .orderBy((order) => order('hash', '=', hash), 'desc')
    .orderBy('workspace_id')
    .orderBy('created')
    .orderBy('id')
    .limit(1)
  const row = await firstRow(engine, selection)
  return row && asKey(row)
}

export async function listKeys(engine: Reader, workspaceId: number, limit: number): Promise<KeyRow[]> {
  const selection = live().where('workspace_id', '=', workspaceId).orderBy('created').orderBy('id').limit(limit)
  return (await rows(engine, selection)).map(asKey)
}

export interface NewKey extends KeyRow {
  hash: string
  hint: string
}

/** For a batch; an existing key is not changed. */
export function keyInsert({ workspaceId, ...rest }: NewKey): Statement {
  return statement(
    query
      .insertInto('keys')
      .values({ ...rest, workspace_id: workspaceId })
      .onConflict((conflict) => conflict.column('hash').doNothing()),
  )
}

/** False when the key exists. */
export async function insertKey(engine: Engine, key: NewKey): Promise<boolean> {
  return (await engine.run(keyInsert(key))).affected > 0
}

/** The second must affect a row: it spares the last published key, which others are made with. */
export function revokeKey(workspaceId: number, id: string, now: number): Statement[] {
  const activeKeys = query.selectFrom('keys').where('workspace_id', '=', workspaceId).where('revoked', 'is', null)
  const revoke = query
    .updateTable('keys')
    .set({ revoked: now })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked', 'is', null)
    .where(({ exists }) =>
      exists(activeKeys.select('id').where('id', '<>', id).where('kind', '=', 'published').where('role', '=', 'full')),
    )
  return [
    // Locked, because two keys that revoke each other concurrently would both find the other one active.
    { text: 'select id from keys where workspace_id = $1 and revoked is null for update', values: [workspaceId] },
    expectRows(statement(revoke)),
  ]
}
