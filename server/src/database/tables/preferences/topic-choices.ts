/** Choices of users for topics; an empty `tenantId` applies everywhere. */
import type { Result, Statement } from '../../engine.ts'
import { expectRows, query, rowsOf, statement } from '../../query.ts'
import { preferencesOutboxInsert } from '../webhooks/webhook-outbox.ts'

export interface TopicChoiceRow {
  topicId: string
  status: string
  hasCustomRouting: boolean
  customRouting: string[]
  /** Undefined: not changed; null: the default schedule. */
  digestScheduleId?: string | null
}

/** The user and the tenant of the choices. */
export interface Chooser {
  workspaceId: number
  userId: string
  tenantId: string
}

/** Replaces the choices for the topics; each topic once. */
export function putChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const writes = puts(chooser, choices, now)
  return writes.length > 0 ? [...writes, preferencesEvent(chooser, choices.map(idOf), now)] : []
}

const idOf = ({ topicId }: TopicChoiceRow) => topicId

const preferencesEvent = (
  { workspaceId, userId, tenantId }: Chooser,
  topicIds: readonly string[],
  now: number,
): Statement => preferencesOutboxInsert(workspaceId, { userId, tenantId, topicIds }, now)

/** Written in the order of topics, so that concurrent calls for a user do not deadlock. */
const put = `insert into topic_preferences as p (workspace_id, user_id, tenant_id, topic_id, status, has_custom_routing,
    custom_routing, updated, digest_schedule_id)
  select $1::smallint, $2::text, $3::text, r.topic_id, r.status, r.has_custom_routing, r.custom_routing, $4::bigint,
    r.digest_schedule_id
  from json_to_recordset($5::json) as r(topic_id text, status text, has_custom_routing boolean, custom_routing jsonb,
    digest_schedule_id text)
  order by r.topic_id collate "C"
  on conflict (workspace_id, user_id, tenant_id, topic_id) do update set status = excluded.status,
    has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing,
    updated = excluded.updated,
    digest_schedule_id = case when jsonb_exists($6::jsonb, excluded.topic_id) then excluded.digest_schedule_id
      else p.digest_schedule_id end`

/** A choice without a digest schedule does not change the stored one. */
function puts(
  { workspaceId, userId, tenantId }: Chooser,
  choices: readonly TopicChoiceRow[],
  now: number,
): Statement[] {
  if (choices.length === 0) return []
  const records = choices.map(({ topicId, status, hasCustomRouting, customRouting, digestScheduleId = null }) => ({
    topic_id: topicId,
    status,
    has_custom_routing: hasCustomRouting,
    custom_routing: customRouting,
    digest_schedule_id: digestScheduleId,
  }))
  const digested = choices.filter(({ digestScheduleId }) => digestScheduleId !== undefined).map(idOf)
  const values = [workspaceId, userId, tenantId, now, JSON.stringify(records), JSON.stringify(digested)]
  return [{ text: put, values }]
}

const own = ({ workspaceId, userId, tenantId }: Chooser) =>
  query
    .deleteFrom('topic_preferences')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)

/** Replaces all choices in one commit; returns the topics whose choice was removed. */
export function replaceChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const kept = choices.map(idOf)
  const others = kept.length > 0 ? own(chooser).where('topic_id', 'not in', kept) : own(chooser)
  return [statement(others.returning('topic_id')), ...puts(chooser, choices, now), preferencesEvent(chooser, kept, now)]
}

/** The topics whose choice a replacement removed, from its results. */
export const removedChoices = ([deleted]: readonly Result[]): string[] =>
  rowsOf<{ topic_id: string }>(deleted)
    .map(({ topic_id }) => topic_id)
    .sort()

/** Without a stored choice nothing is written, and no webhook event is created. */
export function deleteChoice(chooser: Chooser, topicId: string, now: number): Statement[] {
  const forget = statement(own(chooser).where('topic_id', '=', topicId))
  return [expectRows(forget), preferencesEvent(chooser, [topicId], now)]
}
