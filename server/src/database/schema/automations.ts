/** The columns of automations: templates, runs with their steps, what runs count and collect together. */
import type { Defaulted } from './columns.ts'

export interface AutomationTables {
  automation_templates: {
    workspace_id: number
    id: string
    alias: string | null
    name: string
    version: number
    created: number
    updated: number
  }
  automation_versions: {
    workspace_id: number
    template_id: string
    version: number
    template: string
    created: number
  }
  runs: {
    id: string
    workspace_id: number
    mode: string
    due_at: number | null
    lease: string | null
    claims: Defaulted<number>
    status: string
    lane: number
    cancelation_token: string | null
    template_id: string | null
    source: string[]
    depth: number
    root: string
    parent_id: string | null
    created: number
    updated: number
    automation: string
    start: string
    state: string | null
    error: string | null
  }
  run_steps: {
    run_id: string
    position: number
    workspace_id: number
    action: string
    status: string
    started: number
    updated: number
    result: string | null
    reason: string | null
    message_ids: string[] | null
  }
  throttles: { workspace_id: number; mode: string; key: string; uses: number; ends: number }
  batches: {
    id: string
    workspace_id: number
    mode: string
    key: string
    run_id: string
    is_open: boolean
    items: number
    items_max: number
    closes: number
    closes_max: number
  }
  batch_items: { batch_id: string; position: number; workspace_id: number; run_id: string; item: string }
}
