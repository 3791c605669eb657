/** `postrider settings …`: how an environment treats its messages. */
import type { Resource } from '../../operations/resource.ts'

export const settings: Resource = {
  name: 'settings',
  description:
    'Settings of the environment: variables without a value, and whether messages are held until an integration is repaired.',
  commands: [
    { name: 'show', operation: 'settings.get', examples: ['show', 'show --json'] },
    {
      name: 'update',
      operation: 'settings.update',
      examples: ['update on_missing_variable=fail', 'update hold_misconfigured:=true'],
    },
  ],
}
