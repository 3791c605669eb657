/** `postrider erasures …`: how far the erasure of a person is. */
import type { Resource } from '../operations/resource.ts'

export const erasures: Resource = {
  name: 'erasures',
  description: 'Erasures of persons, started with profiles delete --erase.',
  commands: [{ name: 'show', operation: 'erasures.get', examples: ['show 1-691f0000-0000000000000000000000ab'] }],
}
