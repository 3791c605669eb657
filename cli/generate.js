/** Writes the table of operations that the command reads, `src/operations/generated.ts`, from the compiled contract and server; `--print` to standard output. */
import { writeFileSync } from 'node:fs'
import { callerOperations, statusOutcome } from '@postrider/contract'
import { providers } from '@postrider/server/providers'

const text = `// biome-ignore-all format: generated
/** Every operation of the API as the command needs it, generated from the contract and the adapters by \`npm run generate -w cli\`. */
import type { Operation } from './operation.ts'

export const operations = {
${callerOperations.map((operation) => `  ${JSON.stringify(operation.id)}: ${JSON.stringify(entryOf(operation))},`).join('\n')}
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations

/** How far a message with this status is. */
export const statusOutcome = ${JSON.stringify(statusOutcome)} as const

/** The adapters of this version, for completion. */
export const providerNames: readonly string[] = ${JSON.stringify([...providers.keys()].sort())}
`

if (process.argv.includes('--print')) process.stdout.write(text)
else writeFileSync(new URL('src/operations/generated.ts', import.meta.url), text)

function entryOf({ method, path, summary, params, query, body, bodyOptional, acceptsText, produces, preconditions }) {
  const queryFields = query && fieldsOf(query)
  return {
    method,
    path,
    summary,
    ...(params && { params: fieldsOf(params) }),
    ...(queryFields && { query: queryFields }),
    ...(queryFields?.cursor && { isPaged: true }),
    ...(body && { body: bodyFieldsOf(body) }),
    ...(body && !bodyOptional && { needsBody: true }),
    ...(acceptsText && { acceptsText }),
    ...(produces && { produces }),
    ...(preconditions && { preconditions }),
  }
}

/** Fields of a body with a single member are also described inside it: \`{ topic: { status, … } }\`. */
function bodyFieldsOf(body) {
  const fields = fieldsOf(body)
  const [[name, field] = [], ...others] = Object.entries(fields)
  const inner = name === undefined || others.length > 0 ? undefined : unwrapped(body.properties[name])
  return inner?.properties ? { [name]: { ...field, fields: fieldsOf(inner) } } : fields
}

function fieldsOf({ properties = {}, required = [] }) {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const { enum: values, const: constant, description } = { description: schema.description, ...unwrapped(schema) }
      return [
        name,
        {
          kind: kindOf(schema),
          about: schema.description ?? description ?? '',
          ...(required.includes(name) && { required: true }),
          ...(values && { values }),
          ...(constant !== undefined && { constant }),
        },
      ]
    }),
  )
}

function branches(schema) {
  return (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null')
}

/** The schema itself, without the null that it can be instead. */
function unwrapped(schema) {
  const [only, ...others] = branches(schema)
  return only && others.length === 0 ? only : schema
}

function kindOf(schema) {
  const types = branches(schema).map((branch) =>
    branch.enum || typeof branch.const === 'string' ? 'string' : branch.type,
  )
  if (types.includes('string')) return 'text'
  if (types.length !== 1) return 'json'
  if (types[0] === 'number' || types[0] === 'integer') return 'number'
  return types[0] === 'boolean' ? 'boolean' : 'json'
}
