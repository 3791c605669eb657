/** The whole API as one Markdown page: per resource, per operation, with fields, replies and an example. */
import { commonErrors } from '../api/errors.ts'
import { pageMax, textCharactersMax } from '../api/limits.ts'
import { accessNotes, accessOf, type Operation, preconditionHeaders } from '../api/operation.ts'
import { resourceOf } from '../api/resource.ts'
import { scopesFor } from '../api/scopes.ts'
import { resources, roleOf } from '../operations.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'

const BASE_URL = 'http://127.0.0.1:4600'

export function reference(operations: readonly Operation[]): string {
  const shapes = new Map<string, PlainSchema>()
  const sections = resources.map(({ name, title, description }) => {
    const ofResource = operations.filter(({ id }) => resourceOf(id) === name)
    return [`## ${title}`, description, ...ofResource.map((operation) => page(operation, shapes))].join('\n\n')
  })
  return `${[intro, contents(operations), ...sections, shapePages(shapes)].join('\n\n')}\n`
}

const intro = `# API reference

Generated from the contract (\`npm run generate\`). The same as OpenAPI 3.1: [openapi.json](openapi.json).

Every request carries an API key: \`Authorization: Bearer <key>\`, or basic authorization with the key as the password. Some operations also accept a [token](#auth-issuetoken). Bodies and replies are JSON. Timestamps are integers, milliseconds since the Unix epoch, unless documented otherwise. Unknown fields of a body and unknown query parameters are ignored, and the header \`Postrider-Warnings\` of the reply names them: a JSON list of sentences. With \`Prefer: handling=strict\` they are a 400. Operations specific to Postrider, which are marked, always refuse unknown query parameters. [Warnings](../guides/sending.md#warnings) has the details. A string in a query has at most ${textCharactersMax} characters.

Almost every \`POST\` that writes takes an \`Idempotency-Key\` header: the first reply is stored for 25 hours and returned again for the same key, with \`Idempotent-Replayed: true\`. If the body differs from that of the first call, nothing is done, and the reply is a 409 (\`idempotency_key_reused\`). Lists return a \`paging\` object; its \`cursor\` requests the next page while \`more\` is true. \`limit\` is the number of items per page, from 1 to ${pageMax}; other numbers are clamped to this range; operations specific to Postrider refuse them with 400.

An error is \`{"message": "…", "type": "…", "code": "…", "param": "…", "doc": "…"}\`; the [codes](../errors.md) say what it means and what to do. Its status is one of these:

| Status | Meaning |
|---|---|
${Object.entries(commonErrors)
  .map(([status, meaning]) => `| ${status} | ${meaning} |`)
  .join('\n')}`

function contents(operations: readonly Operation[]): string {
  const rows = operations.map(
    ({ id, method, path, summary }) => `| \`${method} ${path}\` | [${summary}](#${operationAnchor(id)}) |`,
  )
  return ['| Call | |', '|---|---|', ...rows].join('\n')
}

/** Its anchor on the page. */
export const operationAnchor = (id: string) => id.replaceAll('.', '-').toLowerCase()

function page(operation: Operation, shapes: Map<string, PlainSchema>): string {
  const { id, method, path, summary, description, params, query, body, bodyOptional, access } = operation
  return [
    `<a id="${operationAnchor(id)}"></a>\n\n### ${summary}`,
    `\`${method} ${path}\`${access === 'open' ? ' (no key needed)' : ''}`,
    description,
    rules(operation),
    params && fields('Path', plainSchema(params), shapes),
    query && fields('Query', plainSchema(query), shapes),
    body && bodySection(bodyOptional ? 'Body (optional)' : 'Body', plainSchema(body), shapes),
    replies(operation, shapes),
    curl(operation),
  ]
    .filter((part) => part !== undefined)
    .join('\n\n')
}

/** Origin, required credentials and recommended rate limit. */
function rules(operation: Operation): string | undefined {
  const { origin, access, token, recommendedPerMinute } = operation
  const originNote = origin === 'postrider' && "Specific to Postrider: Courier's API has no such operation."
  const kind = accessNotes[accessOf(operation)]
  const least = roleOf(operation)
  const mockRole = operation.mockRole ? `; \`${operation.mockRole}\` with a mock key` : ''
  const role = access !== 'open' && least !== 'viewer' && `Role: \`${least}\`${mockRole}.`
  const scopes = token && `Also accepts a [token](#auth-issuetoken) with \`${scopesFor(token).join('` and `')}\`.`
  const limit = recommendedPerMinute && `Recommended limit: ${recommendedPerMinute} calls a minute.`
  const conditions = operation.preconditions?.map((condition) => {
    const { name, description } = preconditionHeaders[condition]
    return `\`${name}\`: ${description}`
  })
  return [originNote, kind, role, scopes, limit, ...(conditions ?? [])].filter(Boolean).join(' ') || undefined
}

/** A body with several forms has its own section among the shapes. */
function bodySection(heading: string, schema: PlainSchema, shapes: Map<string, PlainSchema>): string {
  if (schema.properties) return fields(heading, schema, shapes)
  collect(schema, shapes)
  return `${heading}: ${linked(schema)}.`
}

