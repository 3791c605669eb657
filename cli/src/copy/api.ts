/** Reads of a server of the API: the one that is copied from, and this one. Replies are not trusted to have their shape. */
import { type Call, isPostriderError, PostriderError } from '@postrider/client'
import { isObject } from '../definitions/definition.ts'
import { itemsOf, nextCursor, type Page } from '../operations/pages.ts'
import type { JsonObject } from '../rows/columns.ts'

/** The calls of a client. */
export interface Api {
  call: Call
}

/** With the waits of the client half a minute: a server that restarts or limits its callers is back by then. */
export const RETRIES = 6

/** Throws for an id that cannot be a part of a path, as for one that the server refuses. */
export function pathOf(parts: readonly string[]): string {
  const wrong = parts.find((part) => part === '' || part === '.' || part === '..' || /\p{Surrogate}/u.test(part))
  if (wrong === undefined) return `/${parts.map(encodeURIComponent).join('/')}`
  throw new PostriderError(`The id ${JSON.stringify(wrong)} cannot stand in a path`, { kind: 'invalid_request' })
}

export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Ids of old systems are numbers. */
export const idOf = (value: unknown): string | undefined =>
  Number.isSafeInteger(value) ? String(value) : textOf(value)

export const objectsOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The fields that are there and not null. */
export const pick = (value: JsonObject, fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.flatMap((field) => (value[field] == null ? [] : [[field, value[field]]])))

/** Undefined for what the server does not have. */
export async function read(api: Api, path: readonly string[]): Promise<JsonObject | undefined> {
  try {
    const reply = await api.call({ method: 'GET', path: pathOf(path), options: { retries: RETRIES } })
    return isObject(reply) ? reply : {}
  } catch (error) {
    if (isPostriderError(error, 'not_found')) return undefined
    throw error
  }
}

/** Every entry of a list, page by page. Throws for a reply that is not a list, and for a cursor that comes again. */
export async function* readPages(
  api: Api,
  path: readonly string[],
  query: Record<string, string> = {},
): AsyncGenerator<JsonObject> {
  const cursors = new Set<string | undefined>()
  let cursor: string | undefined
  do {
    if (cursors.has(cursor)) throw invalidList(path, 'has the same cursor twice')
    cursors.add(cursor)
    const page = { ...query, ...(cursor !== undefined && { cursor }) }
    const options = { retries: RETRIES }
    const reply = await api.call<unknown>({ method: 'GET', path: pathOf(path), query: page, options })
    if (!isObject(reply) || !Object.values(reply).some(Array.isArray)) throw invalidList(path, 'is not a list')
    yield* objectsOf(itemsOf(reply))
    cursor = nextCursor(reply as Page)
  } while (cursor !== undefined)
}

const invalidList = (path: readonly string[], problem: string) =>
  new PostriderError(`The reply to GET ${pathOf(path)} ${problem}`, { kind: 'invalid_answer' })

/** A server that does not have the list, or does not show it to the key. */
export const isNotServed = (error: unknown): boolean =>
  isPostriderError(error, 'not_found') || isPostriderError(error, 'authorization')

/** The server does not take the record, or has something wrong in it; another one may be right. */
export const isRejected = (error: unknown): error is PostriderError =>
  (['invalid_request', 'too_large', 'conflict', 'not_found'] as const).some((kind) => isPostriderError(error, kind))
