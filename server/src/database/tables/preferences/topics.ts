/** Topics, the sections above them, and the last published version of the preference page. */
import { sql } from 'kysely'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, firstRow, query, type Row, type RowOf, rows, statement } from '../../query.ts'

export type TopicRow = RowOf<typeof live>

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
  const selection = sectionId === undefined ? live(workspaceId) : live(workspaceId).where('section_id', '=', sectionId)
  return rows(engine, selection.orderBy('created').orderBy('id').limit(limit))
}

/** The part of a topic that the page of preferences shows. */
export type PageTopicRow = Pick<TopicRow, 'id' | 'sectionId' | 'name' | 'defaultStatus' | 'settings'>

/** The same without data and digests of topics, which have megabytes. */
export function listPageTopics(engine: Reader, workspaceId: number, limit: number): Promise<PageTopicRow[]> {
  const settings = sql<JsonObject>`jsonb_build_object('allowed_preferences', settings->'allowed_preferences',
    'routing_options', settings->'routing_options')`
  const selection = query
    .selectFrom('preference_topics')
    .select(['id', 'section_id as sectionId', 'name', 'default_status as defaultStatus', settings.as('settings')])
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)
  return rows(engine, selection.orderBy('created').orderBy('id').limit(limit))
}

export function findTopic(engine: Reader, workspaceId: number, id: string): Promise<TopicRow | undefined> {
  return firstRow(engine, live(workspaceId).where('id', '=', id))
}

/**
 * Must affect a row; affects none when the section does not exist, or the workspace has `most` topics. Violates the key
 * when the id is taken, also by an archived topic, however many there are.
 */
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
          and ((select count(*) from preference_topics where workspace_id = $1 and archived is null) < $9::integer
            or exists (select from preference_topics where workspace_id = $1 and id = $3))
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

export type SectionRow = RowOf<typeof liveSections>

export interface SectionChange {
  name: string
  routingOptions: string[]
  hasCustomRouting: boolean
  author: string
  now: number
}

const liveSections = (workspaceId: number) =>
  query
    .selectFrom('preference_sections')
    .select(['id', 'name', 'routing_options as routingOptions', 'has_custom_routing as hasCustomRouting'])
    .select(['created', 'updated', 'creator', 'updater'])
    .where('workspace_id', '=', workspaceId)
    .where('archived', 'is', null)

/** Oldest first. */
export function listSections(engine: Reader, workspaceId: number, limit: number): Promise<SectionRow[]> {
  return rows(engine, liveSections(workspaceId).orderBy('created').orderBy('id').limit(limit))
}

export function findSection(engine: Reader, workspaceId: number, id: string): Promise<SectionRow | undefined> {
  return firstRow(engine, liveSections(workspaceId).where('id', '=', id))
}

const changed = ({ name, routingOptions, hasCustomRouting, author, now }: SectionChange) => ({
  name,
  routing_options: JSON.stringify(routingOptions),
  has_custom_routing: hasCustomRouting,
  updated: now,
  updater: author,
})

/**
 * Must affect a row; affects none when there are `most` of them. Violates the key when the id is taken, also by an
 * archived section, however many there are.
 */
export function insertSection(workspaceId: number, id: string, change: SectionChange, most: number): Statement[] {
  const { name, routing_options, has_custom_routing } = changed(change)
  const insert = {
    text: `insert into preference_sections
        (workspace_id, id, name, routing_options, has_custom_routing, created, updated, creator, updater)
      select $1::smallint, $2, $3, $4::jsonb, $5::boolean, $6::bigint, $6::bigint, $7, $7
      where (select count(*) from preference_sections where workspace_id = $1 and archived is null) < $8::integer
        or exists (select from preference_sections where workspace_id = $1 and id = $2)`,
    values: [workspaceId, id, name, routing_options, has_custom_routing, change.now, change.author, most],
  }
  return [expectRows(insert)]
}

/** Must affect a row; affects none when there is none. */
export function updateSection(workspaceId: number, id: string, change: SectionChange): Statement[] {
  const update = query.updateTable('preference_sections').set(changed(change)).where('workspace_id', '=', workspaceId)
  return [expectRows(statement(update.where('id', '=', id).where('archived', 'is', null)))]
}

/** Must affect a row; affects none when topics stand in it, or there is none. */
export function archiveSection(workspaceId: number, id: string, author: string, now: number): Statement[] {
  const archive = query
    .updateTable('preference_sections')
    .set({ archived: now, updated: now, updater: author })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .where('archived', 'is', null)
    .where('topics', '=', 0)
  return [expectRows(statement(archive))]
}

const PAGE = ['id', 'version', 'published', 'publisher'] as const

export type PageRow = Row<'preference_pages', (typeof PAGE)[number]>

/** The last published page. */
export function findPage(engine: Reader, workspaceId: number): Promise<PageRow | undefined> {
  const selection = query.selectFrom('preference_pages').select(PAGE)
  return firstRow(engine, selection.where('workspace_id', '=', workspaceId))
}

/** Writes what follows on `version` (undefined: on nothing); affects none when another publishing came first. */
export function writePage(workspaceId: number, page: PageRow, version: number | undefined): Statement[] {
  const write =
    version === undefined
      ? query
          .insertInto('preference_pages')
          .values({ ...page, workspace_id: workspaceId })
          .onConflict((conflict) => conflict.doNothing())
      : query
          .updateTable('preference_pages')
          .set(page)
          .where('workspace_id', '=', workspaceId)
          .where('version', '=', version)
  return [expectRows(statement(write))]
}
