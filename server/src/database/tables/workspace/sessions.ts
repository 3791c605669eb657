/** Sessions of API keys: only the hash of their token is stored. A session ends with its key. */
import { type KeyKind, type KeyRole, sessionIdleMs, sessionLifetimeMs, sessionsMax } from '@postrider/contract'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, expectRows, firstRow, query, type RowOf, rows, statement } from '../../query.ts'

export type SessionRow = Omit<RowOf<typeof live>, 'kind' | 'role'> & { kind: KeyKind; role: KeyRole }

/** Those that have ended are absent, and those of revoked and expired keys. */
const live = (now: number) =>
  query
    .selectFrom('sessions')
    .innerJoin('keys', 'keys.id', 'sessions.key_id')
    .select([
      'sessions.id as id',
      'sessions.workspace_id as keyWorkspaceId',
      'sessions.acts_in as workspaceId',
      'sessions.created as created',
      'sessions.last_seen as lastSeen',
      'keys.id as keyId',
      'keys.name as name',
      'keys.kind as kind',
      'keys.role as role',
      'keys.expires as keyExpires',
    ])
    .where('keys.revoked', 'is', null)
    .where((is) => is.or([is('keys.expires', 'is', null), is('keys.expires', '>', now)]))
    .where('sessions.created', '>', now - sessionLifetimeMs)
    .where('sessions.last_seen', '>', now - sessionIdleMs)

const asSession = (row: RowOf<typeof live>): SessionRow => ({
  ...row,
  kind: row.kind as KeyKind,
  role: row.role as KeyRole,
})

export async function findSession(engine: Reader, hash: string, now: number): Promise<SessionRow | undefined> {
  const row = await firstRow(engine, live(now).where('sessions.hash', '=', hash))
  return row && asSession(row)
}

/** The session used last first. */
export async function listSessions(
  engine: Reader,
  workspaceId: number,
  now: number,
  limit: number,
): Promise<SessionRow[]> {
  const selection = live(now)
    .where('sessions.workspace_id', '=', workspaceId)
    .orderBy('sessions.last_seen', 'desc')
    .orderBy('sessions.id', 'desc')
    .limit(limit)
  return (await rows(engine, selection)).map(asSession)
}

export interface NewSession {
  id: string
  keyId: string
  workspaceId: number
  hash: string
  now: number
}

/** The first must affect a row: a key that was revoked or has expired meanwhile starts no session. */
export function sessionInsert({ id, keyId, workspaceId, hash, now }: NewSession): Statement[] {
  const row = { id, workspace_id: workspaceId, key_id: keyId, acts_in: workspaceId, hash, created: now, last_seen: now }
  const latest = query
    .selectFrom('sessions')
    .select('id')
    .where('key_id', '=', keyId)
    .orderBy('last_seen', 'desc')
    .orderBy('id', 'desc')
    .limit(sessionsMax - 1)
  return [
    // Locked, so that sessions that are started at once count each other.
    expectRows({
      text: 'select id from keys where id = $1 and revoked is null and (expires is null or expires > $2) for update',
      values: [keyId, now],
    }),
    statement(query.deleteFrom('sessions').where('key_id', '=', keyId).where('id', 'not in', latest)),
    statement(query.insertInto('sessions').values(row)),
  ]
}

export const seenUpdate = (id: string, now: number): Statement =>
  statement(query.updateTable('sessions').set({ last_seen: now }).where('id', '=', id).where('last_seen', '<', now))

/** Must affect a row: the session may have ended. */
export const environmentUpdate = (id: string, workspaceId: number): Statement =>
  expectRows(statement(query.updateTable('sessions').set({ acts_in: workspaceId }).where('id', '=', id)))

export const sessionDelete = (id: string): Statement => statement(query.deleteFrom('sessions').where('id', '=', id))

/** Must affect a row. */
export const sessionRevoke = (workspaceId: number, id: string): Statement =>
  expectRows(statement(query.deleteFrom('sessions').where('workspace_id', '=', workspaceId).where('id', '=', id)))

export const sessionsOfKeyDelete = (workspaceId: number, keyId: string): Statement =>
  statement(query.deleteFrom('sessions').where('workspace_id', '=', workspaceId).where('key_id', '=', keyId))

/** Deletes a bounded slice of those that have ended; returns their number. One that is too old is not used any more. */
export function dropSessions(engine: Engine, now: number, limit: number): Promise<number> {
  const ended = query
    .selectFrom('sessions')
    .select('id')
    .where('last_seen', '<=', now - sessionIdleMs)
    .orderBy('last_seen')
    .limit(limit)
  return countAffected(engine, query.deleteFrom('sessions').where('id', 'in', ended))
}
