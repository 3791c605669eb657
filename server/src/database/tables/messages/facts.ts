/** The facts for the decisions of a batch of messages, one query per kind. */

import { tenantLevelsMax } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Engine, Reader } from '../../engine.ts'
import { firstRow, named, query, type Row, recordset, rows, typesAs } from '../../query.ts'

export interface MappingRow {
  workspace_id: number
  event: string
  draft: boolean
  notification_id: string
  draft_version: number | null
  published_version: number | null
}

const eventMappings = named<'requests'>(
  'map-events',
  `select r.w as workspace_id, r.event, r.draft, coalesce(e.notification_id, i.id, a.id) as notification_id,
        coalesce(i.draft_version, a.draft_version) as draft_version,
        coalesce(i.published_version, a.published_version) as published_version
      from ${recordset(':requests', 'r', { ...typesAs('events', { w: 'workspace_id', event: 'event' }), draft: 'boolean' })}
      left join events e on e.workspace_id = r.w and e.event = r.event
      left join notifications i on i.workspace_id = r.w and i.id = coalesce(e.notification_id, r.event)
        and i.archived is null
      left join notifications a on a.workspace_id = r.w and a.alias = coalesce(e.notification_id, r.event)
        and a.archived is null and i.id is null
      where coalesce(e.notification_id, i.id, a.id) is not null`,
)

/** An event selects its mapped notification, else the notification with that id, else with that alias. */
export async function mapEvents(
  engine: Reader,
  requests: readonly { workspaceId: number; event: string; mode: string }[],
): Promise<MappingRow[]> {
  const records = requests.map(({ workspaceId, event, mode }) => ({ w: workspaceId, event, draft: mode === 'draft' }))
  const { rows } = await engine.run<MappingRow>(eventMappings({ requests: JSON.stringify(records) }))
  return rows
}

/** The bound of event names per notification; further names are ignored. */
const EVENTS_MAX = 1_000

/** The events of live messages that select the notification now, including its id and alias. */
export async function eventsLeadingTo(engine: Reader, workspaceId: number, notificationId: string): Promise<string[]> {
  const { rows } = await engine.run<{ event: string }>({
    text: `(select event from events where workspace_id = $1 and notification_id = $2 order by event limit ${EVENTS_MAX})
      union select id from notifications where workspace_id = $1 and id = $2
      union select alias from notifications where workspace_id = $1 and id = $2 and alias is not null`,
    values: [workspaceId, notificationId],
    name: 'events-leading-to',
  })
  const mapped = await mapEvents(
    engine,
    rows.map(({ event }) => ({ workspaceId, event, mode: 'live' })),
  )
  return mapped.flatMap(({ event, notification_id }) => (notification_id === notificationId ? [event] : []))
}

export async function notificationPayload(
  engine: Engine,
  workspaceId: number,
  id: string,
  version: number,
): Promise<JsonObject | undefined> {
  const row = await firstRow(
    engine,
    query
      .selectFrom('notification_versions')
      .select('payload')
      .where('workspace_id', '=', workspaceId)
      .where('notification_id', '=', id)
      .where('version', '=', version),
  )
  return row?.payload
}

const INTEGRATION = [
  ...(['id', 'provider', 'channel', 'title', 'enabled', 'priority', 'settings', 'secrets', 'version'] as const),
  ...(['alias', 'weight', 'limit_per_second', 'limit_concurrency', 'limit_per_day', 'tracking'] as const),
]

export type WorkspaceIntegration = Row<'integrations', (typeof INTEGRATION)[number]>

/** In the order of use: by priority, then oldest first. */
export function workspaceIntegrations(engine: Engine, workspaceId: number): Promise<WorkspaceIntegration[]> {
  return rows(
    engine,
    query
      .selectFrom('integrations')
      .select(INTEGRATION)
      .where('workspace_id', '=', workspaceId)
      .orderBy('priority')
      .orderBy('created')
      .orderBy('id'),
  )
}

