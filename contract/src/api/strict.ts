/** The query parameter of calls that send: what would be found out later is a 400 at once. */
import { Type } from 'typebox'

export const StrictQuery = Type.Object({
  strict: Type.Optional(
    Type.Boolean({
      description:
        'Whether a name that leads nowhere, an unknown field beside the known ones, a recipient without an address or a variable without a value is a 400 instead of a status of the message. By its name alone it is true. It beats the header `Prefer: handling=strict` (or `handling=lenient`), which beats the setting of the environment.',
    }),
  ),
})
