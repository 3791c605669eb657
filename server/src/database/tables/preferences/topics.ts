/** Topics: the subjects recipients can opt in to or out of. */
import { sql } from 'kysely'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, rows, statement } from '../../query.ts'

export interface TopicRow {
  id: string
  sectionId: string
  name: string
  defaultStatus: string
  settings: JsonObject
  created: number
  updated: number
  creator: string
  updater: string
}

export interface TopicChange {
  name: string
  defaultStatus: string
  /** `routing_options` and the other settings. */
  settings: JsonObject
  author: string
  now: number
}

const live = (workspaceId: number) =>
  query
    .selectFrom('preference_topics')
    .select(['id', 'section_id as sectionId', 'name', 'default_status as defaultStatus', 'settings'])
    .select(['created', 'updated', 'creator', 'updater'])
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)

/** Oldest first. */
export function listTopics(
  engine: Reader,
  workspaceId: number,
  sectionId: string | undefined,
  limit: number,
): Promise<TopicRow[]> {
  const found = sectionId === undefined ? live(workspaceId) : live(workspaceId).where('section_id', '=', sectionId)
  return rows(engine, found.orderBy('created').orderBy('id').limit(limit))
}

export function findTopic(engine: Reader, workspaceId: number, id: string): Promise<TopicRow | undefined> {
  return firstRow(engine, live(workspaceId).where('id', '=', id))
}

/** False when the section does not exist, or the workspace has `most` topics. */
export function insertTopic(
  workspaceId: number,
  sectionId: string,
  id: string,
  { name, defaultStatus, settings, author, now }: TopicChange,
  most: number,
): Statement[] {
  const insert = {
    text: `with section as (
        update preference_sections set topics = topics + 1
        where workspace_id = $1 and id = $2 and archived is null
          and (select count(*) from preference_topics where workspace_id = $1 and archived is null) < $9::integer
        returning id)
      insert into preference_topics
        (workspace_id, section_id, id, name, default_status, settings, created, updated, creator, updater)
      select $1::smallint, id, $3, $4, $5, $6::jsonb, $7::bigint, $7::bigint, $8, $8 from section`,
    values: [workspaceId, sectionId, id, name, defaultStatus, JSON.stringify(settings), now, author, most],
  }
  return [expectRows(insert)]
}

/** False when the section has no such topic, or its settings differ from `before`. */
export function updateTopic(
  workspaceId: number,
  sectionId: string,
  id: string,
  { name, defaultStatus, settings, author, now }: TopicChange,
  before: JsonObject,
): Statement[] {
  const update = query
    .updateTable('preference_topics')
    .set({ name, default_status: defaultStatus, settings: JSON.stringify(settings), updated: now, updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('section_id', '=', sectionId)
    .where('id', '=', id)
    .where('archived', 'is', null)
    .where(sql<boolean>`settings = ${JSON.stringify(before)}::jsonb`)
  return [expectRows(statement(update))]
}

/** Must affect a row; affects none when the section has no such topic. */
export function archiveTopic(
  workspaceId: number,
  sectionId: string,
  id: string,
  author: string,
  now: number,
): Statement[] {
  const archive = {
    text: `with gone as (
        update preference_topics set archived = $4::bigint, updated = $4::bigint, updater = $5
        where workspace_id = $1 and section_id = $2 and id = $3 and archived is null
        returning section_id)
      update preference_sections set topics = topics - 1
      where workspace_id = $1 and id in (select section_id from gone)`,
    values: [workspaceId, sectionId, id, now, author],
  }
  return [expectRows(archive)]
}

/** The stored digest of a topic, and the schedule that the user has chosen: in the tenant, else for all tenants. */
export async function topicDigest(
  engine: Reader,
  workspaceId: number,
  id: string,
  user: string,
  tenantId: string,
): Promise<{ digest: JsonObject | null; chosen: string | null } | undefined> {
  const { rows } = await engine.run<{ digest: JsonObject | null; chosen: string | null }>({
    text: `select t.settings->'digest' as digest,
        (select p.digest_schedule_id from topic_preferences p
          where p.workspace_id = $1 and p.user_id = $3 and p.tenant_id in ('', $4) and p.topic_id = $2
            and p.digest_schedule_id is not null
          order by p.tenant_id desc limit 1) as chosen
      from preference_topics t where t.workspace_id = $1 and t.id = $2 and t.archived is null`,
    values: [workspaceId, id, user, tenantId],
    name: 'topic-digest',
  })
  return rows[0]
}

/** Whether the id is a schedule of a topic, or a deleted one with open digests. */
export async function isDigestSchedule(engine: Reader, workspaceId: number, id: string): Promise<boolean> {
  const { rows } = await engine.run({
    text: `select 1 from digests where workspace_id = $1 and schedule_id = $2 and is_open
      union all select 1 from preference_topics where workspace_id = $1 and archived is null
        and settings #> '{digest,schedules}' @> $3::jsonb
      limit 1`,
    values: [workspaceId, id, JSON.stringify([{ schedule_id: id }])],
  })
  return rows.length > 0
}
