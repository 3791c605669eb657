/** Fields that several automation steps have. */
import { type Static, Type } from 'typebox'
import { idCharactersMax, textCharactersMax } from './limits.ts'
import { id, idempotencyKey, jsonObject } from './values.ts'

const { Optional } = Type

/** The length of URLs that servers commonly accept. */
export const addressCharactersMax = 8_192

/** `usual` is the default, in Markdown. */
export const mergeStrategy = (usual: string) =>
  Type.Enum(['replace', 'overwrite', 'soft-merge', 'none'], {
    description: `How new data (A) is merged into existing data (B). \`replace\`: A replaces B. \`overwrite\`: keys of A take precedence. \`soft-merge\`: only keys that B lacks are added. \`none\`: A is used only if B is empty. Default: ${usual}.`,
  })
export type MergeStrategy = Static<ReturnType<typeof mergeStrategy>>

export const StepWebhook = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: addressCharactersMax,
      description:
        'URL (http or https) that returns JSON. Values interpolated after the origin are percent-encoded, including `/`: a value is part of one path segment or one query value. Values that form the origin or the whole URL are used unchanged.',
    }),
    method: Optional(
      Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], { description: 'HTTP method. Default: `GET`.' }),
    ),
    headers: Optional(jsonObject('Headers of the request. They are readable in the template; runs show them masked.')),
    params: Optional(jsonObject('Parameters added to the query.')),
    body: Optional(
      Type.Union([Type.Unsafe<object>({ type: 'object' }), Type.String()], {
        description: 'Request body; an object is sent as JSON. Not sent with `GET`.',
      }),
    ),
  },
  { title: 'StepWebhook', description: 'An HTTP request.' },
)

export const word = (description: string) => Type.String({ minLength: 1, maxLength: textCharactersMax, description })
export const recipient = (description: string) =>
  Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer()], { description })
export const period = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    description: `${description} An integer and a unit (\`30 minutes\`), or an ISO 8601 duration: \`P1D\`, \`PT30M\`.`,
  })

export const countingScope = Type.Enum(['user', 'global', 'dynamic'], {
  description:
    'Runs that are counted together. `user`: runs of one recipient. `global`: all runs of this automation. `dynamic`: runs with the same key. Default: `global`.',
})

/** Any type is accepted: a value that cannot be read must not stop a send. */
export const expiry = (description: string) => Optional(Type.Unsafe<unknown>({ description }))

/** The fields that `send` and `send-list` share. */
export const sendFields = {
  brand: Optional(id('Brand. Default: the brand of the run.')),
  data: Optional(jsonObject('Merged over the data of the run.')),
  override: Optional(jsonObject('Overrides by provider.')),
  idempotency_key: Optional(
    idempotencyKey(
      'Idempotency key: a send with a key that was used before is not repeated. If it was used for another recipient, the run ends with an error.',
    ),
  ),
  idempotency_expiry: expiry(
    'Expiry of the idempotency key: a time in ISO 8601, seconds or milliseconds, or a duration (`1 day`), between a day and a year ahead. Default, also for unreadable values: 25 hours.',
  ),
}
