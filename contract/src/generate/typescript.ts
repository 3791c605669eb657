/** Generates the source of the client: plain interfaces and a typed function for each operation. */
import { errorCodes } from '../api/error-codes.ts'
import { type Operation, type Precondition, successOf } from '../api/operation.ts'
import { resourceOf } from '../api/resource.ts'
import { resources } from '../operations.ts'
import {
  clientFields,
  clientShapes,
  furtherShapes,
  type ProviderSettings,
  settingsShapes,
  writtenShapes,
} from './client-shapes.ts'
import { messageTypes } from './message-shapes.ts'
import { type PlainSchema, plainSchema } from './plain-schema.ts'

type Shapes = Map<string, string>

/** The source of the type of error codes, in a file of its own: the errors of the client stand below its calls. */
export const errorCodeType = (): string => `// biome-ignore-all format: generated
/** The codes of errors, generated from the contract by \`npm run generate -w client\`; docs/errors.md has their meanings. */
export type ErrorCode =
${Object.keys(errorCodes)
  .map((code) => `  | '${code}'\n`)
  .join('')}`

export function typescript(operations: readonly Operation[], providers: readonly ProviderSettings[]): string {
  const shapes: Shapes = new Map()
  for (const schema of [...settingsShapes(providers), ...furtherShapes]) typeOf(schema, shapes)
  const groups = new Map<string, string[]>()
  for (const operation of operations) {
    const resource = resourceOf(operation.id)
    groups.set(resource, [...(groups.get(resource) ?? []), method(operation, shapes)])
  }
  const groupComment = (resource: string) => comment(resources.find(({ name }) => name === resource) ?? {})
  const calls = [...groups].map(([resource, methods]) =>
    methods.length === 1 && methods[0]?.includes(`\n${resource}: `)
      ? indented(methods[0])
      : indented(`${groupComment(resource)}${resource}: {\n${indented(methods.join(''))}},\n`),
  )
  const names = [...groups.keys()]
  // It has a file of its own.
  shapes.delete('ErrorCode')
  const sorted = [...shapes.keys()].sort().map((title) => shapes.get(title))
  return `// biome-ignore-all format: generated
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: generated
/** The shapes and calls of the API, generated from the contract by \`npm run generate -w client\`. */
import { type Call, type CallOptions, type IfAbsent, type IfUnchanged, segment } from './call.ts'
import type { ErrorCode } from './error-code.generated.ts'
import { type Listing, listing } from './listing.ts'
import type { InLocales, IntegrationChange, IntegrationOf, NoSettings, WithReferences } from './shape-parts.ts'
import type { SendCall, TemplateName, TypedBulk, TypedMessage, TypedSend } from './templates.ts'

${sorted.join('\n')}
${messageTypes}
/** All calls of the API, bound to \`call\`. */
export const api = (call: Call) => ({
${calls.join('')}})

type Api = ReturnType<typeof api>

/** One property for each resource; \`Postrider\` inherits them. */
export class ApiResources implements Api {
${indented(names.map((name) => `${groupComment(name)}readonly ${name}: Api['${name}']\n`).join(''))}
  constructor(call: Call) {
    const calls = api(call)
${names.map((name) => `    this.${name} = calls.${name}\n`).join('')}  }
}
`
}

/** `messages.list` → `MessagesList`, `send.send` → `Send`. */
function typePrefix(id: string): string {
  const [resource = '', verb = ''] = id.split('.')
  return capital(resource) + (resource === verb ? '' : capital(verb))
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())

