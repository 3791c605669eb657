/** `Idempotency-Key`: the same key on the same path does a thing once, and hears the first answer again. */
import {
  idempotencyKeyCharactersMax,
  idempotencyLifetimeMs,
  idempotencyLifetimeMsMax,
  idempotencyLifetimeMsMin,
} from '@postrider/contract'
import { MINUTE, SECOND } from '../base/duration.ts'
import { busy, invalidRequest } from '../base/errors.ts'
import { decrypt, encrypt } from '../base/secret.ts'
import { claimKey, type KeyPlace, keepReply, releaseKey } from '../database/tables/kept-replies.ts'
import type { Idempotency } from '../pipeline/message.ts'
import type { Call, Reply } from './call.ts'

/** Longer than any call lasts; after it a key whose server died is free again. */
const IN_FLIGHT_MS = MINUTE

/** Undefined without the header. Throws a 400. */
export function idempotencyOf(route: string, call: Call): Idempotency | undefined {
  const key = call.header('idempotency-key')
  if (key === undefined || key === '') return undefined
  if (key.length > idempotencyKeyCharactersMax || !/^[\x20-\x7e]+$/.test(key))
    throw invalidRequest(`Idempotency-Key must have 1 to ${idempotencyKeyCharactersMax} printable characters`)
  return { route, key, expires: expiryOf(call.header('x-idempotency-expiration'), call.now) }
}

/** Milliseconds, seconds (below 10¹¹) or ISO 8601; kept for a day at least and a year at most. */
function expiryOf(text: string | undefined, now: number): number {
  if (!text) return now + idempotencyLifetimeMs
  const number = /^\d{1,15}$/.test(text) ? Number(text) : undefined
  const time = number === undefined ? Date.parse(text) : number < 1e11 ? number * SECOND : number
  if (Number.isNaN(time)) throw invalidRequest('x-idempotency-expiration must be a moment')
  return Math.min(Math.max(time, now + idempotencyLifetimeMsMin), now + idempotencyLifetimeMsMax)
}

/** Does `work` once for a key. A refusal is not kept: the key stays free. */
export async function once(route: string, call: Call, work: () => Promise<Reply>): Promise<Reply> {
  const wanted = idempotencyOf(route, call)
  if (!wanted) return work()
  const { engine, secretKey } = call.house
  const place: KeyPlace = { workspaceId: call.caller.workspaceId, route: wanted.route, key: wanted.key }
  const context = `idempotency:${place.workspaceId}:${place.route}:${place.key}`
  const before = await claimKey(engine, place, call.now, call.now + IN_FLIGHT_MS)
  if (before === 'in_flight') throw busy('A call with this Idempotency-Key is in progress')
  if (before !== 'claimed') {
    const reply: Reply = JSON.parse(decrypt(secretKey, before.reply, context))
    return { ...reply, headers: { ...reply.headers, 'idempotent-replayed': 'true' } }
  }
  const reply = await work().catch(async (error: unknown) => {
    // When the database is gone too, the claim runs out by itself.
    await releaseKey(engine, place).catch(() => undefined)
    throw error
  })
  if (reply.status >= 400) await releaseKey(engine, place)
  else await keep(call, place, reply, encrypt(secretKey, JSON.stringify(reply), context), wanted.expires)
  return reply
}

/** The work is done: a reply that cannot be kept is given all the same. */
async function keep(
  { house }: Call,
  place: KeyPlace,
  { status }: Reply,
  sealed: string,
  expires: number,
): Promise<void> {
  try {
    await keepReply(house.engine, place, status, sealed, expires)
  } catch (error) {
    house.log.warn({ err: error }, 'a reply was not kept for its Idempotency-Key')
  }
}
