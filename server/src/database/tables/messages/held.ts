/** Messages that are held until an integration is repaired: counted, chosen and released. */
import type { Engine, Reader, Statement } from '../../engine.ts'
import { query, type Row, rows, statement } from '../../query.ts'
import { type MessageFilter, matchingMessages } from './messages.ts'

/** Counted up to here: some 25 ms. */
const COUNTED_MAX = 25_000

export async function countHeld(engine: Reader, workspaceId: number): Promise<number> {
  const { rows } = await engine.run<{ held: number }>({
    text: `select count(*)::integer as held from (
        select from messages where workspace_id = $1 and status = 'HELD' and due_at is not null limit ${COUNTED_MAX}) m`,
    values: [workspaceId],
    name: 'count-held',
  })
  return rows[0]?.held ?? 0
}

/** The ids of held messages, oldest first. */
export async function heldMessages(
  engine: Reader,
  workspaceId: number,
  { ids, filter }: { ids?: readonly string[]; filter: Omit<MessageFilter, 'cursor'> },
  limit: number,
): Promise<string[]> {
  const all = query.selectFrom('messages').select(['id'])
  // Held messages are released whatever lists show.
  const matching = await matchingMessages(engine, workspaceId, all, {
    ...(ids ? {} : filter),
    ...{ archived: true, statuses: ['HELD'] },
  })
  let found = matching?.where('due_at', 'is not', null)
  if (ids) found = found?.where('id', 'in', [...ids])
  if (filter.notificationId !== undefined) found = found?.where('notification_id', '=', filter.notificationId)
  return found ? (await rows(engine, found.orderBy('id').limit(limit))).map(({ id }) => id) : []
}

/** Messages that are released together start one after the other. */
export const SPACING_MS = 5

/**
 * Makes the messages of a CTE `h`, with their ids and positions, due. Their deliveries wait until the time of the row,
 * which is replaced there, too: so nodes of the release before go on with them.
 */
const released = `u as (
    update messages m set due_at = $2::bigint + h.n * ${SPACING_MS},
      status = case when m.deliveries is null then 'ENQUEUED' else 'ROUTED' end,
      deliveries = replace(m.deliveries, '"nextAt":' || m.due_at, '"nextAt":' || $2::bigint)
    from h where m.id = h.id and m.status = 'HELD' and m.due_at is not null and m.lease is null
    returning m.id
  )`

/** Releases those of the ids that are held. */
export const releaseMessages = (ids: readonly string[], now: number): Statement => ({
  text: `with h as materialized (
      select id, n from json_array_elements_text($1::json) with ordinality as r(id, n)
    ), ${released}
    select count(*)::integer as released from u`,
  values: [JSON.stringify(ids), now],
})

/** A repaired integration with messages that are to be released. */
export type HeldRelease = Row<'integrations', 'workspace_id' | 'id'> & { release_held: number; is_new: boolean }

export async function heldReleases(engine: Reader, limit: number): Promise<HeldRelease[]> {
  const { rows } = await engine.run<HeldRelease>({
    text: `select workspace_id, id, release_held, created = release_held as is_new from integrations where release_held is not null
      order by release_held limit ${limit}`,
    name: 'held-releases',
  })
  return rows
}

// A message without a delivery is held because no integration of its channels could be used. A new integration may be an
// alternative for any message.
const releaseOf = `with l as materialized (
    select id from messages where workspace_id = $3 and status = 'HELD' and due_at is not null and lease is null
      and ($5::boolean or deliveries is null or deliveries like $4)
      and ($6::boolean or exists (select from json_array_elements(deliveries::json) d
        where coalesce(d->'log'->-1->>'started', d->>'heldSince')::bigint < $7))
    order by id limit $1 for update skip locked
  ),
  h as materialized (select id, row_number() over (order by id) as n from l),
  ${released}
  select count(*)::integer as released from u`

/** Calls that began so soon after a change may have used the settings before it. */
export const CONFIG_AGE_MS = 2_000

export interface ReleaseStep {
  from: number
  now: number
  limit: number
  /** Only messages whose latest call began before the repair: all others were released. */
  isRepeated: boolean
  /** How long calls that began before the repair may last: messages that are held after them are released, too. */
  keptMs: number
}

/** Releases messages that wait for the integration, up to `limit` of them; the first is due after `from`. */
export async function releaseFor(
  engine: Engine,
  { workspace_id, id, release_held, is_new }: HeldRelease,
  { from, now, limit, isRepeated, keptMs }: ReleaseStep,
): Promise<number> {
  const startedBefore = release_held + CONFIG_AGE_MS
  const values = [
    limit,
    from,
    workspace_id,
    `%"integration":${JSON.stringify(id)}%`,
    is_new,
    !isRepeated,
    startedBefore,
  ]
  const { rows } = await engine.run<{ released: number }>({ text: releaseOf, values, name: 'release-held' })
  const released = rows[0]?.released ?? 0
  // If the process dies before, the next step finds nothing left to release.
  if (released < limit && now >= release_held + keptMs)
    await engine.run({
      text: `update integrations set release_held = null where workspace_id = $1 and id = $2 and release_held = $3`,
      values: [workspace_id, id, release_held],
    })
  return released
}

/** Marks an integration as repaired: messages that are held for it are released. */
export const heldReleaseMark = (workspaceId: number, id: string, now: number): Statement =>
  statement(
    query
      .updateTable('integrations')
      .set({ release_held: now })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', id),
  )