function method(operation: Operation, shapes: Shapes): string {
  const { id, summary, description, method, path, params, query, body, bodyOptional, produces } = operation
  const prefix = typePrefix(id)
  const names = Object.keys(params?.properties ?? {})
  const inputs = names.map((name) => `${camel(name)}: ${typeOf(plainSchema(params?.properties[name] ?? {}), shapes)}`)
  if (body) {
    const type = named(plainSchema(body), `${prefix}Body`, shapes)
    inputs.push(`body${bodyOptional ? '?' : ''}: ${id === 'bulk.create' ? `TypedBulk<${type}>` : type}`)
  }
  const queryType = query ? named(plainSchema(query), `${prefix}Query`, shapes) : ''
  const isOption = isAmongOptions(operation)
  if (query && !isOption) inputs.push(`query?: ${queryType}`)
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => `\${segment(${camel(name)})}`)
  const request = [
    `method: '${method}'`,
    `path: \`${url}\``,
    ...(body ? ['body'] : []),
    ...(produces ? [isBinary(produces) ? 'stream: true' : 'text: true'] : []),
    'options',
  ]
  const requestOf = `{ ${[...request, ...(query ? [`query: ${queryIn(operation)}`] : [])].join(', ')} }`
  const reply = replyOf(operation, shapes)
  const item = query && 'cursor' in query.properties ? pageItem(operation, shapes) : undefined
  const made = item
    ? `listing((cursor) => call<${reply}>({ ${request.join(', ')}, query: { ...query, ...cursor } }), (page) => page.${item.key})`
    : `call<${reply}>(${requestOf})`
  const result = item ? `Listing<${reply}, ${item.type}>` : `Promise<${reply}>`
  const options = [
    'CallOptions',
    ...(operation.preconditions ?? []).map(preconditionType),
    ...(isOption ? [queryType] : []),
  ]
  const head = [...inputs, `options?: ${options.join(' & ')}`].join(', ')
  const call = operation.variant ? variantCall(operation, requestOf, shapes) : `(${head}): ${result} =>\n  ${made}`
  return `/** ${[`${summary}.`.replace('?.', '?'), description, `\`${method} ${path}\`.`].filter(Boolean).join(' ')} */
