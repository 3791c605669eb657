/** The body of a call from `field=value` arguments: known fields only, each of its kind. */
import type { Fields as Assigned } from '../assign.ts'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { type JsonObject, setMember } from '../rows/columns.ts'
import type { Field, Fields } from './operation.ts'

export interface BodyParts {
  /** The fields of the body as the contract has them. */
  fields: Fields
  /** Members of the body that are arguments of the command. */
  named: Readonly<Record<string, string>>
  /** `field=value` arguments. */
  assigned: Assigned
  /** The whole body, from a file. */
  file?: Assigned
  /** Values for fields that are not given. */
  defaults?: Assigned
}

/** The one object that a body wraps, such as `topic` of `{ topic: { status } }`. */
function wrapperOf(fields: Fields, named: readonly string[]): [name: string, inner: Fields] | undefined {
  const [only, ...others] = Object.entries(fields).filter(([name]) => !named.includes(name))
  return only?.[1].fields && others.length === 0 ? [only[0], only[1].fields] : undefined
}

/** The fields that are given as `field=value`. */
export function assignable(fields: Fields, named: readonly string[]): Fields {
  const open = Object.entries(fields).filter(([name, { constant }]) => !named.includes(name) && constant === undefined)
  return wrapperOf(fields, named)?.[1] ?? Object.fromEntries(open)
}

/** Arguments take precedence over the file, and both over defaults. Throws a `Failure` for a field that is not there. */
export function bodyOf({ fields, named, assigned, file = {}, defaults = {} }: BodyParts): Assigned {
  const names = Object.keys(named)
  const constants = Object.entries(fields).flatMap(([name, { constant, required }]) =>
    constant !== undefined && required ? [[name, constant] as const] : [],
  )
  const members = membersOf(assignable(fields, names), assigned)
  const wrapper = wrapperOf(fields, names)?.[0]
  if (wrapper === undefined) return { ...Object.fromEntries(constants), ...defaults, ...file, ...members, ...named }
  const inner = { ...defaults, ...(file[wrapper] as object | undefined), ...members }
  return { ...file, ...(Object.keys(inner).length > 0 && { [wrapper]: inner }), ...named }
}

function membersOf(fields: Fields, assigned: Assigned): JsonObject {
  const body: JsonObject = {}
  for (const [key, value] of Object.entries(assigned)) {
    const path = key.split('.')
    const field = Object.hasOwn(fields, path[0] ?? '') ? fields[path[0] ?? ''] : undefined
    if (!field || (path.length > 1 && field.kind !== 'json'))
      throw new Failure(`Unknown field \`${plain(key)}\``, {
        hint: `The fields are ${Object.keys(fields).join(', ')}.`,
        exitCode: exitCodes.wrong,
      })
    const problem = setMember(body, path, path.length > 1 ? value : fieldValue(key, field, value))
    if (problem) throw new Failure(problem, { exitCode: exitCodes.wrong })
  }
  return body
}

/** Text from `field=value` becomes what the field holds; the value of `field:=json` is what it is. */
function fieldValue(name: string, { kind }: Field, value: unknown): unknown {
  if (typeof value !== 'string' || kind === 'text') return value
  const wrong = (words: string) =>
    new Failure(`\`${plain(name)}\` must be ${words}`, {
      hint: `Write ${plain(name)}:= and JSON behind it.`,
      exitCode: exitCodes.wrong,
    })
  if (kind === 'boolean') {
    if (value === 'true' || value === 'false') return value === 'true'
    throw wrong('true or false')
  }
  if (kind === 'number') {
    if (value.trim() !== '' && Number.isFinite(Number(value))) return Number(value)
    throw wrong('a number')
  }
  throw wrong('an object or a list')
}

/** For the help of a command. */
export function fieldsHelp(fields: Fields): string {
  const widest = Math.max(0, ...Object.keys(fields).map((name) => name.length))
  const lines = Object.entries(fields).map(([name, { kind, about, required, values }]) => {
    const type = values
      ? values.join(' | ')
      : { text: '', number: 'number', boolean: 'true or false', json: 'JSON' }[kind]
    const notes = [required ? 'required' : '', type].filter(Boolean).join(', ')
    return `  ${name.padEnd(widest)}  ${about.split(/(?<=\.) /)[0] ?? ''}${notes ? ` (${notes})` : ''}`
  })
  return lines.length === 0 ? '' : `Fields:\n${lines.join('\n')}`
}
