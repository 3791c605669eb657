/** The ledger of consent: changes of preferences with their origin, appended in the commit of the change. */
import { timedId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { decodeCursor, type Page, pageOf } from '../../cursor.ts'
import type { Engine, Reader } from '../../engine.ts'
import { query, recordset, rows, typesOf } from '../../query.ts'

export type ChangeSource = 'api' | 'one_click' | 'page' | 'provider' | 'erasure'

/** The author of a change, and the means. */
export interface ChangeOrigin {
  source: ChangeSource
  /** `key/<name>`, `provider/<name>`, or `recipient`. */
  actor: string
  /** The message whose link was used, or whose receipt it was. */
  messageId?: string | undefined
  /** Address of the browser or mail service. */
  ip?: string | undefined
  userAgent?: string | undefined
}

export interface PreferenceChangeRow {
  id: string
  tenantId: string
  topicId: string | null
  status: string | null
  hasCustomRouting: boolean | null
  customRouting: string[] | null
  digestScheduleId: string | null
  document: JsonObject | null
  source: string
  actor: string
  messageId: string | null
  ip: string | null
  userAgent: string | null
  created: number
}

const ORIGIN = [
  ...(['workspace_id', 'id', 'user_id', 'source', 'actor', 'message_id', 'ip', 'user_agent', 'created'] as const),
]
const CHANGED = [
  ...(['tenant_id', 'topic_id', 'status', 'has_custom_routing', 'custom_routing', 'digest_schedule_id'] as const),
]

/**
 * Appends the rows of `source`, a table expression with the columns of a choice. `origin` is the parameter that holds
 * `originJson`. A statement that changes nothing gives no rows, and appends none.
 */
export const changesInsertFrom = (source: string, origin: string, documentColumn = 'null::jsonb'): string =>
  `insert into preference_changes (${ORIGIN.join(', ')}, ${CHANGED.join(', ')}, document)
  select o.workspace_id, o.id || '-' || row_number() over (order by c.tenant_id, c.topic_id), o.user_id, o.source,
    o.actor, o.message_id, o.ip, o.user_agent, o.created, ${CHANGED.map((column) => `c.${column}`).join(', ')},
    ${documentColumn}
  from ${source} c cross join ${recordset(origin, 'o', typesOf('preference_changes', ORIGIN))}`

/** The columns of a removed choice, for the `returning` of its deletion. */
export const REMOVED =
  'tenant_id, topic_id, null::text as status, null::boolean as has_custom_routing, null::jsonb as custom_routing, null::text as digest_schedule_id'

export const originJson = (workspaceId: number, userId: string, origin: ChangeOrigin, now: number): string =>
  JSON.stringify([
    {
      ...{ workspace_id: workspaceId, id: timedId(now), user_id: userId, source: origin.source, actor: origin.actor },
      ...{ message_id: origin.messageId, ip: origin.ip, user_agent: origin.userAgent, created: now },
    },
  ])

/** Newest first. */
export async function listPreferenceChanges(
  engine: Reader,
  workspaceId: number,
  { userId, topicId }: { userId: string; topicId: string | undefined },
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<Page<PreferenceChangeRow>> {
  let selection = query
    .selectFrom('preference_changes')
    .select(['id', 'tenant_id as tenantId', 'topic_id as topicId', 'status', 'document', 'source', 'actor', 'ip'])
    .select(['has_custom_routing as hasCustomRouting', 'custom_routing as customRouting'])
    .select(['digest_schedule_id as digestScheduleId', 'message_id as messageId'])
    .select(['user_agent as userAgent', 'created'])
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
  if (topicId !== undefined) selection = selection.where('topic_id', '=', topicId)
  if (cursor !== undefined) selection = selection.where('id', '<', decodeCursor(cursor, ['string'])[0])
  return pageOf(await rows(engine, selection.orderBy('id', 'desc').limit(limit + 1)), limit, ({ id }) => [id])
}

/** Clears addresses and browsers of old entries, a bounded slice; returns their number. */
export async function clearChangeBrowsers(engine: Engine, oldest: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `update preference_changes set ip = null, user_agent = null where (workspace_id, id) in (
      select workspace_id, id from preference_changes
      where created < $1 and (ip is not null or user_agent is not null) limit $2)`,
    values: [oldest, limit],
  })
  return affected
}

/** Deletes old entries that a newer one about the same choice replaces, a bounded slice; returns their number. */
export async function dropReplacedChanges(engine: Engine, oldest: number, limit: number): Promise<number> {
  const { affected } = await engine.run({
    text: `delete from preference_changes where (workspace_id, id) in (
      select workspace_id, id from preference_changes c where created < $1 and exists (
        select from preference_changes newer
        where newer.workspace_id = c.workspace_id and newer.user_id = c.user_id and newer.id > c.id
          and newer.tenant_id = c.tenant_id and newer.topic_id is not distinct from c.topic_id)
      limit $2)`,
    values: [oldest, limit],
  })
  return affected
}
