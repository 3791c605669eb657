/** The columns of erasures. */
import type { Defaulted, Jsonb } from './columns.ts'

export interface ErasureTables {
  erasures: {
    id: string
    workspace_id: number
    person: string | null
    pseudonym: string
    status: string
    begun: number
    completed: number | null
    due_at: number | null
    lease: string | null
    claims: Defaulted<number>
    step: string
    place: string | null
    again: Defaulted<boolean>
    removed: Jsonb<Record<string, number>>
  }
}
