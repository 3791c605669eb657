/** Dead letters, which `defineQueue` writes: listed newest first, found, dismissed, dropped after their retention. */
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type Row, rows, statement } from '../../query.ts'

const COLUMNS = [
  ...(['id', 'kind', 'subject_id', 'message_id', 'error', 'attempts', 'node', 'created', 'released'] as const),
  'dismissed' as const,
]

export type DeadLetterRow = Row<'dead_letters', (typeof COLUMNS)[number]>

export type DeadLetterState = 'open' | 'released' | 'dismissed'

/** A release counts more than a dismissal before it. */
export const deadLetterState = ({
  released,
  dismissed,
}: Pick<DeadLetterRow, 'released' | 'dismissed'>): DeadLetterState =>
  released !== null ? 'released' : dismissed !== null ? 'dismissed' : 'open'

export interface DeadLetterFilter {
  kind?: string | undefined
  state?: DeadLetterState | undefined
  cursor?: string | undefined
}

const lettersOf = (workspaceId: number) =>
  query.selectFrom('dead_letters').select(COLUMNS).where('workspace_id', '=', workspaceId)

export function findDeadLetter(engine: Reader, workspaceId: number, id: string): Promise<DeadLetterRow | undefined> {
  return firstRow(engine, lettersOf(workspaceId).where('id', '=', id))
}

export async function listDeadLetters(
  engine: Reader,
  workspaceId: number,
  { kind, state, cursor }: DeadLetterFilter,
  limit: number,
): Promise<Page<DeadLetterRow>> {
  let selection = lettersOf(workspaceId)
  if (kind !== undefined) selection = selection.where('kind', '=', kind)
  if (state !== undefined) selection = selection.where('released', state === 'released' ? 'is not' : 'is', null)
  if (state === 'open' || state === 'dismissed')
    selection = selection.where('dismissed', state === 'open' ? 'is' : 'is not', null)
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Must affect a row: none when it was released or dismissed. */
export const dismissDeadLetter = (workspaceId: number, id: string, now: number): Statement =>
  expectRows(
    statement(
      query
        .updateTable('dead_letters')
        .set({ dismissed: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .where('released', 'is', null)
        .where('dismissed', 'is', null),
    ),
  )

/** Deletes a bounded slice, and the digests and receipts that waited for their release; returns the number of dead letters. */
export async function dropDeadLetters(engine: Engine, before: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `with old as materialized (
        select id, kind, subject_id, released from dead_letters where created < $1 order by created limit $2),
      digests_gone as (
        delete from digests d using old
        where old.kind = 'digest' and old.released is null and d.id = old.subject_id and d.due_at is null),
      receipts_gone as (
        delete from receipts r using old
        where old.kind = 'receipt' and old.released is null and r.id = old.subject_id and r.due_at is null)
      delete from dead_letters where id in (select id from old)`,
    values: [before, limit],
  })
  return affected
}
