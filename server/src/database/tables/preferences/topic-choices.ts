/** What users chose for topics; `tenantId` empty for what holds everywhere. */
import type { Result, Statement } from '../../engine.ts'
import { expectRows, query, rowsOf, statement } from '../../query.ts'
import { preferencesOutboxInsert } from '../webhooks/webhook-outbox.ts'

export interface TopicChoiceRow {
  topicId: string
  status: string
  hasCustomRouting: boolean
  customRouting: string[]
  /** Undefined: the one that was chosen before stays; null: the default one. */
  digestScheduleId?: string | null
}

/** Whose choices. */
export interface Chooser {
  workspaceId: number
  userId: string
  tenantId: string
}

/** Each topic once; what was chosen before is replaced. */
export function putChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const writes = puts(chooser, choices, now)
  return writes.length > 0 ? [...writes, told(chooser, choices.map(idOf), now)] : []
}

const idOf = ({ topicId }: TopicChoiceRow) => topicId

const told = ({ workspaceId, userId, tenantId }: Chooser, topicIds: readonly string[], now: number): Statement =>
  preferencesOutboxInsert(workspaceId, { userId, tenantId, topicIds }, now)

/** In one order, so that two calls for one user wait for each other instead of for ever. */
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

/** Those that say nothing of the digest leave it as it is. */
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

/** These and no others, in one commit; gives the topics whose choice is gone. */
export function replaceChoices(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const kept = choices.map(idOf)
  const others = kept.length > 0 ? own(chooser).where('topic_id', 'not in', kept) : own(chooser)
  return [statement(others.returning('topic_id')), ...puts(chooser, choices, now), told(chooser, kept, now)]
}

/** The topics whose choice a replacement removed, from its results. */
export const removedChoices = ([deleted]: readonly Result[]): string[] =>
  rowsOf<{ topic_id: string }>(deleted)
    .map(({ topic_id }) => topic_id)
    .sort()

/** What was never chosen stays so, and nobody is told. */
export function deleteChoice(chooser: Chooser, topicId: string, now: number): Statement[] {
  const forget = statement(own(chooser).where('topic_id', '=', topicId))
  return [expectRows(forget), told(chooser, [topicId], now)]
}
