/** API keys: only their hash is stored. */
import { type KeyKind, type KeyRole, keyWarningMs } from '@postrider/contract'
import { DAY } from '../../../base/time/duration.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, expectRows, firstRow, query, type RowOf, recordset, rows, statement } from '../../query.ts'

export type KeyRow = Omit<RowOf<typeof unrevoked>, 'kind' | 'role'> & { kind: KeyKind; role: KeyRole }

/** Also expired ones: their callers get another error than those of an unknown key. */
const unrevoked = () =>
  query
    .selectFrom('keys')
    .select(['id', 'workspace_id as workspaceId', 'kind', 'role', 'name', 'created', 'expires'])
    .select(['last_used_day as lastUsedDay', 'last_address as lastAddress'])
    .where('revoked', 'is', null)

const asKey = (row: RowOf<typeof unrevoked>): KeyRow => ({
  ...row,
  kind: row.kind as KeyKind,
  role: row.role as KeyRole,
})

export const isExpired = <Key extends Pick<KeyRow, 'expires'>>(
  key: Key,
  now: number,
): key is Key & { expires: number } => key.expires !== null && key.expires <= now

export async function findKey(engine: Engine, hash: string): Promise<KeyRow | undefined> {
  const row = await firstRow(engine, unrevoked().where('hash', '=', hash))
  return row && asKey(row)
}

/** The end of the key of this hash; undefined for no key. */
export function keyEnd(
  engine: Reader,
  hash: string,
): Promise<{ revoked: number | null; expires: number | null } | undefined> {
  return firstRow(engine, query.selectFrom('keys').select(['revoked', 'expires']).where('hash', '=', hash))
}

/** Undefined when it was revoked. */
export async function findKeyById(engine: Reader, workspaceId: number, id: string): Promise<KeyRow | undefined> {
  const row = await firstRow(engine, unrevoked().where('workspace_id', '=', workspaceId).where('id', '=', id))
  return row && asKey(row)
}

/**
 * The key that a link of the operator signs in with: the one of this hash, else the oldest one that may do everything, of
 * production where there is one.
 */
export async function findOperatorKey(engine: Reader, now: number, hash = ''): Promise<KeyRow | undefined> {
  const selection = unrevoked()
    .where('kind', '=', 'published')
    .where('role', '=', 'full')
    .where((is) => is.or([is('expires', 'is', null), is('expires', '>', now)]))
    .orderBy((order) => order('hash', '=', hash), 'desc')
    .orderBy('workspace_id')
    .orderBy('created')
    .orderBy('id')
    .limit(1)
  const row = await firstRow(engine, selection)
  return row && asKey(row)
}

export async function listKeys(engine: Reader, workspaceId: number, limit: number): Promise<KeyRow[]> {
  const selection = unrevoked().where('workspace_id', '=', workspaceId).orderBy('created').orderBy('id').limit(limit)
  return (await rows(engine, selection)).map(asKey)
}

export interface NewKey extends Omit<KeyRow, 'lastUsedDay' | 'lastAddress'> {
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

/** The last must affect a row: it spares the last key that others are made with. */
export const revokeKey = (workspaceId: number, id: string, now: number): Statement[] => [
  lockKeys(workspaceId),
  expectRows(statement(sparing(workspaceId, id, now).set({ revoked: now, last_address: null }))),
]

/** The last must affect a row: it spares the last key that others are made with. Null: the key does not expire. */
export const expiryUpdate = (workspaceId: number, id: string, expires: number | null): Statement[] => [
  lockKeys(workspaceId),
  expectRows(statement(sparing(workspaceId, id, expires).set({ expires }))),
]

/** All that have expired, as if they had been revoked. */
export const revokeExpired = (workspaceId: number, now: number): Statement =>
  statement(
    query
      .updateTable('keys')
      .set({ revoked: now, last_address: null })
      .where('workspace_id', '=', workspaceId)
      .where('revoked', 'is', null)
      .where('expires', '<=', now),
  )

/** Locked, because two keys that revoke each other concurrently would both find the other one active. */
const lockKeys = (workspaceId: number): Statement => ({
  text: 'select id from keys where workspace_id = $1 and revoked is null order by id for update',
  values: [workspaceId],
})

/**
 * The key, unless its end would leave none to make others with: a key with full access ends before its time only where
 * another one outlasts it by as long as operators are warned.
 */
function sparing(workspaceId: number, id: string, end: number | null) {
  const key = query
    .updateTable('keys')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('revoked', 'is', null)
  if (end === null) return key
  const others = query
    .selectFrom('keys')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '<>', id)
    .where('revoked', 'is', null)
    .where('kind', '=', 'published')
    .where('role', '=', 'full')
    .where((is) => is.or([is('expires', 'is', null), is('expires', '>=', end + keyWarningMs)]))
  return key.where((is) =>
    is.or([is('kind', '<>', 'published'), is('role', '<>', 'full'), is('expires', '<=', end), is.exists(others)]),
  )
}

/** Those that expire from one time to another, the first to expire first. */
export async function listExpiringKeys(
  engine: Reader,
  workspaceId: number,
  { from, to, limit }: { from: number; to: number; limit: number },
): Promise<KeyRow[]> {
  const selection = unrevoked()
    .where('workspace_id', '=', workspaceId)
    .where('expires', '>', from)
    .where('expires', '<=', to)
    .orderBy('expires')
    .orderBy('id')
    .limit(limit)
  return (await rows(engine, selection)).map(asKey)
}

export interface ApiKeyUse {
  id: string
  /** Days since 1970, in UTC. */
  day: number
  /** Null for a token: it is a browser or an app of a recipient that calls with it. */
  address: string | null
}

/**
 * The later day wins over that of other nodes, and within a day the last one that knows an address. Locked in the order of ids,
 * as for a revocation, so that neither waits for the other.
 */
export const keyUsesUpdate = (uses: readonly ApiKeyUse[]): Statement => ({
  text: `with used as (select * from ${recordset('$1', 'r', { id: 'text', day: 'integer', address: 'text' })}),
    locked as (select keys.id from keys where revoked is null and id in (select id from used) order by id for update)
    update keys set last_used_day = used.day, last_address = used.address
    from used join locked using (id)
    where keys.id = used.id
      and (keys.last_used_day is null or keys.last_used_day < used.day
        or keys.last_used_day = used.day and used.address is not null
          and used.address is distinct from keys.last_address)`,
  values: [JSON.stringify(uses)],
})

export const dayOf = (time: number): number => Math.floor(time / DAY)

/** Clears a bounded slice of the addresses of last uses before a time; returns their number. */
export function clearKeyAddresses(engine: Engine, before: number, limit: number): Promise<number> {
  const old = query
    .selectFrom('keys')
    .select('id')
    .where('last_address', 'is not', null)
    .where('last_used_day', '<', dayOf(before))
    .limit(limit)
  return countAffected(engine, query.updateTable('keys').set({ last_address: null }).where('id', 'in', old))
}
