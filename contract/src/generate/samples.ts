/** Sample calls with the client in TypeScript, from the examples of operations. */
import { type Operation, successOf } from '../api/operation.ts'
import { resourceOf } from '../api/resource.ts'
import { operations } from '../operations.ts'

/** With the example of the operation, or with the body that is given. */
export function typescriptSample(operation: Operation, url: string, body?: unknown): string {
  const { params, body: bodySchema, bodyOptional, query, example, variant } = operation
  const values = Object.keys(params?.properties ?? {}).map((name) => example?.params?.[name] ?? name)
  const inputs = values.map((value) => literal(value))
  const exampleBody = body ?? example?.body ?? variant?.example.body
  if (bodySchema && (exampleBody !== undefined || !bodyOptional || example?.query))
    inputs.push(literal(exampleBody ?? {}))
  if (query && example?.query) inputs.push(literal(example.query))
  const call = `await postrider.${methodOf(operation)}(${inputs.join(', ')})`
  const isEmpty = successOf(operation).schema === null
  return `import { Postrider } from '@postrider/client'

const postrider = new Postrider({
  baseUrl: '${url}',
  apiKey: process.env.POSTRIDER_API_KEY ?? '',
})

${isEmpty ? call : `const reply = ${call}`}
`
}

/** A resource with one operation of its own name is a method itself: `send.send` is `postrider.send`. */
function methodOf({ id }: Operation): string {
  const resource = resourceOf(id)
  const isAlone = operations.filter((other) => resourceOf(other.id) === resource).length === 1
  return isAlone && id === `${resource}.${resource}` ? resource : id
}

/** A literal with quotes around names only where necessary. */
function literal(value: unknown, indent = ''): string {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (typeof value !== 'object' || value === null) return String(value)
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(
        ([name, item]) => `${/^[a-z_$][\w$]*$/i.test(name) ? name : literal(name)}: ${literal(item, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  if (parts.length === 0) return open + close
  const line = Array.isArray(value) ? `[${parts.join(', ')}]` : `{ ${parts.join(', ')} }`
  if (line.length <= LINE && !line.includes('\n')) return line
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join('')}${indent}${close}`
}

const LINE = 60
