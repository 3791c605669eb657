/** How long a send waits. */
import { Type } from 'typebox'
import { nullable } from './json.ts'
import { delayDurationMsMax, delayUntilCharactersMax } from './limits.ts'

export const Delay = Type.Object(
  {
    duration: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: delayDurationMsMax,
          description: 'Milliseconds to wait, at most 90 days; rounded up to the next minute. Ignored beside `until`.',
        }),
      ),
    ),
    until: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: delayUntilCharactersMax,
          description:
            'The ISO 8601 moment before which nothing is sent, at most 90 days ahead; or opening hours in which it may be sent: `Mo-Fr 08:00-18:00`, each recipient in their own time zone.',
        }),
      ),
    ),
    timezone: Type.Optional(
      nullable(
        Type.String({
          maxLength: 64,
          description: 'The zone of opening hours for everybody: `Europe/Vienna` or `+02:00`.',
        }),
      ),
    ),
  },
  {
    title: 'Delay',
    description: 'How long to wait before anything is sent; empty, not at all. The message is `DELAYED` until then.',
  },
)
