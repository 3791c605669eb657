/** `postrider devices …`: push tokens of users. */
import type { Resource } from '../../operations/resource.ts'

export const devices: Resource = {
  name: 'devices',
  description: 'Devices: the push tokens of a user.',
  commands: [
    {
      name: 'list',
      operation: 'deviceTokens.list',
      columns: ['token', 'provider_key', 'status', 'status_reason', 'expiry_date'],
      examples: ['list ada'],
    },
    { name: 'show', operation: 'deviceTokens.get', examples: ['show ada fcm-token-1'] },
    {
      name: 'set',
      operation: 'deviceTokens.put',
      done: 'Wrote {token} of {user}',
      examples: ['set ada fcm-token-1 provider_key=firebase-fcm device.platform=android'],
    },
    {
      name: 'remove',
      operation: 'deviceTokens.delete',
      done: 'Removed {token} of {user}',
      examples: ['remove ada fcm-token-1'],
    },
  ],
}
