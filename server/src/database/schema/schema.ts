/** The columns as the query builder sees them; `migrations/` is what makes them. */
import type { Preferences } from '@postrider/contract'
import type { ColumnType } from 'kysely'
import type { JsonObject } from '../../base/json/json.ts'
import type { AutomationTables } from './automations.ts'
import type { BrandTables } from './brands.ts'
import type { Defaulted, Jsonb } from './columns.ts'
import type { DigestTables } from './digests.ts'
import type { ErasureTables } from './erasures.ts'
import type { PreferenceTables } from './preferences.ts'
import type { WebhookTables } from './webhooks.ts'

export interface Schema
  extends PreferenceTables,
    WebhookTables,
    BrandTables,
    DigestTables,
    ErasureTables,
    AutomationTables {
  workspaces: { id: number; name: string; integrated_channels: Defaulted<string[]> }
  keys: {
    id: string
    workspace_id: number
    kind: string
    name: string
    hash: string
    hint: string
    created: number
    revoked: number | null
  }
  messages: MessageColumns
  requests: {
    id: string
    workspace_id: number
    kind: string
    mode: string
    lane: number
    due_at: number | null
    lease: string | null
    claims: Defaulted<number>
    status: string
    created: number
    archived: Defaulted<boolean>
    input: string
    targets: string
    progress: string | null
    received: Defaulted<number>
    enqueued: Defaulted<number>
    failures: Defaulted<number>
    error: string | null
  }
  bulk_users: {
    job_id: string
    position: number
    workspace_id: number
    recipient: string
    input: string
    given: string
  }
  history: { message_id: string; flush: number; workspace_id: number; events: string }
  mailbox: {
    id: string
    workspace_id: number
    message_id: string
    channel: string
    recipient: string
    received: number
    content: string
  }
  idempotency_keys: {
    workspace_id: number
    route: string
    key: string
    expires: number
    status: number
    reply: string
  }
  profiles: {
    workspace_id: number
    id: string
    profile: Jsonb<JsonObject>
    version: number
    created: number
    updated: number
  }
  lists: {
    workspace_id: number
    id: string
    name: string
    preferences: ColumnType<Preferences | null, string | null, string | null>
    created: number
    updated: number
    deleted: number | null
  }
  list_subscriptions: {
    workspace_id: number
    list_id: string
    recipient: string
    preferences: ColumnType<Preferences | null, never, never>
    created: number
    updated: number
  }
  events: { workspace_id: number; event: string; notification_id: string; updated: number }
  notifications: {
    workspace_id: number
    id: string
    alias: string | null
    draft_version: number
    published_version: number | null
    created: number
    updated: number
    creator: string
    updater: string
    archived: number | null
  }
  notification_versions: {
    workspace_id: number
    notification_id: string
    version: number
    payload: Jsonb<JsonObject>
    created: number
    creator: string
    published: number | null
  }
  integrations: {
    workspace_id: number
    id: string
    provider: string
    channel: string | null
    title: string
    alias: string | null
    enabled: boolean
    priority: number
    settings: Jsonb<JsonObject>
    secrets: string | null
    version: number
    created: number
    updated: number
  }
  tenants: {
    workspace_id: number
    id: string
    name: string
    parent_id: string | null
    brand_id: string | null
    properties: Jsonb<JsonObject>
    user_profile: Jsonb<JsonObject>
    created: number
    updated: number
  }
  tenant_members: {
    workspace_id: number
    tenant_id: string
    user_id: string
    profile: Jsonb<JsonObject>
    created: number
  }
  tenant_topic_defaults: {
    workspace_id: number
    tenant_id: string
    topic_id: string
    status: string
    has_custom_routing: boolean
    custom_routing: Jsonb<string[]>
  }
  device_tokens: DeviceTokenColumns
  audiences: {
    workspace_id: number
    id: string
    name: string
    description: string
    filter: Jsonb<JsonObject> | null
    operator: string | null
    version: number
    created: number
    updated: number
    removed: number | null
    due_at: number | null
    progress: string | null
  }
  audience_members: {
    workspace_id: number
    audience_id: string
    member_id: string
    version: number
    reason: string
    added: number
  }
}

export interface DeviceTokenColumns {
  workspace_id: number
  user_id: string
  token: string
  provider_key: string
  device: Jsonb<JsonObject> | null
  tracking: Jsonb<JsonObject> | null
  properties: Jsonb<JsonObject> | null
  expires: number | null
  status: string
  status_reason: string | null
  version: number
  created: number
  updated: number
}

export interface MessageColumns {
  id: string
  workspace_id: number
  lane: number
  due_at: number | null
  lease: string | null
  claims: Defaulted<number>
  cancel_requested: Defaulted<boolean>
  status: string
  event: string
  recipient: string
  notification_id: string | null
  mode: string
  enqueued: number
  first_due: number
  sent: number | null
  delivered: number | null
  opened: number | null
  clicked: number | null
  canceled_at: number | null
  error: string | null
  reason: string | null
  reason_code: string | null
  archived: Defaulted<boolean>
  tags: string[] | null
  request_id: string | null
  trace_id: string | null
  list_id: string | null
  list_message_id: string | null
  tenant_id: string | null
  run_id: string | null
  job_id: string | null
  idempotency_key: string | null
  input: string
  pinned: string | null
  deliveries: string | null
  flushes: Defaulted<number>
  events: string | null
}
