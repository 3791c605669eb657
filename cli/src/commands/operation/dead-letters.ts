/** `postrider dead-letters …`: rows of the queues that the server gave up, released or dismissed. */
import type { Resource } from '../../operations/resource.ts'

export const deadLetters: Resource = {
  name: 'dead-letters',
  description: 'Dead letters: work that the server gave up, because it kept ending or blocking it.',
  commands: [
    {
      name: 'list',
      operation: 'deadLetters.list',
      columns: ['created', 'id', 'kind', 'subject_id', 'state', 'error'],
      examples: ['list --state open', 'list --kind message --json', 'list --state dismissed'],
    },
    {
      name: 'release',
      operation: 'deadLetters.release',
      arguments: { id: 'dead-letter' },
      needsServer: true,
      done: 'Released {dead-letter}',
      examples: ['release 1-691f0000-0000000000000000000000ab'],
    },
    {
      name: 'dismiss',
      operation: 'deadLetters.dismiss',
      arguments: { id: 'dead-letter' },
      done: 'Dismissed {dead-letter}',
      examples: ['dismiss 1-691f0000-0000000000000000000000ab'],
    },
  ],
}
