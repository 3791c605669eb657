/** `postrider audit-events …`: administrative changes with their actor and time. */
import type { Resource } from '../../operations/resource.ts'

export const auditEvents: Resource = {
  name: 'audit-events',
  description: 'Audit events: administrative changes with their actor and time.',
  commands: [
    {
      name: 'list',
      operation: 'auditEvents.list',
      columns: ['timestamp', 'type', 'actor.id', 'target', 'auditEventId'],
      examples: ['list', 'list --limit 1000 --json'],
    },
    { name: 'show', operation: 'auditEvents.get', examples: ['show 1-691f0000-0000000000000000000000ab'] },
  ],
}