export function fields(heading: string, schema: PlainSchema, shapes: Map<string, PlainSchema>): string {
  const rows = rowsOf(schema, shapes)
  return [`| ${heading} | Type | | Meaning |`, '|---|---|---|---|', ...rows].join('\n')
}

function rowsOf(schema: PlainSchema, shapes: Map<string, PlainSchema>): string[] {
  return Object.entries(schema.properties ?? {}).map(([name, field]) => {
    collect(field, shapes)
    const need = schema.required?.includes(name) ? 'required' : ''
    const meaning = field.description ?? field.items?.description ?? ''
    const summary = field.title ? lead(meaning) : meaning
    return `| \`${name}\` | ${linked(field)} | ${need} | ${[summary, bounds(field)].filter(Boolean).join(' ')} |`
  })
}

function bounds({ maxLength, maxItems, minimum, maximum }: PlainSchema): string {
  if (maxItems !== undefined) return `At most ${maxItems}.`
  if (maximum !== undefined) return `From ${minimum} to ${maximum}.`
  return maxLength === undefined || maxLength === textCharactersMax ? '' : `At most ${maxLength} characters.`
}

/** The first sentence; the rest is in the section of the shape. */
const lead = (description: string) => `${description.split(/[.:](?:\s|$)/)[0]}.`

/** A type name in which every shared shape links to its own section. */
function linked(schema: PlainSchema): string {
  if (schema.title) return `[${schema.title}](#${shapeAnchor(schema.title)})`
  if (schema.anyOf && !schema.type) return schema.anyOf.map(linked).join(' or ')
  if (schema.items) return `list of ${linked(schema.items)}`
  if (typeof schema.additionalProperties === 'object') return `map of ${linked(schema.additionalProperties)}`
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' ')
  if (schema.properties) {
    const parts = Object.entries(schema.properties).map(([name, field]) => `\`${name}\`: ${linked(field)}`)
    return `{ ${parts.join(', ')} }`
  }
  if (schema.const !== undefined) return `\`${schema.const}\``
  return schema.type ?? 'any'
}

const shapeAnchor = (title: string) => `shape-${title.toLowerCase()}`

function collect(schema: PlainSchema, shapes: Map<string, PlainSchema>): void {
  if (schema.title) {
    if (shapes.has(schema.title)) return
    shapes.set(schema.title, schema)
  }
  const parts = [...Object.values(schema.properties ?? {}), ...(schema.anyOf ?? [])]
  for (const part of parts) collect(part, shapes)
  if (schema.items) collect(schema.items, shapes)
  if (typeof schema.additionalProperties === 'object') collect(schema.additionalProperties, shapes)
}

function replies({ replies: all, produces }: Operation, shapes: Map<string, PlainSchema>): string {
  const rows = Object.entries(all).map(([status, schema]) => {
    if (schema === null) return `| ${status} | no body | |`
    const plain = plainSchema(schema)
    collect(plain, shapes)
    const type = produces && (status.startsWith('2') || plain.type === 'string') ? produces : linked(plain)
    return `| ${status} | ${type} | ${plain.description ?? ''} |`
  })
  return ['| Reply | Body | |', '|---|---|---|', ...rows].join('\n')
}

function curl({ method, path, access, example }: Operation): string {
  const filled = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(example?.params?.[name] ?? name))
  const query = new URLSearchParams(
    Object.entries(example?.query ?? {}).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString()
  const call = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${BASE_URL}${filled}${query ? `?${query}` : ''}"`,
    ...(access === 'open' ? [] : ['-H "Authorization: Bearer $POSTRIDER_API_KEY"']),
    ...(example?.body === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example.body).replaceAll("'", "'\\''")}'`]),
  ].join(' \\\n  ')
  const reply =
    example?.reply === undefined ? '' : `\n\n\`\`\`json\n${JSON.stringify(example.reply, undefined, 2)}\n\`\`\``
  return `\`\`\`sh\n${call}\n\`\`\`${reply}`
}

export function shapePages(shapes: Map<string, PlainSchema>): string {
  const pages = [...shapes.keys()].sort().map((title) => {
    const schema = shapes.get(title) ?? {}
    return [`<a id="${shapeAnchor(title)}"></a>\n\n### ${title}`, schema.description, shape(schema, shapes)]
      .filter((part) => part !== undefined)
      .join('\n\n')
  })
  return ['## Shapes', ...pages].join('\n\n')
}

function shape(schema: PlainSchema, shapes: Map<string, PlainSchema>): string | undefined {
  if (schema.properties) return fields('Field', schema, shapes)
  if (schema.enum) return schema.enum.map((value) => `\`${value}\``).join(' · ')
  const kinds = schema.anyOf?.every(({ properties }) => properties?.type?.const)
  return schema.anyOf?.map((variant) => variantOf(variant, shapes)).join(kinds ? '\n\n' : '\n\nor\n\n')
}

/** One form of a shape; if `type` distinguishes the forms, it is the heading. */
function variantOf(variant: PlainSchema, shapes: Map<string, PlainSchema>): string {
  const { type, ...others } = variant.properties ?? {}
  if (variant.title || !variant.properties) return linked(variant)
  if (!type?.const) return fields('Field', variant, shapes)
  return `**${type.const}**: ${variant.description ?? ''}\n\n${fields('Field', { ...variant, properties: others }, shapes)}`
}
