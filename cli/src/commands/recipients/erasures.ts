/** `postrider erasures …`: the progress of erasures. */
import type { Resource } from '../../operations/resource.ts'

export const erasures: Resource = {
  name: 'erasures',
  description: 'Erasures of recipients, started with postrider profiles delete --erase.',
  commands: [{ name: 'show', operation: 'erasures.get', examples: ['show 1-691f0000-0000000000000000000000ab'] }],
}
