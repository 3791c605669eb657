/** Mails that came to a bounce address and were not understood: the latest of each workspace, for a while. */
import { DAY } from '../../../base/time/duration.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { columnList, query, type Row, rows } from '../../query.ts'
import type { ErasureWork, LiveErasure } from '../erasure/erasures.ts'
import { ofErased } from './receipts.ts'

const COLUMNS = ['workspace_id', 'message_id', 'id', 'created', 'envelope_sender', 'mail'] as const

export type UnrecognizedBounce = Row<'unrecognized_bounces', (typeof COLUMNS)[number]>

const KEPT_MAX = 100
/** A loop of one correspondent does not drive out the others. */
const KEPT_OF_MESSAGE_MAX = 3
const KEPT_MS = 14 * DAY

const KEEPABLE = `m.id = $2 and m.workspace_id = $1::smallint and not ${ofErased('m')}`

/** Whether its message is stored, and the recipient neither erased nor being erased: other mails are not kept. */
export async function isKeepable(
  engine: Reader,
  { workspace_id, message_id }: Pick<UnrecognizedBounce, 'workspace_id' | 'message_id'>,
): Promise<boolean> {
  const { rows } = await engine.run({
    text: `select 1 from messages m where ${KEEPABLE} limit 1`,
    values: [workspace_id, message_id],
  })
  return rows.length > 0
}

/** Nothing is written for a mail that is not keepable, was handed over before, or is one too many of its message. */
export const unrecognizedBounceInsert = (bounce: UnrecognizedBounce): Statement => ({
  text: `with of_message as materialized (
      select mail from unrecognized_bounces where workspace_id = $1::smallint and message_id = $2),
    message as materialized (
      select m.workspace_id, m.id, m.recipient from messages m
      where ${KEEPABLE} and (select count(*) from of_message) < ${KEPT_OF_MESSAGE_MAX}
        and not exists (select from of_message where mail = $6) limit 1),
    dropped as (
      delete from unrecognized_bounces where exists (select from message) and id in (
        select id from unrecognized_bounces where workspace_id = $1::smallint order by id desc offset ${KEPT_MAX - 1}))
    insert into unrecognized_bounces (${columnList(COLUMNS)}, recipient)
    select workspace_id, id, $3, $4::bigint, $5, $6, recipient from message`,
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
    .select(['id', 'message_id', 'created', 'envelope_sender', 'mail'])
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

/** Those about messages of the person, which may be deleted. */
export const unrecognizedBouncesWork = ({ workspace_id, person }: LiveErasure): ErasureWork => ({
  ctes: `gone as (delete from unrecognized_bounces where workspace_id = $6 and recipient = $7 returning 1)`,
  counts: `jsonb_build_object('unrecognizedBounces', (select count(*) from gone))`,
  values: [workspace_id, person],
})
