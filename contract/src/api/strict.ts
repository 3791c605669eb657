/** The query parameter `strict` of sends: problems that would become a message status are a 400. And the header that names such problems otherwise. */
import { Type } from 'typebox'

/** A JSON list of sentences in ASCII, in the reply to a call that is not strict. */
export const warningsHeader = 'postrider-warnings'

export const StrictQuery = Type.Object({
  strict: Type.Optional(
    Type.Boolean({
      description:
        'Whether an unknown name, an unknown field, a recipient without an address or a variable without a value is a 400 instead of a status of the message. Without a value it is true. Takes precedence over the header `Prefer: handling=strict` (or `handling=lenient`), which takes precedence over the setting of the environment.',
    }),
  ),
})
