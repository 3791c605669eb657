/** Variables that a template reads, beside the data of messages that were sent. */
import type { TemplateVariable } from '@postrider/client'
import { isObject } from '../code/json.ts'

const EACH = '[]'

/** `order.items[].name` */
export const variableName = (path: readonly string[]) =>
  path.map((key, index) => (key === EACH ? key : index === 0 ? key : `.${key}`)).join('')

/** Whether a value stands at the path; below a list, in every item of it. */
export function hasValue(data: unknown, [key, ...rest]: readonly string[]): boolean {
  if (key === undefined) return data !== undefined && data !== null
  if (key === EACH) return Array.isArray(data) && data.every((item) => hasValue(item, rest))
  if (Array.isArray(data) && /^\d+$/.test(key)) return hasValue(data[Number(key)], rest)
  return isObject(data) && Object.hasOwn(data, key) && hasValue(data[key], rest)
}

/** The ids of the messages without a value for it. */
export const missingIn = (path: readonly string[], messages: readonly { id: string; data: unknown }[]) =>
  messages.filter(({ data }) => !hasValue(data, path)).map(({ id }) => id)

type Placed = Pick<TemplateVariable, 'path' | 'kind'>

/** Text variables without a value in the data, as authors write them. */
export const missingNames = (variables: readonly Placed[], data: unknown): string[] =>
  variables.filter(({ path, kind }) => kind === 'text' && !hasValue(data, path)).map(({ path }) => variableName(path))

/** Data in which each text variable stands as it is written, as a message shows one without a value. */
export function sampleData(variables: readonly Placed[]): Record<string, unknown> {
  const sample: Record<string, unknown> = {}
  for (const { path, kind } of variables) place(sample, path, kind, `{${variableName(path)}}`)
  return sample
}

function place(
  parent: Record<string, unknown>,
  path: readonly string[],
  kind: TemplateVariable['kind'],
  text: string,
): void {
  const [key, next, ...rest] = path
  if (key === undefined || key === '__proto__') return
  if (next === undefined) {
    if (kind === 'list') parent[key] ??= []
    else if (kind === 'object') parent[key] ??= {}
    else parent[key] ??= kind === 'text' ? text : true
    return
  }
  if (next !== EACH) {
    if (!isObject(parent[key])) parent[key] = {}
    place(parent[key] as Record<string, unknown>, [next, ...rest], kind, text)
    return
  }
  const items = Array.isArray(parent[key]) ? parent[key] : []
  parent[key] = items
  if (rest.length === 0) {
    if (items.length === 0) items.push(kind === 'object' ? {} : text)
    return
  }
  if (!isObject(items[0])) items[0] = {}
  place(items[0], rest, kind, text)
}
