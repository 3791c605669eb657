/** `Idempotency-Key`: a call repeated with its key at the same path is performed once, and gets the first reply again. */
import { createHash } from 'node:crypto'
import { idempotencyKeyCharactersMax } from '@postrider/contract'
import { busy, CallerError, conflict, invalidRequest } from '../base/errors.ts'
import { isObject, sortedJson } from '../base/json/json.ts'
import {
  findStoredReply,
  type KeyUse,
  type StoredReply,
  UNREADABLE,
} from '../database/tables/workspace/idempotency-keys.ts'
import { type Idempotency, keyExpiry } from '../messages/send.ts'
import type { CallContext, HandlerReply } from './call.ts'
import { warn } from './warnings.ts'

/** Undefined without the header. Throws a 400. `called`: the path, and as `scope` the operation and who shares its keys. */
export function idempotencyOf(
  called: () => { scope: string; params: Record<string, string> },
  { header, now }: Pick<CallContext, 'header' | 'now'>,
  digest: () => string,
): Idempotency | undefined {
  const key = header('idempotency-key')
  if (key === undefined || key === '') return undefined
  if (key.length > idempotencyKeyCharactersMax || !/^[\x20-\x7e]+$/.test(key))
    throw invalidRequest(`Idempotency-Key must have 1 to ${idempotencyKeyCharactersMax} printable characters`, {
      code: 'invalid_idempotency_key',
      param: 'Idempotency-Key',
    })
  const expires = keyExpiry(header('x-idempotency-expiration'), now)
  return { route: routeOf(called()), key, expires, digest: digest() }
}

/** Sorting the keys of more would hold up other calls. */
const SORTED_BYTES_MAX = 262_144

/** The same for two bodies that say the same: JSON libraries write keys in any order. A large one is taken as it is. */
export function bodyDigest(bytes: Uint8Array | undefined, body: unknown): string {
  const isSorted = bytes === undefined || bytes.length <= SORTED_BYTES_MAX
  return sha256(isSorted ? sortedJson(body) : bytes)
}

/**
 * The digest of the body, and for a send whose content may differ (`isOfficialSdk`) after a dot that of all else in
 * it, such as its recipients. Two such sends are compared by the second part.
 */
export function sendDigest(bytes: Uint8Array | undefined, body: unknown): string {
  const whole = bodyDigest(bytes, body)
  if (bytes !== undefined && bytes.length > SORTED_BYTES_MAX) return whole
  return `${whole}.${sha256(sortedJson(withoutContent(body)))}`
}

/** Overrides and providers stay: they can name recipients. */
const CONTENT_FIELDS = new Set(['data', 'content', 'metadata'])

function withoutContent(body: unknown): unknown {
  if (!isObject(body)) return body
  const rest = Object.entries(body).filter(([name]) => !CONTENT_FIELDS.has(name))
  return Object.fromEntries(rest.map(([name, value]) => [name, name === 'message' ? withoutContent(value) : value]))
}

const sha256 = (content: string | Uint8Array) => createHash('sha256').update(content).digest('base64url')

/**
 * True for a call of an official SDK of the public API, which never compares bodies: programs may repeat a send through
 * it with content made anew. Each generation names itself in the User-Agent, the sixth in both headers; from the seventh
 * on, the name follows the language and the bundle, and the version has a header.
 */
export const isOfficialSdk = (header: CallContext['header']): boolean =>
  /^(?:courier(?:-\w+)?|@trycourier\/courier)\//i.test(header('user-agent') ?? '') ||
  /courier/i.test(header('x-fern-sdk-name') ?? '') ||
  header('x-stainless-package-version') !== undefined

/** However the path was written; hashed, because ids in it would not fit an index. */
function routeOf({ scope, params }: { scope: string; params: Record<string, string> }): string {
  const names = Object.keys(params).sort()
  if (names.length === 0) return scope
  const digest = createHash('sha256').update(JSON.stringify(names.map((name) => [name, params[name]])))
  return `${scope} ${digest.digest('base64url')}`
}

