/** The preferences of users, tenants, topics and lists for a batch of messages, one query each. */
import { tenantLevelsMax } from '@postrider/contract'
import type { JsonObject } from '../../../base/json/json.ts'
import type { Reader } from '../../engine.ts'

/** A choice for a topic, or a default. */
export interface ChoiceRow {
  status: string
  has_custom_routing: boolean
  custom_routing: string[]
  /** The digest schedule; users only. */
  digest_schedule_id?: string | null
}

export interface TopicFactsRow {
  n: number
  /** The choice of the user in the requested tenant; then that for all tenants. */
  in_tenant: ChoiceRow | null
  anywhere: ChoiceRow | null
  /** Defaults of the tenant and its ancestors, the nearest first. */
  tenants: (ChoiceRow & { tenant: string })[] | null
  /** Null when the topic is archived or does not exist. */
  topic: (ChoiceRow & { digest: JsonObject | null }) | null
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

const userChoice = `'digest_schedule_id', p.digest_schedule_id, `

// Subqueries, because the planner can only look them up by key, even without statistics; joins may scan the tables.
const topicFactsText = `select r.n,
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
          when s.has_custom_routing then s.routing_options else '[]' end, 'digest', t.settings->'digest')
      from preference_topics t
      join preference_sections s on s.workspace_id = t.workspace_id and s.id = t.section_id
      where t.workspace_id = r.w and t.id = r.t and t.archived is null) as topic
  from json_to_recordset($1::json) as r(n integer, w smallint, u text, t text, tenant text)`

/** One row for each request. */
export async function topicFacts(engine: Reader, asked: readonly TopicRequest[]): Promise<TopicFactsRow[]> {
  const records = asked.map(({ n, workspaceId, user, topic, tenant = '' }) => ({
    n,
    w: workspaceId,
    u: user,
    t: topic,
    tenant,
  }))
  const { rows } = await engine.run<TopicFactsRow>({
    text: topicFactsText,
    values: [JSON.stringify(records)],
    name: 'topic-facts',
  })
  return rows
}

export interface ListFactsRow {
  n: number
  /** False when the list or the subscription was deleted. */
  subscribed: boolean
  list: JsonObject | null
  subscription: JsonObject | null
}

/** Whether a recipient is still on a list, and the preferences of both. */
export async function listFacts(
  engine: Reader,
  asked: readonly { n: number; workspaceId: number; recipient: string; list: string }[],
): Promise<ListFactsRow[]> {
  const { rows } = await engine.run<ListFactsRow>({
    text: `select r.n,
        exists (select from lists l where l.workspace_id = r.w and l.id = r.l and l.deleted is null)
          and exists (select from list_subscriptions s
            where s.workspace_id = r.w and s.list_id = r.l and s.recipient = r.u) as subscribed,
        (select preferences from lists l where l.workspace_id = r.w and l.id = r.l and l.deleted is null) as list,
        (select preferences from list_subscriptions s
          where s.workspace_id = r.w and s.list_id = r.l and s.recipient = r.u) as subscription
      from json_to_recordset($1::json) as r(n integer, w smallint, u text, l text)`,
    values: [
      JSON.stringify(
        asked.map(({ n, workspaceId, recipient, list }) => ({ n, w: workspaceId, u: recipient, l: list })),
      ),
    ],
    name: 'list-facts',
  })
  return rows
}
