/** Defaults of tenants for topics, which apply unless a user has chosen. */
import type { Reader, Statement } from '../../engine.ts'
import { expectRows, query, rows, statement } from '../../query.ts'

export interface TopicDefault {
  topicId: string
  status: string
  hasCustomRouting: boolean
  customRouting: string[]
}

export type TenantTopicDefault = TopicDefault & { tenantId: string }

/** The defaults of the tenants, ordered by topic. */
export async function readTenantDefaults(
  engine: Reader,
  workspaceId: number,
  tenantIds: readonly string[],
): Promise<TenantTopicDefault[]> {
  if (tenantIds.length === 0) return []
  return rows(
    engine,
    query
      .selectFrom('tenant_topic_defaults')
      .select(['tenant_id as tenantId', 'topic_id as topicId', 'status', 'has_custom_routing as hasCustomRouting'])
      .select('custom_routing as customRouting')
      .where('workspace_id', '=', workspaceId)
      .where('tenant_id', 'in', [...tenantIds])
      .orderBy('tenant_id')
      .orderBy('topic_id'),
  )
}

/** For a batch. Each topic is named once. */
export function replaceTenantDefaults(
  workspaceId: number,
  tenantId: string,
  items: readonly TopicDefault[],
): Statement[] {
  const forget = query
    .deleteFrom('tenant_topic_defaults')
    .where('workspace_id', '=', workspaceId)
    .where('tenant_id', '=', tenantId)
  if (items.length === 0) return [statement(forget)]
  const insert = query.insertInto('tenant_topic_defaults').values(
    items.map(({ topicId, status, hasCustomRouting, customRouting }) => ({
      workspace_id: workspaceId,
      tenant_id: tenantId,
      topic_id: topicId,
      status,
      has_custom_routing: hasCustomRouting,
      custom_routing: JSON.stringify(customRouting),
    })),
  )
  return [statement(forget), statement(insert)]
}

/** False without such a tenant. */
export function putTenantDefault(
  workspaceId: number,
  tenantId: string,
  { topicId, status, hasCustomRouting, customRouting }: TopicDefault,
): Statement[] {
  const put = {
    text: `insert into tenant_topic_defaults
        (workspace_id, tenant_id, topic_id, status, has_custom_routing, custom_routing)
      select workspace_id, id, $3, $4, $5::boolean, $6::jsonb from tenants where workspace_id = $1 and id = $2 for key share
      on conflict (workspace_id, tenant_id, topic_id) do update set status = excluded.status,
        has_custom_routing = excluded.has_custom_routing, custom_routing = excluded.custom_routing`,
    values: [workspaceId, tenantId, topicId, status, hasCustomRouting, JSON.stringify(customRouting)],
  }
  return [expectRows(put)]
}

export function deleteTenantDefault(workspaceId: number, tenantId: string, topicId: string): Statement[] {
  const own = query.deleteFrom('tenant_topic_defaults').where('workspace_id', '=', workspaceId)
  return [statement(own.where('tenant_id', '=', tenantId).where('topic_id', '=', topicId))]
}
