/** Mails that came to a bounce address and were not understood: the latest of the installation, for a while. */
import { DAY } from '../../../base/time/duration.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { columnList, query, type Row, rows } from '../../query.ts'
import type { ErasureWork, LiveErasure } from '../erasure/erasures.ts'
import { ofErased } from './receipts.ts'

const COLUMNS = ['id', 'workspace_id', 'message_id', 'created', 'mail'] as const

export type UnrecognizedBounce = Row<'unrecognized_bounces', (typeof COLUMNS)[number]>

const KEPT_MAX = 100
const KEPT_MS = 14 * DAY

/** Nothing is written for a message that is not stored, or whose recipient is erased or being erased. */
export const unrecognizedBounceInsert = (bounce: UnrecognizedBounce): Statement => ({
  text: `with message as materialized (
      select m.workspace_id, m.id from messages m
      where m.id = $3 and m.workspace_id = $2::smallint and not ${ofErased('m')} limit 1),
    dropped as (
      delete from unrecognized_bounces where exists (select from message) and id in (
        select id from unrecognized_bounces order by id desc offset ${KEPT_MAX - 1}))
    insert into unrecognized_bounces (${columnList(COLUMNS)})
    select $1, workspace_id, id, $4::bigint, $5 from message`,
  values: COLUMNS.map((column) => bounce[column]),
  name: 'insert-unrecognized-bounce',
})

/** Newest first. */
export async function listUnrecognizedBounces(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<Omit<UnrecognizedBounce, 'workspace_id'>>> {
  let selection = query
    .selectFrom('unrecognized_bounces')
    .select(['id', 'message_id', 'created', 'mail'])
    .where('workspace_id', '=', workspaceId)
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Returns the number of deleted rows. */
export async function dropUnrecognizedBounces(engine: Engine, now: number): Promise<number> {
  const { affected } = await engine.run({
    text: 'delete from unrecognized_bounces where created < $1',
    values: [now - KEPT_MS],
  })
  return affected
}

/** Those about the messages of the person, which may have the pseudonym by now. */
export const unrecognizedBouncesWork = ({ workspace_id, person, pseudonym }: LiveErasure): ErasureWork => ({
  ctes: `gone as (
    delete from unrecognized_bounces u where workspace_id = $6 and exists (
      select from messages m
      where m.id = u.message_id and m.workspace_id = u.workspace_id and m.recipient in ($7, $8))
    returning 1)`,
  counts: `jsonb_build_object('unrecognizedBounces', (select count(*) from gone))`,
  values: [workspace_id, person, pseudonym],
})
