/** `postrider events …`: names of sends mapped to notifications, and events that start automations. */
import { randomUUID } from 'node:crypto'
import type { Resource } from '../../operations/resource.ts'

export const events: Resource = {
  name: 'events',
  description: 'Events: names that sends use for notifications, and events that start automations.',
  commands: [
    { name: 'list', operation: 'events.list', columns: ['event', 'id', 'type'], examples: ['list'] },
    { name: 'show', operation: 'events.get', examples: ['show order-shipped'] },
    {
      name: 'set',
      operation: 'events.put',
      arguments: { event_id: 'event', id: 'notification' },
      done: 'Mapped {event} to {notification}',
      examples: ['set order-shipped "$NOTIFICATION"'],
    },
    { name: 'delete', operation: 'events.delete', done: 'Deleted {event}', examples: ['delete order-shipped'] },
    {
      name: 'track',
      operation: 'inbound.trackEvent',
      arguments: { event: 'event' },
      defaults: () => ({ messageId: randomUUID(), properties: {} }),
      needsServer: true,
      help: 'An event with the same messageId is processed once, so that a call can be repeated. Default: a new messageId for each call.',
      examples: ['track cart_left userId=ada properties.cart=c-1'],
    },
  ],
}
