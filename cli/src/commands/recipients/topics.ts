/** `postrider topics …`: subscription topics of a section. */
import type { Resource } from '../../operations/resource.ts'

export const topics: Resource = {
  name: 'topics',
  description: 'Subscription topics: subjects that users opt in to or out of, grouped in sections.',
  commands: [
    {
      name: 'list',
      operation: 'topics.list',
      columns: ['id', 'name', 'default_status', 'routing_options', 'updated'],
      examples: ['list "$SECTION"'],
    },
    { name: 'show', operation: 'topics.get', examples: ['show "$SECTION" "$TOPIC"'] },
    {
      name: 'create',
      operation: 'topics.create',
      examples: [
        'create "$SECTION" name=Activity default_status=OPTED_IN',
        'create "$SECTION" id=orders name=Orders default_status=OPTED_IN',
        'create "$SECTION" --json-body activity.json',
      ],
    },
    { name: 'set', operation: 'topics.replace', examples: ['set "$SECTION" "$TOPIC" --json-body activity.json'] },
    {
      name: 'archive',
      operation: 'topics.archive',
      done: 'Archived {topic}',
      examples: ['archive "$SECTION" "$TOPIC"'],
    },
  ],
}
