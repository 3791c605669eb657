/** The columns of digests and their events. */
import type { Defaulted, Jsonb } from './columns.ts'

export interface DigestTables {
  digests: {
    id: string
    workspace_id: number
    mode: string
    topic_id: string
    recipient: string
    tenant_id: string
    schedule_id: string
    terms: string
    events: number
    counts: Jsonb<Record<string, number>>
    opened: number
    is_open: boolean
    closed: number | null
    due_at: number
    lease: string | null
    claims: Defaulted<number>
  }
  digest_events: {
    digest_id: string
    category: string
    position: number
    workspace_id: number
    rank: number | null
    data: string
  }
}
