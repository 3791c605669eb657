/** `postrider requests …`: sends to many recipients, by the id that the send returned. */
import type { Resource } from '../../operations/resource.ts'

export const requests: Resource = {
  name: 'requests',
  description: 'Requests: sends to lists, audiences and tenants, each with many messages.',
  commands: [
    { name: 'show', operation: 'requests.get', examples: ['show 1-691f0000-0000000000000000000000ab'] },
    {
      name: 'archive',
      operation: 'requests.archive',
      done: 'Archived {request}',
      examples: ['archive 1-691f0000-0000000000000000000000ab'],
    },
  ],
}
