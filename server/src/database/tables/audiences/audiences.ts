/** Audiences and their members. A deleted audience disappears immediately; its members are deleted in slices. */
import { timedId } from '../../../base/ids.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader, Result, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type Row, type RowOf, rows, rowsOf, statement } from '../../query.ts'
import { outboxInsert, outboxInsertFrom } from '../webhooks/webhook-outbox.ts'

/** A filter of null matches no user; `dueAt` is null when every user was evaluated since the last write. */
export type AudienceRow = RowOf<typeof audiencesOf>

const audiencesOf = (workspaceId: number) =>
  query
    .selectFrom('audiences')
    .select(['id', 'name', 'description', 'filter', 'operator', 'version', 'created', 'updated', 'due_at as dueAt'])
    .where('workspace_id', '=', workspaceId)
    .where('removed', 'is', null)
    .orderBy('id')

export function findAudience(engine: Reader, workspaceId: number, id: string): Promise<AudienceRow | undefined> {
  return firstRow(engine, audiencesOf(workspaceId).where('id', '=', id))
}

export function allAudiences(engine: Engine, workspaceId: number, limit: number): Promise<AudienceRow[]> {
  return rows(engine, audiencesOf(workspaceId).limit(limit))
}

export async function listAudiences(
  engine: Reader,
  workspaceId: number,
  cursor: string | undefined,
  limit: number,
): Promise<Page<AudienceRow>> {
  const after = cursor === undefined ? '' : decodeCursor(cursor, ['string'])[0]
  const selection = audiencesOf(workspaceId).where('id', '>', after)
  return pageOf(await rows(engine, selection.limit(limit + 1)), limit, ({ id }) => [id])
}

/** Absent fields are not changed. */
export type AudienceWrite = Partial<Row<'audiences', 'name' | 'description' | 'filter' | 'operator'>>

/** Waits for profile changes that started before the first audience existed, and were therefore not noted. */
const lockAudiences = { text: 'select pg_advisory_xact_lock($1)', values: [7_305_002] }

const outboxWrite = outboxInsertFrom(`(
    select $3::text as id, workspace_id, 'audiences:' || case version when 1 then 'created' else 'updated' end as type,
      null::text as message_id, $4::bigint as at,
      json_build_object('audience_id', id, 'audience_version', version, 'filter', filter)::text as payload
    from audiences where workspace_id = $1::smallint and id = $2 and updated = $4::bigint and removed is null
  ) a`)

/**
 * Writes the next version and begins to count anew; it must affect a row: the workspace may have `max` audiences already,
 * or the audience exists and must be absent.
 */
export function putAudience(
  workspaceId: number,
  id: string,
  write: AudienceWrite,
  now: number,
  { max, mustBeAbsent }: { max: number; mustBeAbsent: boolean },
): Statement[] {
  const { name, description, filter, operator } = write
  // The version continues that of a deleted audience, so that its remaining members differ from new ones.
  const next = (column: keyof AudienceWrite) =>
    write[column] === undefined
      ? `${column} = case when a.removed is null then a.${column} else excluded.${column} end`
      : `${column} = excluded.${column}`
  return [
    lockAudiences,
    expectRows({
      text: `insert into audiences as a
          (workspace_id, id, name, description, filter, operator, version, created, updated, due_at)
        select $1::smallint, $2, $3, $4, $5::jsonb, $6, 1, $7::bigint, $7::bigint, $7::bigint
        where exists (select 1 from audiences where workspace_id = $1 and id = $2 and removed is null)
          or (select count(*) from audiences where workspace_id = $1 and removed is null) < $8
        on conflict (workspace_id, id) do update set
          ${next('name')}, ${next('description')}, ${next('filter')}, ${next('operator')},
          version = a.version + 1, updated = excluded.updated, due_at = excluded.due_at, progress = null,
          created = case when a.removed is null then a.created else excluded.created end, removed = null
          ${mustBeAbsent ? 'where a.removed is not null' : ''}
        returning id, name, description, filter, operator, version, created, updated, due_at as "dueAt"`,
      values: [
        workspaceId,
        id,
        name ?? '',
        description ?? '',
        filter ? JSON.stringify(filter) : null,
        operator ?? null,
        now,
        max,
      ],
    }),
    { text: outboxWrite, values: [workspaceId, id, timedId(now), now] },
  ]
}

/** The row as it is now, from the results of `putAudience`. */
export function storedAudience([, result]: readonly Result[]): AudienceRow {
  const [row] = rowsOf<AudienceRow>(result)
  if (!row) throw new Error('The statement gives back the audience')
  return row
}

/** Must affect a row; affects none when there was none. */
export function deleteAudience(workspaceId: number, id: string, now: number): Statement[] {
  const remove = query
    .updateTable('audiences')
    .set((e) => ({ removed: now, due_at: now, progress: null, version: e('version', '+', 1) }))
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('removed', 'is', null)
  const outboxEntry = outboxInsert([{ workspaceId, type: 'audiences:deleted', data: { audience_id: id } }], now)
  return [expectRows(statement(remove)), outboxEntry]
}

export type MemberRow = RowOf<typeof memberPage>

const members = (workspaceId: number, audienceId: string, after: string, limit: number) =>
  query
    .selectFrom('audience_members')
    .where('workspace_id', '=', workspaceId)
    .where('audience_id', '=', audienceId)
    .where('member_id', '>', after)
    .orderBy('member_id')
    .limit(limit)

const memberPage = (...page: Parameters<typeof members>) =>
  members(...page).select(['member_id as memberId', 'version', 'reason', 'added'])

/** Ordered by id. */
export async function listAudienceMembers(
  engine: Reader,
  workspaceId: number,
  audienceId: string,
  cursor: string | undefined,
  limit: number,
): Promise<Page<MemberRow>> {
  const after = cursor === undefined ? '' : decodeCursor(cursor, ['string'])[0]
  const page = await rows(engine, memberPage(workspaceId, audienceId, after, limit + 1))
  return pageOf(page, limit, ({ memberId }) => [memberId])
}

/** The ids of the next members after `after`, in order; none for a deleted audience. */
export async function audienceRecipients(
  engine: Reader,
  workspaceId: number,
  audienceId: string,
  after: string,
  limit: number,
): Promise<string[]> {
  const audience = audiencesOf(workspaceId).clearOrderBy().where('id', '=', audienceId)
  const selection = members(workspaceId, audienceId, after, limit).where((e) => e.exists(audience))
  return (await rows(engine, selection.select('member_id'))).map((row) => row.member_id)
}