export interface WorkspaceRow {
  /** Channels in which an integration of a real provider was ever enabled. */
  integrated_channels: readonly string[] | null
  /** It has a suppressed address: without one, none is looked up. */
  has_suppressions: boolean
  /** By channel. */
  tracking: JsonObject | null
  hold_misconfigured: boolean
  on_missing_variable: string
}

const factsOfWorkspace = named<'workspaceId'>(
  'workspace-facts',
  `select integrated_channels, tracking, hold_misconfigured, on_missing_variable,
      exists (select from suppressions s where s.workspace_id = w.id) as has_suppressions
      from workspaces w where id = :workspaceId`,
)

export async function workspaceFacts(engine: Engine, workspaceId: number): Promise<WorkspaceRow | undefined> {
  const { rows } = await engine.run<WorkspaceRow>(factsOfWorkspace({ workspaceId }))
  return rows[0]
}

export interface RecipientRow {
  n: number
  profile: JsonObject | null
  /** The preference document of the first API generation. */
  preferences: JsonObject | null
  /** An erasure is in progress. */
  erasing: boolean | null
}

// Subqueries, because the planner can only look them up by key, even without statistics; joins may scan the tables.
const recipients = named<'requests'>(
  'stored-recipients',
  `with found as materialized (
        select r.n,
          case when r.p then (select profile from profiles p where p.workspace_id = r.w and p.id = r.id) end as profile,
          (select preferences from preferences v where v.workspace_id = r.w and v.recipient = r.id) as preferences,
          (select true from erasures e where e.workspace_id = r.w and e.person = r.id) as erasing
        from ${recordset(':requests', 'r', { n: 'integer', ...typesAs('profiles', { w: 'workspace_id', id: 'id' }), p: 'boolean' })}
      )
      select * from found where profile is not null or preferences is not null or erasing`,
)

/** One row for each recipient with stored data; the profile only where it is requested. */
export async function storedRecipients(
  engine: Reader,
  requests: readonly { n: number; workspaceId: number; recipient: string; needsProfile: boolean }[],
): Promise<RecipientRow[]> {
  const records = requests.map(({ n, workspaceId, recipient, needsProfile }) => ({
    n,
    w: workspaceId,
    id: recipient,
    p: needsProfile,
  }))
  const { rows } = await engine.run<RecipientRow>(recipients({ requests: JSON.stringify(records) }))
  const workspaces = new Map(requests.map(({ n, workspaceId }) => [n, workspaceId]))
  for (const row of rows) if (row.profile) row.profile = engine.tokens.decrypt(workspaces.get(row.n) ?? 0, row.profile)
  return rows
}

/** A choice for a topic, or a default; users only have the schedule of its digest. */
type ChoiceRow = Row<'topic_preferences', 'status' | 'has_custom_routing' | 'custom_routing'> &
  Partial<Row<'topic_preferences', 'digest_schedule_id'>> & {
    /** How the user opted out; users only. */
    change?: { source: string; actor: string; message_id: string | null; at: number } | null
  }

export interface TopicFactsRow {
  n: number
  /** The choice of the user in the requested tenant; then that for all tenants. */
  in_tenant: ChoiceRow | null
  anywhere: ChoiceRow | null
  /** Defaults of the tenant and its ancestors, the nearest first. */
  tenants: (ChoiceRow & { tenant: string })[] | null
  /** Null when the topic is archived or does not exist. */
  topic: (ChoiceRow & { digest: JsonObject | null; unsubscribe_header: boolean | null }) | null
}

export interface TopicRequest {
  n: number
  workspaceId: number
  user: string
  topic: string
  /** Absent: without a tenant. */
  tenant?: string
}

const choice = (row: string, more = '') =>
  `json_build_object(${more}'status', ${row}.status, 'has_custom_routing', ${row}.has_custom_routing, 'custom_routing', ${row}.custom_routing)`

/** The ledger is read only for those who opted out. */
const userChoice = `'digest_schedule_id', p.digest_schedule_id, 'change', case when p.status = 'OPTED_OUT' then (
    select json_build_object('source', c.source, 'actor', c.actor, 'message_id', c.message_id, 'at', c.created)
    from preference_changes c
    where c.workspace_id = p.workspace_id and c.user_id = p.user_id and c.tenant_id = p.tenant_id
      and c.topic_id = p.topic_id
    order by c.id desc limit 1) end, `

