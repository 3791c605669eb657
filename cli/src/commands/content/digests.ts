/** `postrider digests …`: collected events that are sent as one message. */
import type { Resource } from '../../operations/resource.ts'

export const digests: Resource = {
  name: 'digests',
  description: 'Digests: events collected into one message. Show them, or release them before their schedule.',
  commands: [
    {
      name: 'list',
      operation: 'digests.list',
      columns: ['digest_instance_id', 'topic_id', 'schedule_id', 'tenant_id', 'event_count', 'releases_at'],
      examples: ['list ada'],
    },
    {
      name: 'instances',
      operation: 'digests.instances',
      columns: ['digest_instance_id', 'user_id', 'tenant_id', 'topic_id', 'event_count', 'releases_at'],
      examples: ['instances "$SCHEDULE"'],
    },
    {
      name: 'release',
      operation: 'digests.releaseOne',
      arguments: { section_id: 'section', topic_id: 'topic', user_id: 'user' },
      description: 'Send the open digest of a user for a topic now.',
      done: 'Released the digest of {user}',
      needsServer: true,
      examples: ['release "$SECTION" "$TOPIC" ada'],
    },
    {
      name: 'release-all',
      operation: 'digests.release',
      description: 'Send every open digest of a schedule now.',
      done: 'Released the digests of {schedule}',
      needsServer: true,
      examples: ['release-all "$SCHEDULE"'],
    },
    {
      name: 'turn-off',
      operation: 'digests.turnOff',
      done: 'Turned off the digest of {topic}',
      examples: ['turn-off "$SECTION" "$TOPIC"'],
    },
  ],
}
