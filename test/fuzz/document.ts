/** The OpenAPI document that a server serves, read into endpoints: what can be called, and what each may answer. */
import { Ajv2020 } from 'ajv/dist/2020.js'

/** JSON Schema as far as the document uses it. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  anyOf?: Schema[]
  $ref?: string
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
}

export interface Parameter {
  name: string
  required: boolean
  schema: Schema
}

/** The mismatch of a JSON reply; undefined when it fits. */
type Check = (value: unknown) => string | undefined

export interface Endpoint {
  id: string
  method: string
  /** With `{name}` parameters. */
  path: string
  inPath: Parameter[]
  inQuery: Parameter[]
  /** It reads an `Idempotency-Key`. */
  keyed: boolean
  body?: { schema: Schema; examples: unknown[] }
  /** By status: the check of each media type; empty for a reply without a body. */
  replies: ReadonlyMap<number, ReadonlyMap<string, Check>>
}

export interface Document {
  endpoints: Endpoint[]
  /** The schema a reference names; any other schema as it is. */
  resolve(schema: Schema): Schema
}

interface Media {
  schema: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}
type Placed = Parameter & { in: string; $ref?: string }
interface Described {
  operationId: string
  parameters?: Placed[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media>; $ref?: string }>
}
export interface OpenApi {
  paths: Record<string, Record<string, Described>>
  components: Record<string, Record<string, unknown>>
}

const NAME = 'api'

export function readDocument(api: OpenApi): Document {
  const ajv = new Ajv2020({ strict: false, allErrors: false })
  ajv.addSchema(api, NAME)
  const at = (ref: string): unknown =>
    ref
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], api)
  const whole = <T extends { $ref?: string }>(value: T): T => (value.$ref ? (at(value.$ref) as T) : value)

  const checkAt = (...keys: string[]): Check => {
    const pointer = keys.map((key) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    const validate = ajv.compile({ $ref: `${NAME}#/${pointer}` })
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'reply' }))
  }

  const repliesOf = (path: string, method: string, { responses }: Described) =>
    new Map(
      Object.entries(responses).map(([status, response]) => {
        const base = response.$ref ? response.$ref.slice(2).split('/') : ['paths', path, method, 'responses', status]
        const media = Object.keys(whole(response).content ?? {})
        return [Number(status), new Map(media.map((type) => [type, checkAt(...base, 'content', type, 'schema')]))]
      }),
    )

  const endpoints = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]): Endpoint => {
      const parameters = (described.parameters ?? []).map(whole)
      const json = described.requestBody?.content['application/json']
      return {
        id: described.operationId,
        method: method.toUpperCase(),
        path,
        inPath: parameters.filter((parameter) => parameter.in === 'path'),
        inQuery: parameters.filter((parameter) => parameter.in === 'query'),
        keyed: parameters.some((parameter) => parameter.in === 'header' && parameter.name === 'Idempotency-Key'),
        ...(json && { body: { schema: json.schema, examples: examplesOf(json) } }),
        replies: repliesOf(path, method, described),
      }
    }),
  )
  return { endpoints, resolve: whole }
}

const examplesOf = ({ example, examples }: Media): unknown[] =>
  [example, ...Object.values(examples ?? {}).map(({ value }) => value)].filter((value) => value !== undefined)
