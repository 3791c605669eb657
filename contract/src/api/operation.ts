/** One endpoint as data: the server, client, OpenAPI document and reference are generated from it. */
import type { Static, TObject, TSchema } from 'typebox'
import { bodyBytesMax, openBodyBytesMax } from './limits.ts'
import type { TokenAccess } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `absent`: `If-None-Match: *`, nothing has the id. `unchanged`: `If-Match` with the entity tag that was read. */
export type Precondition = 'absent' | 'unchanged'

export type Access = 'open' | 'key' | 'sender' | 'drafts' | 'published'

export interface Operation {
  /** `resource.verb`: the client's method, the handler's name, OpenAPI's operationId. */
  id: string
  method: Method
  /** With `:name` parameters; values are percent-decoded one by one. */
  path: string
  summary: string
  description?: string
  /**
   * `public` (default): clients of the public API call it; unknown query parameters are ignored, and bodies are read
   * liberally. `postrider`: specific to Postrider; unknown query parameters are refused.
   */
  origin?: 'public' | 'postrider'
  /** True for a Postrider operation that accepts the body of a public one, and reads it as liberally. */
  readsPublicBody?: boolean
  /**
   * Credentials it requires. `open`: none. `key`: any API key of the workspace, because it changes nothing that a
   * recipient of another key could notice. `sender`: a draft or mock key only for what keys of its kind have sent.
   * `drafts`: a draft or mock key, too, but to publish. `published`: no draft or mock key. Default: `key` for a GET, else
   * `published`.
   */
  access?: Access
  /** The least role of a key that may call it. Default: `viewer` for a GET, else that of its resource. */
  role?: 'full' | 'editor' | 'reader' | 'viewer'
  /** The least role of a mock key, whose sends call no provider. Default: `role`. */
  mockRole?: 'editor'
  /** Programs of providers, or recipients by a link in a message: neither the client nor the command has it. */
  calledBy?: 'providers' | 'recipients'
  /** The body is handed on as bytes, because a signature covers them. */
  readsRawBody?: true
  /** Bytes of its body at most. Default: 16 kB where it is `open`, else 6 MB. */
  bodyMax?: number
  /** Scope that permits a token to call it; absent: a token gets 403. */
  token?: TokenAccess
  /** Calls a minute of one workspace that the public API permits; a server with recommended limits enforces it. */
  recommendedPerMinute?: number
  /** Conditions that a header of the call can set; the call is refused where they do not hold. */
  preconditions?: readonly Precondition[]
  /** Type of the audit event; absent for operations that are no administrative change. */
  audit?: string
  params?: TObject
  query?: TObject
  /** Schema of the JSON body; absent: no body is read. */
  body?: TSchema
  /** Another generation of the body, recognized by this top-level key, with its own success status. */
  variant?: {
    key: string
    body: TSchema
    status: number
    example: { body: unknown; reply: unknown }
    /** Further example bodies by title. */
    examples?: Record<string, unknown>
  }
  /** True when the call is complete without a body. */
  bodyOptional?: boolean
  /** True when a body that is not JSON is accepted as text. */
  acceptsText?: boolean
  /** Replies by status code; `null` is a reply without a body. The OpenAPI generator adds the common errors. */
  replies: Record<number, TSchema | null>
  /**
   * Its reply has a secret. `unstored`: an `Idempotency-Key` repeats nothing, and a repeated call makes another one.
   * `caller`: it is repeated to the key that called, and to no other one.
   */
  secretReply?: 'unstored' | 'caller'
  /** Its handler names unknown fields of the body, with advice that the schema alone cannot give. */
  checksFields?: true
  /** It writes nothing, and a repeated call computes its reply again: an `Idempotency-Key` stores none. */
  computesReply?: true
  /** Media type of the success reply when it is not JSON. */
  produces?: string
  /** Body and reply as shown in the documentation; the examples run as tests. */
  example?: { params?: Record<string, string>; query?: Record<string, unknown>; body?: unknown; reply?: unknown }
}

export const accessOf = ({ access, method }: Pick<Operation, 'access' | 'method'>): Access =>
  access ?? (method === 'GET' ? 'key' : 'published')

/** Whether the body of an operation for `drafts` publishes what it writes. */
export const isPublishing = (body: unknown): boolean => (body as { state?: unknown } | undefined)?.state === 'PUBLISHED'

/** The limits of draft and mock keys, in a sentence. */
export const accessNotes: Partial<Record<Access, string>> = {
  published: 'Needs a published key: draft and mock keys get 403.',
  drafts: 'To publish needs a published key: draft and mock keys get 403.',
  sender: 'Draft and mock keys get 403 for what keys of another kind have sent.',
}

export const bodyMaxOf = ({ bodyMax, access }: Pick<Operation, 'bodyMax' | 'access'>): number =>
  bodyMax ?? (access === 'open' ? openBodyBytesMax : bodyBytesMax)

export const operation = <const O extends Operation>(definition: O): O => definition

/** Whether it repeats its reply for an `Idempotency-Key`: other methods are idempotent, and a stored reply is JSON that belongs to a caller with a key, and none that is worth a key for a while. */
export const takesIdempotencyKey = ({ method, access, secretReply, ...operation }: Operation): boolean =>
  method === 'POST' &&
  !operation.produces &&
  operation.calledBy === undefined &&
  access !== 'open' &&
  secretReply !== 'unstored' &&
  !operation.computesReply

/** The headers of the preconditions. */
export const preconditionHeaders = {
  absent: {
    component: 'IfNoneMatch',
    name: 'If-None-Match',
    description: 'With `*` the call only creates: an id that exists is 409 `already_exists`, and nothing is written.',
    schema: { type: 'string', const: '*' },
  },
  unchanged: {
    component: 'IfMatch',
    name: 'If-Match',
    description:
      'The entity tag that was read (`ETag` of a reply): after another change the call is 409 `changed_since`, and nothing is written.',
    schema: { type: 'string', pattern: '^"[^"]*"$' },
  },
} as const satisfies Record<Precondition, object>

/** The first reply that refuses nothing: its status and schema. */
export function successOf({ id, replies }: Operation): { status: number; schema: TSchema | null } {
  const status = Object.keys(replies).find((code) => /^[23]/.test(code))
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
