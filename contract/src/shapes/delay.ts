/** How long a send waits. */
import { Type } from 'typebox'
import { nullable } from '../api/values.ts'

/** The look-ahead of the public API. */
export const delayDurationMsMax = 90 * 86_400_000
/** A moment as text: ISO 8601 has 30 characters, an opening-hours rule a few more. */
export const delayUntilCharactersMax = 256

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
