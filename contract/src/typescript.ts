/** The contract as the source of the client: plain interfaces and one typed function for each JSON operation. */
import { type Operation, successOf } from './operation.ts'
import { resourceOf, resources } from './resources.ts'
import { type PlainSchema, plainSchema } from './schema.ts'

type Shapes = Map<string, string>

export function typescript(operations: readonly Operation[]): string {
  const shapes: Shapes = new Map()
  const groups = new Map<string, string[]>()
  for (const operation of operations) {
    const resource = resourceOf(operation.id)
    groups.set(resource, [...(groups.get(resource) ?? []), method(operation, shapes)])
  }
  const calls = [...groups].map(([resource, methods]) =>
    methods.length === 1 && methods[0]?.includes(`\n${resource}: `)
      ? indented(methods[0])
      : indented(`/** ${resources[resource]?.description} */\n${resource}: {\n${indented(methods.join(''))}},\n`),
  )
  const sorted = [...shapes.keys()].sort().map((title) => shapes.get(title))
  return `// biome-ignore-all format: generated
// biome-ignore-all lint/complexity/noExcessiveLinesPerFunction: generated
/** The shapes and calls of the API, drawn from the contract by \`npm run generate -w client\`. */
import { type Call, type CallOptions, segment } from './call.ts'
import { type Listing, listing } from './listing.ts'

${sorted.join('\n')}
/** Every call, ready to be made through \`call\`. */
export const api = (call: Call) => ({
${calls.join('')}})
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
  if (body) inputs.push(`body${bodyOptional ? '?' : ''}: ${named(plainSchema(body), `${prefix}Body`, shapes)}`)
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
  const reply = replyOf(operation, shapes)
  const item = query && 'cursor' in query.properties ? pageItem(operation, shapes) : undefined
  const answer = operation.variant ? '' : `<${reply}>`
  const made = item
    ? `listing((cursor) => call<${reply}>({ ${request.join(', ')}, query: { ...query, ...cursor } }), (page) => page.${item.key})`
    : `call${answer}({ ${[...request, ...(query ? [`query: ${queryIn(operation)}`] : [])].join(', ')} })`
  const result = item ? `Listing<${reply}, ${item.type}>` : `Promise<${reply}>`
  const head = [...inputs, `options?: CallOptions${isOption ? ` & ${queryType}` : ''}`].join(', ')
  const signature = operation.variant ? overloads(operation, shapes) : `(${head}): ${result} =>`
  return `/** ${[`${summary}.`.replace('?.', '?'), description, `\`${method} ${path}\`.`].filter(Boolean).join(' ')} */
${id.split('.')[1]}: ${signature}
  ${made},
`
}

/** Whether a send is strict says how the call is treated, as its other options do. */
const isAmongOptions = ({ query }: Operation) => query !== undefined && Object.hasOwn(query.properties, 'strict')

function queryIn(operation: Operation): string {
  if (!isAmongOptions(operation)) return '{ ...query }'
  const { query } = operation
  const names = Object.keys(query?.properties ?? {})
  return `{ ${names.map((name) => `${name}: options?.${name}`).join(', ')} }`
}

/** The reply follows from the generation of the body. */
function overloads(operation: Operation, shapes: Shapes): string {
  const { id, body, query, variant, replies } = operation
  const prefix = typePrefix(id)
  const first = named(plainSchema(body ?? {}), `${prefix}Body`, shapes)
  const second = named(plainSchema(variant?.body ?? {}), `${prefix}${capital(variant?.key ?? '')}Body`, shapes)
  const reply = replyOf(operation, shapes)
  const other = named(plainSchema(replies[variant?.status ?? 200] ?? {}), `${prefix}Reply`, shapes)
  const made = reply === other ? reply : `Body extends { ${variant?.key}: unknown } ? ${other} : ${reply}`
  const asked = query ? ` & ${named(plainSchema(query), `${prefix}Query`, shapes)}` : ''
  return `<Body extends ${first} | ${second}>(body: Body, options?: CallOptions${asked}): Promise<${made}> =>`
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

/** What else may come with a status of success; these have titles. */
function furtherReplies({ replies }: Operation): PlainSchema[] {
  const schemas = Object.entries(replies).flatMap(([status, schema]) =>
    status.startsWith('2') && schema ? [schema] : [],
  )
  return schemas.slice(1).map(plainSchema)
}

const isBinary = (mediaType: string) => /^application\/(?!json)/.test(mediaType)

/** The one list in a page. */
function pageItem(operation: Operation, shapes: Shapes): { key: string; type: string } | undefined {
  const lists = Object.entries(success(operation)?.properties ?? {}).filter(([, field]) => field.items)
  const [key, field] = lists[0] ?? []
  return key && field?.items ? { key, type: typeOf(field.items, shapes) } : undefined
}

function named(schema: PlainSchema, name: string, shapes: Shapes): string {
  return schema.properties ? typeOf({ ...schema, title: schema.title ?? name }, shapes) : typeOf(schema, shapes)
}

function typeOf(schema: PlainSchema, shapes: Shapes): string {
  const { title } = schema
  if (title === undefined) return bare(schema, shapes)
  if (!shapes.has(title)) {
    // Set first: the place is taken while its own parts are drawn.
    shapes.set(title, '')
    const head = schema.properties ? `export interface ${title} ` : `export type ${title} = `
    shapes.set(title, `${comment(schema)}${head}${bare(schema, shapes)}\n`)
  }
  return title
}

function bare(schema: PlainSchema, shapes: Shapes): string {
  if (schema.const !== undefined) return typeof schema.const === 'string' ? `'${schema.const}'` : String(schema.const)
  if (schema.enum) return schema.enum.map((value) => `'${value}'`).join(' | ')
  if (schema.properties) return fields(schema, shapes)
  if (schema.anyOf) return schema.anyOf.map((variant) => typeOf(variant, shapes)).join(' | ')
  if (schema.items) return `Array<${typeOf(schema.items, shapes)}>`
  if (typeof schema.additionalProperties === 'object')
    return `Record<string, ${typeOf(schema.additionalProperties, shapes)}>`
  const plain: Record<string, string> = { integer: 'number', object: 'Record<string, unknown>' }
  return schema.type === undefined ? 'unknown' : (plain[schema.type] ?? schema.type)
}

function fields(schema: PlainSchema, shapes: Shapes): string {
  const lines = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const type = typeOf(field, shapes)
    const key = /^\w+$/.test(name) ? name : `'${name}'`
    const required = schema.required?.includes(name)
    return `${field.title ? '' : comment(field)}${key}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}\n`
  })
  if (schema.additionalProperties === true) lines.push('[field: string]: unknown\n')
  return `{\n${indented(lines.join(''))}}`
}

const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

const comment = ({ description }: PlainSchema) => (description ? `/** ${description.replaceAll('*/', '* /')} */\n` : '')
