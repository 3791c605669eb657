/** The delay of a send. */
import { Type } from 'typebox'
import { nullable } from '../api/values.ts'

/** The longest delay of a send and of a step: yearly reminders fit, and a typo cannot keep a message or a run forever. */
export const delayMsMax = 2 * 366 * 86_400_000
/** An ISO 8601 time has 30 characters, a rule of opening hours a few more. */
export const delayUntilCharactersMax = 256

export const Delay = Type.Object(
  {
    duration: Type.Optional(
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: delayMsMax,
          description:
            'Milliseconds to wait, at most two years; rounded up to the next minute. Ignored beside `until`.',
        }),
      ),
    ),
    until: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: delayUntilCharactersMax,
          description:
            'ISO 8601 time before which nothing is sent, at most two years ahead; or opening hours during which the message is sent, such as `Mo-Fr 08:00-18:00`, in the time zone of each recipient.',
        }),
      ),
    ),
    timezone: Type.Optional(
      nullable(
        Type.String({
          maxLength: 64,
          description: 'Time zone of the opening hours for all recipients: `Europe/Vienna` or `+02:00`.',
        }),
      ),
    ),
  },
  {
    title: 'Delay',
    description: 'Delay before the message is sent; an empty object is no delay. The message is `DELAYED` until then.',
  },
)
