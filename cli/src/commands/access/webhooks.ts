/** `postrider webhooks …`: URLs that are called after changes. */
import type { Resource } from '../../operations/resource.ts'

export const webhooks: Resource = {
  name: 'webhooks',
  description: 'Webhooks: URLs that are called after changes, and their deliveries.',
  commands: [
    {
      name: 'list',
      operation: 'webhooks.list',
      columns: ['id', 'url', 'types', 'enabled', 'signed'],
      examples: ['list'],
    },
    { name: 'show', operation: 'webhooks.get', arguments: { id: 'webhook' }, examples: ['show "$WEBHOOK"'] },
    {
      name: 'create',
      operation: 'webhooks.create',
      help: 'The response contains the secret that signs its requests. It cannot be shown again.',
      examples: [`create url=https://example.com/postrider 'types:=["message:updated"]'`],
    },
    {
      name: 'update',
      operation: 'webhooks.update',
      arguments: { id: 'webhook' },
      examples: ['update "$WEBHOOK" enabled=false'],
    },
    {
      name: 'deliveries',
      operation: 'webhooks.deliveries',
      arguments: { id: 'webhook' },
      columns: ['created', 'id', 'type', 'status', 'attempts', 'next_attempt_at', 'message_id', 'error'],
      examples: ['deliveries "$WEBHOOK"', 'deliveries "$WEBHOOK" --status FAILED'],
    },
    {
      name: 'replay',
      operation: 'webhooks.replay',
      arguments: { id: 'webhook', delivery_id: 'delivery' },
      examples: ['replay "$WEBHOOK" "$DELIVERY"'],
    },
    {
      name: 'delete',
      operation: 'webhooks.delete',
      arguments: { id: 'webhook' },
      done: 'Deleted {webhook}',
      examples: ['delete "$WEBHOOK"'],
    },
  ],
}
