/** The columns of what recipients want, and of sections and topics. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Defaulted, Jsonb } from './columns.ts'

export interface PreferenceTables {
  preferences: {
    workspace_id: number
    recipient: string
    preferences: Jsonb<JsonObject>
    version: number
    updated: number
  }
  preference_sections: {
    workspace_id: number
    id: string
    name: string
    routing_options: Jsonb<string[]>
    has_custom_routing: boolean
    topics: Defaulted<number>
    created: number
    updated: number
    creator: string
    updater: string
    archived: number | null
  }
  preference_pages: { workspace_id: number; id: string; version: number; published: number; publisher: string }
  preference_topics: {
    workspace_id: number
    id: string
    section_id: string
    name: string
    default_status: string
    settings: Jsonb<JsonObject>
    created: number
    updated: number
    creator: string
    updater: string
    archived: number | null
  }
  topic_preferences: {
    workspace_id: number
    user_id: string
    tenant_id: string
    topic_id: string
    status: string
    has_custom_routing: boolean
    custom_routing: Jsonb<string[]>
    updated: number
    digest_schedule_id: string | null
  }
}
