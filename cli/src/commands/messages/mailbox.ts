/** `postrider mailbox …`: messages captured by the built-in provider of new environments. */
import type { Resource } from '../../operations/resource.ts'

export const mailbox: Resource = {
  name: 'mailbox',
  description: 'The mailbox: messages captured instead of being sent.',
  commands: [
    {
      name: 'list',
      operation: 'mailbox.list',
      columns: ['received', 'id', 'channel', 'recipient', 'content.to.address', 'content.subject'],
      examples: ['list', 'list --recipient ada --channel email'],
    },
    {
      name: 'show',
      operation: 'mailbox.get',
      arguments: { id: 'entry' },
      examples: ['show 1-691f0000-0000000000000000000000ab'],
    },
  ],
}
