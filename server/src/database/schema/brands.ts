/** The columns of brands, of translations, and of checks of notifications. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Jsonb } from './columns.ts'

export interface BrandTables {
  notification_checks: {
    workspace_id: number
    notification_id: string
    submission_id: string
    checks: Jsonb<unknown[]>
    updated: number
  }
  brands: {
    workspace_id: number
    id: string
    version: number
    default_since: number | null
    created: number
    updated: number
    deleted: number | null
  }
  brand_versions: {
    workspace_id: number
    brand_id: string
    version: number
    name: string
    settings: Jsonb<JsonObject>
    snippets: Jsonb<JsonObject>
    created: number
  }
  translations: { workspace_id: number; domain: string; locale: string; content: string; updated: number }
}
