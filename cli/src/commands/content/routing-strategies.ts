/** `postrider routing-strategies …`: channels and their order, which notifications share. */
import type { Resource } from '../../operations/resource.ts'

export const routingStrategies: Resource = {
  name: 'routing-strategies',
  description: 'Routing strategies: channels and their order, which notifications share.',
  commands: [
    {
      name: 'list',
      operation: 'routingStrategies.list',
      columns: ['id', 'name', 'description', 'updated'],
      examples: ['list'],
    },
    {
      name: 'show',
      operation: 'routingStrategies.get',
      arguments: { id: 'strategy' },
      examples: ['show "$STRATEGY"'],
    },
    {
      name: 'create',
      operation: 'routingStrategies.create',
      examples: [
        `create name='Email first' 'routing:={"method":"single","channels":["email","sms"]}'`,
        `create id=email-first name='Email first' 'routing:={"method":"single","channels":["email","sms"]}'`,
        'create --json-body email-first.json',
      ],
    },
    {
      name: 'set',
      operation: 'routingStrategies.replace',
      arguments: { id: 'strategy' },
      description: 'Replace a routing strategy. Fields that are not given are removed.',
      examples: ['set "$STRATEGY" --json-body email-first.json'],
    },
    {
      name: 'archive',
      operation: 'routingStrategies.archive',
      arguments: { id: 'strategy' },
      done: 'Archived {strategy}',
      examples: ['archive "$STRATEGY"'],
    },
    {
      name: 'notifications',
      operation: 'routingStrategies.notifications',
      arguments: { id: 'strategy' },
      columns: ['id', 'alias', 'name', 'state'],
      examples: ['notifications "$STRATEGY"'],
    },
  ],
}
