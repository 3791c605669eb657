/** The filters of the audit log as they stand in the address; unknown and malformed ones are dropped. */
import type { AuditSource } from '@postrider/client'
import { oneOf, present, textOf } from '../parts/search-params.ts'

export const auditSources = ['dashboard', 'cli', 'api'] as const satisfies readonly AuditSource[]

/** Kinds of changed records, as types of changes begin; those that people look for first are first. */
export const targetKinds = [
  'notification',
  'brand',
  'translation',
  'routing_strategy',
  'automation',
  'event',
  'integration',
  'provider',
  'settings',
  'tracking',
  'webhook',
  'list',
  'audience',
  'tenant',
  'topic',
  'preference-section',
  'preference-page',
  'suppression',
  'bulk',
  'replay',
  'messages',
  'deliveries',
  'database',
  'dead_letter',
  'key',
  'session',
  'token',
  'view',
] as const
export type TargetKind = (typeof targetKinds)[number]

export interface AuditSearch {
  target: string
  kind: TargetKind
  /** Id of the API key. */
  key: string
  source: AuditSource
  type: string
  /** ISO 8601, UTC. */
  from: string
  to: string
}

const timeOf = (value: unknown): string | undefined => {
  const time = new Date(typeof value === 'number' ? value : (textOf(value) ?? Number.NaN))
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

export const auditSearch = (search: Record<string, unknown>): Partial<AuditSearch> =>
  present<AuditSearch>({
    target: textOf(search.target),
    kind: oneOf(targetKinds, search.kind),
    key: textOf(search.key),
    source: oneOf(auditSources, search.source),
    type: textOf(search.type),
    from: timeOf(search.from),
    to: timeOf(search.to),
  })

/** The filters as the API takes them. */
export const apiFilters = ({ kind, key, type, ...same }: Partial<AuditSearch>) => ({
  ...same,
  ...(kind && { target_kind: kind }),
  ...(key && { key_id: key }),
  ...(type && { type: [type] }),
})
