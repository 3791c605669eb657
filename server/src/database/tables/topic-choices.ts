/** What users chose for topics; `tenantId` empty for what holds everywhere. */
import { sql } from 'kysely'
import type { Commit, Engine, Statement } from '../engine.ts'
import { committed, mustTouch, query, statement } from '../query.ts'
import { announcePreferences } from './announcements.ts'

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
export async function putChoices(
  commit: Commit,
  chooser: Chooser,
  choices: readonly TopicChoiceRow[],
  now: number,
): Promise<void> {
  const writes = puts(chooser, choices, now)
  if (writes.length > 0) await commit([...writes, told(chooser, choices.map(idOf), now)])
}

const idOf = ({ topicId }: TopicChoiceRow) => topicId

const told = ({ workspaceId, userId, tenantId }: Chooser, topicIds: readonly string[], now: number): Statement =>
  announcePreferences(workspaceId, { userId, tenantId, topicIds }, now)

/** Those that say nothing of the digest leave it as it is. */
function puts(chooser: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement[] {
  const parts = [true, false].map((says) => choices.filter((one) => (one.digestScheduleId !== undefined) === says))
  return parts.flatMap((part) => (part.length > 0 ? [put(chooser, part, now)] : []))
}

/** All of them say something of the digest, or none does. */
function put({ workspaceId, userId, tenantId }: Chooser, choices: readonly TopicChoiceRow[], now: number): Statement {
  const values = choices.map(({ topicId, status, hasCustomRouting, customRouting, digestScheduleId = null }) => ({
    workspace_id: workspaceId,
    user_id: userId,
    tenant_id: tenantId,
    topic_id: topicId,
    status,
    has_custom_routing: hasCustomRouting,
    custom_routing: JSON.stringify(customRouting),
    updated: now,
    digest_schedule_id: digestScheduleId,
  }))
  const insert = query.insertInto('topic_preferences').values(values)
  return statement(
    insert.onConflict((conflict) =>
      conflict.columns(['workspace_id', 'user_id', 'tenant_id', 'topic_id']).doUpdateSet({
        status: sql<string>`excluded.status`,
        has_custom_routing: sql<boolean>`excluded.has_custom_routing`,
        custom_routing: sql<string>`excluded.custom_routing`,
        updated: now,
        ...(choices[0]?.digestScheduleId !== undefined && {
          digest_schedule_id: sql<string | null>`excluded.digest_schedule_id`,
        }),
      }),
    ),
  )
}

const own = ({ workspaceId, userId, tenantId }: Chooser) =>
  query
    .deleteFrom('topic_preferences')
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)

/** These and no others, in one commit; gives the topics whose choice is gone. */
export async function replaceChoices(
  engine: Engine,
  chooser: Chooser,
  choices: readonly TopicChoiceRow[],
  now: number,
): Promise<string[]> {
  const kept = choices.map(idOf)
  const others = kept.length > 0 ? own(chooser).where('topic_id', 'not in', kept) : own(chooser)
  const [deleted] = await engine.batch([
    statement(others.returning('topic_id')),
    ...puts(chooser, choices, now),
    told(chooser, kept, now),
  ])
  return (deleted?.rows ?? []).map(({ topic_id }) => String(topic_id)).sort()
}

/** What was never chosen stays so, and nobody is told. */
export async function deleteChoice(engine: Engine, chooser: Chooser, topicId: string, now: number): Promise<void> {
  const forget = statement(own(chooser).where('topic_id', '=', topicId))
  await committed(engine.batch, [mustTouch(forget), told(chooser, [topicId], now)])
}
