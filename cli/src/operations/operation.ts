/** An operation of the API as the command sees it: its path, its fields, and how a request is made of them. */
import type { Postrider } from '@postrider/client'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'

type FieldKind = 'text' | 'number' | 'boolean' | 'json'

export interface Field {
  kind: FieldKind
  about: string
  required?: true
  values?: readonly string[]
  /** The only value that it can have. */
  constant?: unknown
  /** The fields of the object that is the only member of a body. */
  fields?: Fields
}

export type Fields = Readonly<Record<string, Field>>

export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** With `:name` parameters. */
  path: string
  summary: string
  params?: Fields
  query?: Fields
  /** True for a list that is read page by page, by cursor. */
  isPaged?: true
  body?: Fields
  needsBody?: true
  /** True when a body that is not JSON is taken as text. */
  acceptsText?: true
  /** Media type of the reply when it is not JSON. */
  produces?: string
  /** Conditions that a write can have: the id is free, or the stored version is the one that was read. */
  preconditions?: readonly ('absent' | 'unchanged')[]
}

export interface Inputs {
  params: Readonly<Record<string, string>>
  query?: Readonly<Record<string, unknown>>
  body?: unknown
  options?: Request['options']
}

export type Request = Parameters<Postrider['call']>[0]

export const requestOf = ({ method, path }: Operation, { params, query, body, options }: Inputs): Request => ({
  method,
  path: path.replace(/:(\w+)/g, (_found, name: string) => segment(name, params[name] ?? '')),
  ...(query && { query: { ...query } }),
  ...(body !== undefined && { body }),
  options,
})

/** `fetch` reads `.` and `..` as steps up, and an empty id as another path: the call would mean something else. */
function segment(name: string, value: string): string {
  if (value === '' || value === '.' || value === '..')
    throw new Failure(`${name} cannot be ${value === '' ? 'empty' : `\`${plain(value)}\``}`, {
      exitCode: exitCodes.wrong,
    })
  return encodeURIComponent(value)
}

/** The operation of a method and a path as it is called, such as `/tenants/acme`. */
export function operationAt(
  operations: Readonly<Record<string, Operation>>,
  method: string,
  path: string,
): Operation | undefined {
  const parts = path.split('/')
  // `/preferences/sections` comes before `/preferences/:recipient_id`.
  return Object.values(operations)
    .filter((operation) => operation.method === method && matches(operation.path.split('/'), parts))
    .sort((left, right) => left.path.split(':').length - right.path.split(':').length)[0]
}

const matches = (pattern: readonly string[], parts: readonly string[]) =>
  pattern.length === parts.length &&
  pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : part === parts[at]))
