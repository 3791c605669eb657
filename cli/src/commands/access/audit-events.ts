/** `postrider audit-events …`: administrative changes with their actor and time. */
import type { Resource } from '../../operations/resource.ts'

export const auditEvents: Resource = {
  name: 'audit-events',
  description: 'Audit events: administrative changes with their actor and time.',
  commands: [
    {
      name: 'list',
      operation: 'auditEvents.list',
      columns: ['timestamp', 'type', 'actor.id', 'source', 'target', 'auditEventId'],
      examples: [
        'list',
        'list --target-kind integration --from 2026-11-01',
        'list --source dashboard --type key:created --type key:deleted',
        'list --limit 1000 --json',
      ],
    },
    { name: 'show', operation: 'auditEvents.get', examples: ['show 1-691f0000-0000000000000000000000ab'] },
  ],
}
