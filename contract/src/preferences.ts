/** What a recipient wants to receive, by notification and by category. */
import { type Static, Type } from 'typebox'
import { ChannelName } from './channel.ts'
import { text } from './json.ts'

export const Preference = Type.Object(
  {
    status: Type.Optional(
      Type.Enum(['OPTED_IN', 'OPTED_OUT', 'REQUIRED'], { description: 'Whether it may be sent at all.' }),
    ),
    channel_preferences: Type.Optional(
      Type.Array(Type.Object({ channel: ChannelName }), { description: 'Only these channels are used.' }),
    ),
    rules: Type.Optional(
      Type.Array(
        Type.Object({
          type: Type.Enum(['snooze', 'channel_preferences', 'status'], { description: 'What the rule limits.' }),
          until: Type.Optional(text('When it ends: ISO 8601 or milliseconds since the Unix epoch, as text.')),
        }),
        { description: 'Limits in time; `snooze` silences until its end.' },
      ),
    ),
  },
  { title: 'Preference', description: 'What a recipient wants of one notification or category.' },
)

export const Preferences = Type.Object(
  {
    notifications: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], { description: 'By notification id.' }),
    ),
    categories: Type.Optional(
      Type.Union([Type.Record(Type.String(), Preference), Type.Null()], { description: 'By category id.' }),
    ),
  },
  { title: 'Preferences', description: 'What a recipient wants to receive.' },
)
export type Preferences = Static<typeof Preferences>