/** Another call with the same key has committed first: nothing of this commit is stored. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict'
}

/**
 * Performs a call once for its key. `work` stores its reply under the key it is given, in the commit of its writes. A
 * rejected call is not stored: the key stays free.
 */
export function createIdempotency(): (
  ctx: CallContext,
  work: (use: KeyUse | undefined) => Promise<HandlerReply>,
) => Promise<HandlerReply> {
  const inFlight = new Set<string>()
  return async (ctx, work) => {
    const { idempotency, caller } = ctx
    if (!idempotency) return work(undefined)
    const name = `${caller.workspaceId} ${idempotency.route} ${idempotency.key}`
    if (inFlight.has(name)) throw inProgress()
    inFlight.add(name)
    const use = { workspaceId: caller.workspaceId, ...idempotency }
    try {
      return (await replayOf(ctx, use)) ?? (await firstTime(ctx, use, work))
    } finally {
      inFlight.delete(name)
    }
  }
}

async function firstTime(
  ctx: CallContext,
  use: KeyUse,
  work: (use: KeyUse) => Promise<HandlerReply>,
): Promise<HandlerReply> {
  try {
    return await work(use)
  } catch (error) {
    if (!(error instanceof IdempotencyConflict || error instanceof CallerError)) throw error
    // Another node was first with the same key; what this call was refused for may be what that one did.
    const theirs = await replayOf(ctx, use)
    if (theirs) return theirs
    throw error instanceof IdempotencyConflict ? inProgress() : error
  }
}

export const inProgress = () => busy('A call with this Idempotency-Key is in progress', 'idempotency_key_in_use')

/** Doing it again could send a second time. */
export const replyUnreadable = () =>
  conflict(
    'idempotency_key_unreadable',
    'This Idempotency-Key was used before, and the call is not repeated. The reply of then cannot be read: it was encrypted with a secret key that is lost. Use a new key for a new call',
  )

/** True when a reply is stored for the key: the call was already performed. */
export async function isReplay({ app, caller, idempotency, now }: CallContext): Promise<boolean> {
  if (!idempotency) return false
  const use = { workspaceId: caller.workspaceId, ...idempotency }
  return (await findStoredReply(app.database, app.secretKey, use, now)) !== undefined
}

async function replayOf(ctx: CallContext, use: KeyUse): Promise<HandlerReply | undefined> {
  const { app, now } = ctx
  const storedReply = await findStoredReply(app.database, app.secretKey, use, now)
  if (storedReply === UNREADABLE) throw replyUnreadable()
  return storedReply && repeatedReply(ctx, storedReply)
}

const replay = (status: number, content: string): HandlerReply => ({
  status,
  ...(content === '' ? {} : { raw: { content, mediaType: 'application/json' } }),
  headers: { 'idempotent-replayed': 'true' },
})

/**
 * The stored reply for a repeated call. Throws a 409 for another body, which would otherwise be lost; two sends of an
 * official SDK that differ in content only get the first reply, with a header.
 */
export function repeatedReply(ctx: CallContext, { status, content, digest }: StoredReply): HandlerReply {
  const { app, caller, idempotency } = ctx
  const reply = replay(status, content)
  const [first, firstRest] = digest?.split('.') ?? []
  const [second, secondRest] = idempotency?.digest?.split('.') ?? []
  if (first === undefined || first === second) return reply
  const isReplayed = firstRest !== undefined && firstRest === secondRest
  app.log.warn(
    { event: 'idempotency.mismatch', caller: caller.name, workspace: caller.workspaceId, route: idempotency?.route },
    isReplayed
      ? 'An Idempotency-Key came again with other content: answered with the first reply, as Courier answers, and nothing was done'
      : 'An Idempotency-Key came again with another body: refused',
  )
  if (!isReplayed)
    throw conflict(
      'idempotency_key_reused',
      'This Idempotency-Key was used with another body: use a key of its own for another call',
    )
  warn(
    ctx,
    'This Idempotency-Key was used before, for a send with other content: the reply is the one to that send, and nothing was sent for this call. Use a key of its own for each send.',
  )
  return { ...reply, headers: { ...reply.headers, 'idempotency-mismatch': 'true' } }
}
