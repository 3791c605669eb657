/** Audit events: one row for each administrative change, newest first by id, whose order is that of time. */
import { timedIdFloor } from '../../../base/ids.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, firstRow, query, type Row, rows, statement } from '../../query.ts'

const COLUMNS = ['id', 'type', 'actor', 'target', 'source', 'at'] as const

export type AuditEventRow = Row<'audit_events', (typeof COLUMNS)[number]>

const own = (workspaceId: number) =>
  query.selectFrom('audit_events').select(COLUMNS).where('workspace_id', '=', workspaceId)

/** For the batch that makes the change. */
export function auditInsert(workspaceId: number, row: AuditEventRow): Statement {
  return statement(query.insertInto('audit_events').values({ ...row, workspace_id: workspaceId }))
}

export function findAuditEvent(engine: Reader, workspaceId: number, id: string): Promise<AuditEventRow | undefined> {
  return firstRow(engine, own(workspaceId).where('id', '=', id))
}

export async function listAuditEvents(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<AuditEventRow>> {
  let found = own(workspaceId)
  if (cursor !== undefined) found = found.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, found.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Deletes a bounded slice of older rows; returns their number. */
export function dropAuditEvents(engine: Engine, before: number, limit: number): Promise<number> {
  const old = query.selectFrom('audit_events').select('id').where('id', '<', timedIdFloor(before))
  return countAffected(engine, query.deleteFrom('audit_events').where('id', 'in', old.orderBy('id').limit(limit)))
}
