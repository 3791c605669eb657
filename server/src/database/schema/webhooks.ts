/** The columns of what is told and heard: webhooks, inbound events, audit events. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Defaulted, Jsonb } from './columns.ts'

export interface WebhookTables {
  webhooks: {
    workspace_id: number
    id: string
    url: string
    secret: string | null
    types: Jsonb<string[]>
    enabled: boolean
    version: number
    created: number
    updated: number
  }
  webhook_deliveries: {
    id: string
    workspace_id: number
    webhook_id: string
    type: string
    message_id: string | null
    payload: string | null
    due_at: number | null
    lease: string | null
    attempts: Defaulted<number>
    created: number
    delivered: number | null
    error: string | null
  }
  inbound_events: {
    workspace_id: number
    message_id: string
    event: string
    user_id: string | null
    properties: Jsonb<JsonObject>
    received: number
  }
  audit_events: {
    id: string
    workspace_id: number
    type: string
    actor: string
    target: string
    source: string
    at: number
  }
}