// Subqueries, because the planner can only look them up by key, even without statistics; joins may scan the tables.
const topics = named<'requests'>(
  'topic-facts',
  `select r.n,
    case when r.tenant <> '' then (select ${choice('p', userChoice)} from topic_preferences p
      where p.workspace_id = r.w and p.user_id = r.u and p.tenant_id = r.tenant and p.topic_id = r.t) end as in_tenant,
    (select ${choice('p', userChoice)} from topic_preferences p
      where p.workspace_id = r.w and p.user_id = r.u and p.tenant_id = '' and p.topic_id = r.t) as anywhere,
    case when r.tenant <> '' then (
      with recursive above as (
        select r.tenant collate "C" as id, 0 as depth
        union all
        select t.parent_id, above.depth + 1 from above
          join tenants t on t.workspace_id = r.w and t.id = above.id
          where t.parent_id is not null and above.depth < ${tenantLevelsMax}
      )
      select json_agg(${choice('d', "'tenant', above.id, ")} order by above.depth) from above
        join tenant_topic_defaults d on d.workspace_id = r.w and d.tenant_id = above.id and d.topic_id = r.t
    ) end as tenants,
    (select json_build_object('status', t.default_status, 'has_custom_routing', true, 'custom_routing',
        case when t.settings->'routing_options' <> '[]' then t.settings->'routing_options'
          when s.has_custom_routing then s.routing_options else '[]' end, 'digest', t.settings->'digest',
        'unsubscribe_header', t.settings->'include_unsubscribe_header')
      from preference_topics t
      join preference_sections s on s.workspace_id = t.workspace_id and s.id = t.section_id
      where t.workspace_id = r.w and t.id = r.t and t.archived is null) as topic
  from ${recordset(':requests', 'r', {
    n: 'integer',
    ...typesAs('topic_preferences', { w: 'workspace_id', u: 'user_id', t: 'topic_id', tenant: 'tenant_id' }),
  })}`,
)

/** One row for each request. */
export async function topicFacts(engine: Reader, requests: readonly TopicRequest[]): Promise<TopicFactsRow[]> {
  const records = requests.map(({ n, workspaceId, user, topic, tenant = '' }) => ({
    n,
    w: workspaceId,
    u: user,
    t: topic,
    tenant,
  }))
  const { rows } = await engine.run<TopicFactsRow>(topics({ requests: JSON.stringify(records) }))
  return rows
}

export interface ListFactsRow {
  n: number
  /** False when the list or the subscription was deleted. */
  subscribed: boolean
  list: JsonObject | null
  subscription: JsonObject | null
}

const subscriptions = named<'requests'>(
  'list-facts',
  `select r.n,
        exists (select from lists l where l.workspace_id = r.w and l.id = r.l and l.deleted is null)
          and exists (select from list_subscriptions s
            where s.workspace_id = r.w and s.list_id = r.l and s.recipient = r.u) as subscribed,
        (select preferences from lists l where l.workspace_id = r.w and l.id = r.l and l.deleted is null) as list,
        (select preferences from list_subscriptions s
          where s.workspace_id = r.w and s.list_id = r.l and s.recipient = r.u) as subscription
      from ${recordset(':requests', 'r', {
        n: 'integer',
        ...typesAs('list_subscriptions', { w: 'workspace_id', u: 'recipient', l: 'list_id' }),
      })}`,
)

/** Whether a recipient is still on a list, and the preferences of both. */
export async function listFacts(
  engine: Reader,
  requests: readonly { n: number; workspaceId: number; recipient: string; list: string }[],
): Promise<ListFactsRow[]> {
  const records = requests.map(({ n, workspaceId, recipient, list }) => ({ n, w: workspaceId, u: recipient, l: list }))
  const { rows } = await engine.run<ListFactsRow>(subscriptions({ requests: JSON.stringify(records) }))
  return rows
}
