/** Audit events: one row for each administrative change, newest first by id, whose order is that of time. */
import { timedIdFloor } from '../../../base/ids.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, firstRow, query, type Row, rows, statement } from '../../query.ts'

const CHANGE = ['id', 'type', 'actor', 'target', 'source', 'at'] as const
const COLUMNS = [...CHANGE, 'key_id', 'session_id', 'role', 'address'] as const

export type AuditEventRow = Row<'audit_events', (typeof COLUMNS)[number]>

/** All must match. */
export interface AuditEventFilter {
  actor?: string | undefined
  keyId?: string | undefined
  /** Any of these. */
  types?: readonly string[] | undefined
  /** The part of the type before its colon. */
  targetKind?: string | undefined
  target?: string | undefined
  source?: string | undefined
  /** Milliseconds since the epoch, inclusive. */
  from?: number | undefined
  /** Exclusive. */
  to?: number | undefined
}

const auditEventsOf = (workspaceId: number) =>
  query.selectFrom('audit_events').select(COLUMNS).where('workspace_id', '=', workspaceId)

/** For the batch that makes the change. */
export function auditInsert(workspaceId: number, row: AuditEventRow): Statement {
  return statement(query.insertInto('audit_events').values({ ...row, workspace_id: workspaceId }))
}

export function findAuditEvent(engine: Reader, workspaceId: number, id: string): Promise<AuditEventRow | undefined> {
  return firstRow(engine, auditEventsOf(workspaceId).where('id', '=', id))
}

export async function listAuditEvents(
  engine: Reader,
  workspaceId: number,
  { cursor, limit, ...filter }: AuditEventFilter & { cursor: string | undefined; limit: number },
): Promise<Page<AuditEventRow>> {
  let selection = auditEventsOf(workspaceId)
  const { actor, keyId, types, targetKind, target, source, from, to } = filter
  for (const [column, value] of Object.entries({ actor, key_id: keyId, target, source }))
    if (value !== undefined) selection = selection.where(column as 'actor', '=', value)
  if (types?.length) selection = selection.where('type', 'in', [...types])
  if (targetKind !== undefined)
    selection = selection.where((e) => e.fn('starts_with', ['type', e.val(`${targetKind}:`)]))
  if (from !== undefined) selection = selection.where('id', '>=', timedIdFloor(from))
  if (to !== undefined) selection = selection.where('id', '<', timedIdFloor(to))
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Deletes a bounded slice of older rows; returns their number. */
export function dropAuditEvents(engine: Engine, before: number, limit: number): Promise<number> {
  const old = query.selectFrom('audit_events').select('id').where('id', '<', timedIdFloor(before))
  return countAffected(engine, query.deleteFrom('audit_events').where('id', 'in', old.orderBy('id').limit(limit)))
}
