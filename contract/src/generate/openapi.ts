/** The contract as an OpenAPI 3.1 document. */
import type { TSchema } from 'typebox'
import { commonErrors, ErrorBody } from '../api/errors.ts'
import { idempotencyKeyCharactersMax } from '../api/limits.ts'
import {
  accessNotes,
  accessOf,
  type Operation,
  preconditionHeaders,
  successOf,
  takesIdempotencyKey,
} from '../api/operation.ts'
import { resourceOf } from '../api/resource.ts'
import { scopesFor } from '../api/scopes.ts'
import { operations, resources, roleOf } from '../operations.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'
import { typescriptSample } from './samples.ts'

export interface OpenApiOptions {
  version: string
  /** URL of the API: `http://127.0.0.1:4600`. */
  url: string
  /** Whether each operation has a sample call with the client, for the reference page. */
  samples?: boolean
}

/** The values in the committed document; a server uses its own. */
export const referenceOptions: OpenApiOptions = { version: '0.1.0', url: 'http://127.0.0.1:4600' }

const keyOnly = [{ bearer: [] }, { basic: [] }]

const tokenScheme = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'JWT',
  description: 'A token of `POST /auth/issue-token` with this scope.',
}

type Named = Record<string, PlainSchema>

export function openapi({ version, url, samples }: OpenApiOptions): Record<string, unknown> {
  const schemas: Named = {}
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = operation.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [operation.method.toLowerCase()]: {
        ...describe(operation, schemas),
        ...(samples && { 'x-codeSamples': samplesOf(operation, url) }),
      },
    }
  }
  const responses = Object.fromEntries(
    Object.entries(commonErrors).map(([status, description]) => [
      `Error${status}`,
      { description, content: { 'application/json': { schema: shared(ErrorBody, schemas) } } },
    ]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: 'Postrider',
      version,
      summary: 'Self-hosted notification delivery, compatible with the REST API of Courier.',
      description:
        `Compatible with the REST API of Courier ([differences](${url}/docs/coming-from-courier#differences)). ` +
        'Requests have an API key as a bearer token. Bodies and replies are JSON; an error is `{"message", "type", "code", "param", "doc"}`. A `POST` with an `Idempotency-Key` can be retried safely. `Postrider-Warnings` of a reply, a JSON list of sentences, names what in a call had no effect; with `Prefer: handling=strict` it is a 400. Times are milliseconds since the Unix epoch unless documented otherwise.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url }],
    security: keyOnly,
    tags: resources.map(({ name, title, description }) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'An API key.' },
        token: tokenScheme,
        basic: { type: 'http', scheme: 'basic', description: 'Any user name, with an API key as the password.' },
      },
      parameters: {
        IdempotencyKey: {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          description:
            'Makes retries safe: the first reply is stored for 25 hours and returned again, with `Idempotent-Replayed: true`. The same key with another body is a 409, `idempotency_key_reused`. Exception: a send of a Courier SDK, recognized by its headers, that differs from the first one in `data`, `content` or `metadata` only gets the first reply, with `Idempotency-Mismatch: true`.',
          schema: { type: 'string', minLength: 1, maxLength: idempotencyKeyCharactersMax },
        },
        ...Object.fromEntries(
          Object.values(preconditionHeaders).map(({ component, name, description, schema }) => [
            component,
            { name, in: 'header', required: false, description, schema },
          ]),
        ),
      },
      schemas: Object.fromEntries(Object.entries(schemas).sort(([left], [right]) => (left < right ? -1 : 1))),
      responses,
    },
  }
}

/** An operation with two generations of bodies has a sample of each. */
const samplesOf = (operation: Operation, url: string) => {
  const { variant } = operation
  const sample = (label: string, body?: unknown) => ({
    lang: 'TypeScript',
    label,
    source: typescriptSample(operation, url, body),
  })
  if (!variant) return [sample('Postrider client')]
  return [sample('Client, first generation'), sample('Client, second generation', variant.example.body)]
}

