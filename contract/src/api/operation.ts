/** One endpoint as data: server, client, OpenAPI and the reference pages are all drawn from it. */
import type { Static, TObject, TSchema } from 'typebox'
import type { TokenAccess } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface Operation {
  /** `resource.verb`: the client's method, the handler's name, OpenAPI's operationId. */
  id: string
  method: Method
  /** With `:name` parameters; values are percent-decoded one by one. */
  path: string
  summary: string
  description?: string
  /**
   * Whose operation it is. `public` (default): clients of the public API call it; query parameters it does not know are
   * ignored, and bodies are read as liberally as they are sent. `postrider`: Postrider's own, which refuses them.
   */
  origin?: 'public' | 'postrider'
  /** True for one of Postrider's own that takes the body of a public one, and reads it as liberally. */
  readsPublicBody?: boolean
  /**
   * Who may call it. `key` (default): any API key of the workspace. `published`: no draft or mock key, because the
   * change would hold for real messages. `open`: no key is needed.
   */
  access?: 'key' | 'published' | 'open'
  /** What a token must be allowed to call it; absent: a token gets 403. */
  token?: TokenAccess
  /** Calls a minute of one workspace that the public API allows; the limit where a server takes the recommended ones. */
  recommendedPerMinute?: number
  /** What an audit event calls this change; absent: it is no administrative one. */
  audit?: string
  params?: TObject
  query?: TObject
  /** What a JSON body must look like; absent: no body is read. */
  body?: TSchema
  /** Another generation of the body: the one that has this top-level key. It has a success status of its own. */
  variant?: {
    key: string
    body: TSchema
    status: number
    example: { body: unknown; reply: unknown }
    /** More bodies, each by what it shows. */
    examples?: Record<string, unknown>
  }
  /** True when the call is complete without a body. */
  bodyOptional?: boolean
  /** True when a body that is not JSON is taken as a text. */
  acceptsText?: boolean
  /** Replies by status code; `null` is a reply without a body. Errors that every call can give are added by OpenAPI. */
  replies: Record<number, TSchema | null>
  /** Media type of the success reply when it is not JSON. */
  produces?: string
  /** Body and reply as shown in the documentation; the examples run as tests. */
  example?: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; reply?: unknown }
}

export const operation = <const O extends Operation>(definition: O): O => definition

/** The reply of a call that went well: the first status of 2xx, and its body. */
export function successOf({ id, replies }: Operation): { status: number; schema: TSchema | null } {
  const status = Object.keys(replies).find((code) => code.startsWith('2'))
  if (status === undefined) throw new Error(`${id} declares no reply for success`)
  return { status: Number(status), schema: replies[Number(status)] ?? null }
}

export type ParamsOf<O extends Operation> = O extends { params: infer P extends TSchema }
  ? Static<P>
  : Record<never, never>
export type QueryOf<O extends Operation> = O extends { query: infer Q extends TSchema }
  ? Static<Q>
  : Record<never, never>
export type BodyOf<O extends Operation> =
  | (O extends { body: infer B extends TSchema } ? Static<B> : undefined)
  | (O extends { variant: { body: infer V extends TSchema } } ? Static<V> : never)
