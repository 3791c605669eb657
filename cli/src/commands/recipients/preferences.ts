/** `postrider preferences …`: preferences of recipients, by notification, category and topic. */
import type { Resource } from '../../operations/resource.ts'
import { recordText } from '../../operations/text.ts'

export const preferences: Resource = {
  name: 'preferences',
  description: 'Preferences of recipients, by notification, category and topic.',
  commands: [
    { name: 'show', operation: 'preferences.get', examples: ['show ada'] },
    {
      name: 'set',
      operation: 'preferences.merge',
      done: 'Wrote the preferences of {recipient}',
      examples: [`set ada 'notifications:={"newsletter":{"status":"OPTED_OUT"}}'`],
    },
    {
      name: 'replace',
      operation: 'preferences.replace',
      done: 'Replaced the preferences of {recipient}',
      examples: ['replace ada --json-body ada-preferences.json'],
    },
    {
      name: 'topics',
      operation: 'preferences.topics',
      columns: ['topic_id', 'topic_name', 'status', 'default_status', 'custom_routing'],
      examples: ['topics ada', 'topics ada --tenant-id acme'],
    },
    {
      name: 'topic',
      operation: 'preferences.topic',
      text: (reply) => recordText((reply as { topic: unknown }).topic),
      examples: ['topic ada activity'],
    },
    {
      name: 'choose',
      operation: 'preferences.putTopic',
      description: 'Write the choice of a user for a topic.',
      done: 'Wrote the choice of {user} for {topic}',
      examples: [
        'choose ada activity status=OPTED_OUT',
        `choose ada activity status=OPTED_IN has_custom_routing=true 'custom_routing:=["sms"]'`,
      ],
    },
    {
      name: 'reset',
      operation: 'preferences.deleteTopic',
      description: 'Remove the choice of a user for a topic, so that its default applies.',
      done: 'Removed the choice of {user} for {topic}',
      examples: ['reset ada activity'],
    },
    {
      name: 'history',
      operation: 'preferences.history',
      description: 'List who changed the preferences of a user, when and from where.',
      columns: ['created', 'topic_id', 'status', 'source', 'actor', 'message_id', 'ip'],
      examples: ['history ada', 'history ada --topic-id activity'],
    },
    {
      name: 'set-default',
      operation: 'preferences.putTenantDefault',
      description: 'Write the default of a tenant for a topic.',
      done: 'Wrote the default of {tenant} for {topic}',
      examples: ['set-default acme activity status=OPTED_OUT'],
    },
    {
      name: 'reset-default',
      operation: 'preferences.deleteTenantDefault',
      description: 'Remove the default of a tenant for a topic.',
      done: 'Removed the default of {tenant} for {topic}',
      examples: ['reset-default acme activity'],
    },
  ],
}