function describe(operation: Operation, schemas: Named): Record<string, unknown> {
  const { id, summary, origin, access, token, example } = operation
  const description = descriptionOf(operation)
  return {
    operationId: id,
    tags: [resourceOf(id)],
    summary,
    ...(description ? { description } : {}),
    ...(origin === 'postrider' ? { 'x-postrider-own': true } : {}),
    ...(access === 'open' ? { security: [] } : { 'x-role': roleOf(operation) }),
    ...(token ? { security: [...keyOnly, { token: scopesFor(token) }] } : {}),
    parameters: [
      ...parameters('path', operation.params, example?.params, schemas),
      ...parameters('query', operation.query, example?.query, schemas),
      ...(takesIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
      ...(operation.preconditions ?? []).map((precondition) => ({
        $ref: `#/components/parameters/${preconditionHeaders[precondition].component}`,
      })),
    ],
    ...requestBodyOf(operation, schemas),
    responses: responsesOf(operation, schemas),
  }
}

function descriptionOf(operation: Operation): string | undefined {
  const needed = accessNotes[accessOf(operation)]
  return [operation.description, needed].filter(Boolean).join(' ') || undefined
}

/** Only POST is not idempotent by itself, and only JSON replies are stored. */
function requestBodyOf({ body, bodyOptional, acceptsText, example, variant }: Operation, schemas: Named) {
  if (!body) return {}
  const required = !bodyOptional
  const text = acceptsText ? { 'text/plain': { schema: { type: 'string' } } } : {}
  if (!variant)
    return { requestBody: { required, content: { ...json(shared(body, schemas), example?.body), ...text } } }
  const schema = { anyOf: [shared(body, schemas), shared(variant.body, schemas)] }
  const more = Object.entries(variant.examples ?? {}).map(([summary, value]) => ({ summary, value }))
  const examples = {
    first: { summary: 'First generation', value: example?.body },
    [variant.key]: { summary: `Second generation, with ${variant.key}`, value: variant.example.body },
    ...Object.fromEntries(more.map((example, index) => [`${variant.key}${index + 2}`, example])),
  }
  return { requestBody: { required, content: { 'application/json': { schema, examples } } } }
}

function parameters(
  place: 'path' | 'query',
  group: Operation['params'],
  example: Record<string, unknown> | undefined,
  schemas: Named,
) {
  return Object.entries(group?.properties ?? {}).map(([name, schema]) => {
    const { description } = schema as { description?: string }
    return {
      name,
      in: place,
      required: place === 'path' || ((group?.required ?? []) as string[]).includes(name),
      ...(description ? { description } : {}),
      ...(place === 'query' ? { style: 'form', explode: true } : {}),
      schema: shared(schema, schemas),
      ...(example?.[name] === undefined ? {} : { example: example[name] }),
    }
  })
}

function responsesOf(operation: Operation, schemas: Named) {
  const { replies, produces, access, body, params } = operation
  const responses: Record<string, unknown> = {}
  for (const [status, schema] of Object.entries(replies)) {
    const description = (schema as { description?: string } | null)?.description ?? phrases[status] ?? 'Success.'
    const success = status.startsWith('2')
    if (schema === null) responses[status] = { description }
    // An error that is a text is of the same media type.
    else if (produces && (success || isText(schema)))
      responses[status] = {
        description,
        content: Object.fromEntries(produces.split(', ').map((media) => [media, { schema: shared(schema, schemas) }])),
      }
    else
      responses[status] = {
        description,
        content: withExamples(shared(schema, schemas), success ? examplesOf(operation, Number(status)) : {}),
      }
  }
  for (const status of Object.keys(commonErrors)) {
    if (access === 'open' && !isErrorOfOpen(status, operation)) continue
    if (status === '409' && operation.preconditions) {
      responses[status] ??= precondition409
      continue
    }
    if (status === '409' && !takesIdempotencyKey(operation)) continue
    if (status === '413' && !body && !takesRawBody(operation)) continue
    if (status === '414' && !params) continue
    responses[status] ??= { $ref: `#/components/responses/Error${status}` }
  }
  return responses
}

const precondition409 = {
  description: 'The condition of the call does not hold, and nothing was written.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

const takesRawBody = ({ method, readsRawBody }: Operation) => method === 'POST' && readsRawBody === true

/** An open operation has no caller; its path and its body can still be invalid or too large. */
const isErrorOfOpen = (status: string, operation: Operation): boolean =>
  status === '500' ||
  (operation.params !== undefined && ['400', '414'].includes(status)) ||
  ((operation.body !== undefined || takesRawBody(operation)) && ['413', '415'].includes(status))

const isText = (schema: TSchema) => 'type' in schema && schema.type === 'string'

/** Examples of the generations with this status; the first generation has no name in the contract. */
function examplesOf(operation: Operation, status: number): Record<string, unknown> {
  const { example, variant } = operation
  return {
    ...(status === successOf(operation).status && example?.reply !== undefined && { first: example.reply }),
    ...(variant?.status === status && { [variant.key]: variant.example.reply }),
  }
}

function withExamples(schema: PlainSchema, examples: Record<string, unknown>) {
  const [only, ...others] = Object.entries(examples)
  if (others.length === 0) return json(schema, only?.[1])
  const named = Object.fromEntries(Object.entries(examples).map(([name, value]) => [name, { value }]))
  return { 'application/json': { schema, examples: named } }
}

const phrases: Record<string, string> = {
  200: 'The result.',
  201: 'Created.',
  204: 'Success; no body.',
  302: 'A redirect.',
}

const json = (schema: PlainSchema, example: unknown) => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})

/** A copy in which every titled schema is a reference to `schemas`, where it is put. */
function shared(schema: TSchema, schemas: Named): PlainSchema {
  return hoist(plainSchema(schema), schemas)
}

function hoist(schema: PlainSchema, schemas: Named): PlainSchema {
  const { title } = schema
  if (title === undefined) return inner(schema, schemas)
  schemas[title] ??= inner(schema, schemas)
  return { $ref: `#/components/schemas/${title}` }
}

function inner(schema: PlainSchema, schemas: Named): PlainSchema {
  const copy: PlainSchema = { ...schema }
  // Validators require the type.
  const only = schema.const ?? schema.enum?.[0]
  if (schema.type === undefined && only !== undefined) copy.type = typeof only
  const each = (group: Named) =>
    Object.fromEntries(Object.entries(group).map(([key, value]) => [key, hoist(value, schemas)]))
  if (schema.properties) copy.properties = each(schema.properties)
  if (typeof schema.additionalProperties === 'object')
    copy.additionalProperties = hoist(schema.additionalProperties, schemas)
  if (schema.items) copy.items = hoist(schema.items, schemas)
  if (schema.anyOf) copy.anyOf = schema.anyOf.map((variant) => hoist(variant, schemas))
  return copy
}
