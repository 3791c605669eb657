/** The address that a step asks, with everything that goes there. */
import { Type } from 'typebox'
import { jsonObject } from './json.ts'
import { addressCharactersMax } from './limits.ts'

const { Optional } = Type

export const Webhook = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: addressCharactersMax,
      description:
        'An http or https address that answers JSON. Text that is filled in behind its origin is percent-encoded, `/` too: it is part of one segment of the path, or of one value of the query. What makes the origin or the whole address is taken as it is.',
    }),
    method: Optional(Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: '`GET` when left out.' })),
    headers: Optional(
      jsonObject('Headers of the request. Whoever can read the template can read them; runs show them masked.'),
    ),
    params: Optional(jsonObject('Added to the query.')),
    body: Optional(
      Type.Union([Type.Unsafe<object>({ type: 'object' }), Type.String()], {
        description: 'Sent as it is, an object as JSON; not with `GET`.',
      }),
    ),
  },
  { title: 'StepWebhook', description: 'Where to ask.' },
)