${id.split('.')[1]}: ${call},
`
}

const preconditionType = (precondition: Precondition) =>
  ({ absent: 'IfAbsent', unchanged: 'IfUnchanged' })[precondition]

/** `strict`, and the query of a call with two generations of bodies, is passed with the options. */
const isAmongOptions = ({ query, variant }: Operation) =>
  query !== undefined && (variant !== undefined || Object.hasOwn(query.properties, 'strict'))

function queryIn(operation: Operation): string {
  if (!isAmongOptions(operation)) return '{ ...query }'
  const { query } = operation
  const names = Object.keys(query?.properties ?? {})
  return `{ ${names.map((name) => `${name}: options?.${name}`).join(', ')} }`
}

/** If the reply depends on the generation of the body, the type of the call relates them. */
function variantCall(operation: Operation, request: string, shapes: Shapes): string {
  const { id, body, query, variant, replies } = operation
  const prefix = typePrefix(id)
  const first = named(plainSchema(body ?? {}), `${prefix}Body`, shapes)
  const second = named(plainSchema(variant?.body ?? {}), `${prefix}${capital(variant?.key ?? '')}Body`, shapes)
  const reply = replyOf(operation, shapes)
  const other = named(plainSchema(replies[variant?.status ?? 200] ?? {}), `${prefix}Reply`, shapes)
  const options = query ? `CallOptions & ${named(plainSchema(query), `${prefix}Query`, shapes)}` : 'CallOptions'
  const head = `(body: TypedSend<${first}> | TypedMessage<${second}>, options?: ${options})`
  if (reply === other) return `${head}: Promise<${reply}> =>\n  call<${reply}>(${request})`
  return `((body: ${first} | ${second}, options?: ${options}) => call(${request})) as SendCall<${first}, ${reply}, ${second}, ${other}, ${options}>`
}

function success(operation: Operation): PlainSchema | undefined {
  const { schema } = successOf(operation)
  return schema ? plainSchema(schema) : undefined
}

function replyOf(operation: Operation, shapes: Shapes): string {
  const schema = success(operation)
  if (!schema) return 'void'
  if (operation.produces) return isBinary(operation.produces) ? 'ReadableStream<Uint8Array>' : 'string'
  const first = named(schema, `${typePrefix(operation.id)}Reply`, shapes)
  if (operation.variant) return first
  return [first, ...furtherReplies(operation).map((other) => typeOf(other, shapes))].join(' | ')
}

/** Further success replies; they have titles. */
function furtherReplies({ replies }: Operation): PlainSchema[] {
  const schemas = Object.entries(replies).flatMap(([status, schema]) =>
    status.startsWith('2') && schema ? [schema] : [],
  )
  return schemas.slice(1).map(plainSchema)
}

const isBinary = (mediaType: string) => /^application\/(?!json)/.test(mediaType)

/** The first array of a page. */
function pageItem(operation: Operation, shapes: Shapes): { key: string; type: string } | undefined {
  const lists = Object.entries(success(operation)?.properties ?? {}).filter(([, field]) => field.items)
  const [key, field] = lists[0] ?? []
  return key && field?.items ? { key, type: typeOf(field.items, shapes) } : undefined
}

function named(schema: PlainSchema, name: string, shapes: Shapes): string {
  return schema.properties ? typeOf({ ...schema, title: schema.title ?? name }, shapes) : typeOf(schema, shapes)
}

function typeOf(wire: PlainSchema, shapes: Shapes): string {
  const { title } = wire
  if (title === undefined) return bare(wire, shapes)
  if (writtenShapes.has(title)) return title
  const schema = clientShapes.get(title) ?? wire
  if (!shapes.has(title)) {
    // Set first: recursive shapes refer to it.
    shapes.set(title, '')
    const integration = integrationTypes[title]
    if (integration) {
      shapes.set(title, integrationType(schema, integration, shapes))
      return title
    }
    const head =
      schema.typescript === undefined && Object.keys(schema.properties ?? {}).length > 0
        ? `export interface ${title} `
        : `export type ${title} = `
    shapes.set(title, `${comment(schema)}${head}${bare(schema, shapes)}\n`)
  }
  return title
}

/** Types of bodies whose settings depend on their provider. */
const integrationTypes: Readonly<Record<string, string>> = {
  IntegrationWrite: 'IntegrationOf',
  IntegrationUpdate: 'IntegrationChange',
}

function integrationType(schema: PlainSchema, type: string, shapes: Shapes): string {
  const { provider: _provider, settings: _settings, ...properties } = schema.properties ?? {}
  const fields = typeOf(
    { title: 'IntegrationFields', description: 'Fields of integrations of every provider.', properties },
    shapes,
  )
  return `${comment(schema)}export type ${schema.title} = ${type}<SettingsByProvider, ${fields}>\n`
}

function bare(schema: PlainSchema, shapes: Shapes): string {
  if (schema.typescript !== undefined) return schema.typescript
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const)
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.properties)
    return Object.keys(schema.properties).length > 0 ? fields(schema, shapes) : 'Record<string, never>'
  if (schema.anyOf) {
    const variants = schema.anyOf.map((variant) => typeOf(variant, shapes))
    return variants.map((type) => (schema.references ? `WithReferences<${type}>` : type)).join(' | ')
  }
  if (schema.items) return `Array<${typeOf(schema.items, shapes)}>`
  if (typeof schema.additionalProperties === 'object')
    return `Record<string, ${typeOf(schema.additionalProperties, shapes)}>`
  const plain: Record<string, string> = { integer: 'number', object: 'Record<string, unknown>' }
  return schema.type === undefined ? 'unknown' : (plain[schema.type] ?? schema.type)
}

function fields(schema: PlainSchema, shapes: Shapes): string {
  const lines = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = fieldType(schema.title, name, field, shapes)
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    const required = schema.required?.includes(name)
    return `${field.title ? '' : comment(field)}${key}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}\n`
  })
  if (schema.additionalProperties === true) lines.push('[field: string]: unknown\n')
  return `{\n${indented(lines.join(''))}}`
}

/** The shapes of the field are written in any case: a type that is given may be made of them. */
function fieldType(title: string | undefined, name: string, field: PlainSchema, shapes: Shapes): string {
  const type = typeOf(field, shapes)
  const typeName = clientFields[title ?? '']?.[name]
  if (typeName === undefined) return type
  return type.endsWith(' | null') ? `${typeName} | null` : typeName
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

const comment = ({ description }: Pick<PlainSchema, 'description'>) =>
  description ? `/** ${description.replaceAll('*/', '* /')} */\n` : ''
