/** `Idempotency-Key`: the same key at the same place does a thing once, and hears the first answer again. */
import { createHash } from 'node:crypto'
import { idempotencyKeyCharactersMax } from '@postrider/contract'
import { busy, CallerError, conflict, invalidRequest } from '../base/errors.ts'
import { isObject } from '../base/json/json.ts'
import type { Commit } from '../database/engine.ts'
import {
  commitWithReply,
  findStoredReply,
  IdempotencyConflict,
  type KeyUse,
  type StoredReply,
  UNREADABLE,
} from '../database/idempotent-replies.ts'
import { type Idempotency, keyExpiry } from '../messages/send.ts'
import { type Call, type Reply, replay } from './call.ts'

/** Undefined without the header. Throws a 400. */
export function idempotencyOf(
  operationId: string,
  params: Record<string, string>,
  { header, now }: Pick<Call, 'header' | 'now'>,
  digest: () => string,
): Idempotency | undefined {
  const key = header('idempotency-key')
  if (key === undefined || key === '') return undefined
  if (key.length > idempotencyKeyCharactersMax || !/^[\x20-\x7e]+$/.test(key))
    throw invalidRequest(`Idempotency-Key must have 1 to ${idempotencyKeyCharactersMax} printable characters`)
  const expires = keyExpiry(header('x-idempotency-expiration'), now)
  return { route: routeOf(operationId, params), key, expires, digest: digest() }
}

/** Sorting the keys of more would hold up other calls. */
const SORTED_BYTES_MAX = 262_144

/** The same for two bodies that say the same: JSON libraries write keys in any order. A large one is taken as it is. */
export function bodyDigest(bytes: Uint8Array | undefined, body: unknown): string {
  const isSorted = bytes === undefined || bytes.length <= SORTED_BYTES_MAX
  return createHash('sha256')
    .update(isSorted ? sortedJson(body) : bytes)
    .digest('base64url')
}

function sortedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value) ?? ''
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sortedJson(value[key])}`).join(',')}}`
}

/** However the path was written; hashed, because ids in it would not fit an index. */
function routeOf(operationId: string, params: Record<string, string>): string {
  const names = Object.keys(params).sort()
  if (names.length === 0) return operationId
  const digest = createHash('sha256').update(JSON.stringify(names.map((name) => [name, params[name]])))
  return `${operationId} ${digest.digest('base64url')}`
}

/**
 * Does the work of a call once for its key. What the work commits through `keeping` is stored together with the reply;
 * the reply of work that does not is kept when it has ended, so that it must come to the same when done again. A
 * refusal is not kept: the key stays free.
 */
export function createOnce(): (call: Call, work: (call: Call) => Promise<Reply>) => Promise<Reply> {
  const inFlight = new Set<string>()
  return async (call, work) => {
    const { idempotency, caller } = call
    if (!idempotency) return work(call)
    const name = `${caller.workspaceId} ${idempotency.route} ${idempotency.key}`
    if (inFlight.has(name)) throw inProgress()
    inFlight.add(name)
    try {
      const use = { workspaceId: caller.workspaceId, ...idempotency }
      return (await replayOf(call, use)) ?? (await firstTime(call, use, work))
    } finally {
      inFlight.delete(name)
    }
  }
}

export const inProgress = () => busy('A call with this Idempotency-Key is in progress')

/** Doing it again could send a second time. */
export const replyUnreadable = () =>
  conflict(
    'This Idempotency-Key was used before, and the call is not repeated. The reply of then cannot be read: it was encrypted with a secret key that is lost. Use a new key for a new call',
  )

async function firstTime(call: Call, use: KeyUse, work: (call: Call) => Promise<Reply>): Promise<Reply> {
  const { engine, secretKey } = call.house
  let kept = false
  const keeping = ({ status, body }: Reply): Commit => {
    const reply = { status, content: body === undefined ? '' : JSON.stringify(body) }
    const commit = commitWithReply(engine, secretKey, use, reply, call.now)
    return async (writes) => {
      const results = await commit(writes)
      kept = true
      return results
    }
  }
  try {
    const reply = await work({ ...call, keeping })
    if (!kept && reply.status < 400) await keeping(reply)([])
    return reply
  } catch (error) {
    if (!(error instanceof IdempotencyConflict || error instanceof CallerError)) throw error
    // Another node was first with the same key; what this call was refused for may be what that one did.
    const theirs = await replayOf(call, use)
    if (theirs) return theirs
    throw error instanceof IdempotencyConflict ? inProgress() : error
  }
}

/** True when a reply is stored for the key: the call was already performed. */
export async function isReplay({ house, caller, idempotency, now }: Call): Promise<boolean> {
  if (!idempotency) return false
  const use = { workspaceId: caller.workspaceId, ...idempotency }
  return (await findStoredReply(house.engine, house.secretKey, use, now)) !== undefined
}

async function replayOf(call: Call, use: KeyUse): Promise<Reply | undefined> {
  const { house, now } = call
  const kept = await findStoredReply(house.engine, house.secretKey, use, now)
  if (kept === UNREADABLE) throw replyUnreadable()
  return kept && repeatedReply(call, kept)
}

/** The stored reply for a repeated call. Another body than the first is named in a header; a strict call gets a 409. */
export function repeatedReply(call: Call, { status, content, digest }: StoredReply): Reply {
  const { house, caller, idempotency, strict } = call
  const reply = replay(status, content)
  if (digest === undefined || digest === idempotency?.digest) return reply
  const { route } = idempotency ?? {}
  house.log.warn(
    { event: 'idempotency.mismatch', caller: caller.name, workspace: caller.workspaceId, route },
    strict
      ? 'An Idempotency-Key came again with another body: refused, because the call is strict'
      : 'An Idempotency-Key came again with another body: answered with the first reply, and nothing was done',
  )
  if (strict) throw conflict('This Idempotency-Key was used with another body: use a key of its own for another call')
  return { ...reply, headers: { ...reply.headers, 'idempotency-mismatch': 'true' } }
}
