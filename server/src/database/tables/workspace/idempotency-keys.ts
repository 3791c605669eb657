/** Replies stored for an `Idempotency-Key` until they expire: encrypted, and committed together with the writes of the call. */

import { decrypt, encrypt, type SecretKey } from '../../../base/secret.ts'
import { encryptionContext } from '../../encrypted-tables.ts'
import type { Engine, Reader, Statement } from '../../engine.ts'
import { countAffected, expectRows, firstRow, query, statement } from '../../query.ts'
import type { SealedReply } from '../erasure/traces.ts'

/** The scope of a key: equal keys of other workspaces or routes are independent. */
interface KeyPlace {
  workspaceId: number
  route: string
  key: string
}

const placeColumns = ['workspace_id', 'route', 'key'] as const

/** Undefined without a stored reply, or after its expiry. */
function findReply(
  engine: Reader,
  { workspaceId, route, key }: KeyPlace,
  now: number,
): Promise<{ status: number; reply: string } | undefined> {
  return firstRow(
    engine,
    query
      .selectFrom('idempotency_keys')
      .select(['status', 'reply'])
      .where('workspace_id', '=', workspaceId)
      .where('route', '=', route)
      .where('key', '=', key)
      .where('expires', '>', now),
  )
}

/** Affects no row when the key has a reply; waits for a concurrent insert of the same key. */
export function replyInsert(
  { workspaceId, route, key }: KeyPlace,
  kept: { status: number; reply: string; expires: number },
  now: number,
): Statement {
  return statement(
    query
      .insertInto('idempotency_keys')
      .values({ workspace_id: workspaceId, route, key, ...kept })
      .onConflict((conflict) =>
        conflict.columns(placeColumns).doUpdateSet(kept).where('idempotency_keys.expires', '<=', now),
      ),
  )
}

/** Deletes a bounded slice of expired rows; returns their number. */
export function dropExpiredKeys(engine: Engine, now: number, rowsMax: number): Promise<number> {
  const expired = query
    .selectFrom('idempotency_keys')
    .select(placeColumns)
    .where('expires', '<=', now)
    .orderBy('expires')
    .limit(rowsMax)
  return countAffected(
    engine,
    query
      .deleteFrom('idempotency_keys')
      .where(({ eb, refTuple }) =>
        eb(refTuple('workspace_id', 'route', 'key'), 'in', expired.$asTuple('workspace_id', 'route', 'key')),
      ),
  )
}

/** An idempotency key with its scope, and the expiry of its reply. */
export interface KeyUse extends KeyPlace {
  expires: number
  /** A digest of the body of the call; absent for keys without a body. */
  digest?: string
}

export interface StoredReply {
  status: number
  /** JSON text; empty where the reply has no body. */
  content: string
  /** A digest of the body of the call; absent where none was stored. */
  digest?: string
}

const contextOf: (place: KeyPlace) => string = encryptionContext.reply

/** Bound to its row. The digest is encrypted too, because a body can be guessed from its digest. */
export const sealReply = (key: SecretKey, place: KeyPlace, content: string, digest?: string): string =>
  encrypt(key, digest === undefined ? content : `${DIGEST}${digest}\n${content}`, contextOf(place))

/** No JSON text begins like this. */
const DIGEST = '#'

function unsealed(key: SecretKey, place: KeyPlace, reply: string): Omit<StoredReply, 'status'> {
  const text = decrypt(key, reply, contextOf(place))
  if (!text.startsWith(DIGEST)) return { content: text }
  const end = text.indexOf('\n')
  return { digest: text.slice(DIGEST.length, end), content: text.slice(end + 1) }
}

/** The call was committed, but its reply was encrypted with a secret key that is lost. */
export const UNREADABLE = 'unreadable'

/** Undefined when the key is unused. */
export async function findStoredReply(
  engine: Reader,
  key: SecretKey,
  place: KeyPlace,
  now: number,
): Promise<StoredReply | typeof UNREADABLE | undefined> {
  const row = await findReply(engine, place, now)
  if (!row) return undefined
  const reply = readable(key, place, row.reply)
  return reply ? { status: row.status, ...reply } : UNREADABLE
}

function readable(key: SecretKey, place: KeyPlace, reply: string): Omit<StoredReply, 'status'> | undefined {
  try {
    return unsealed(key, place, reply)
  } catch {
    return undefined
  }
}

/** Undefined when it was encrypted with another secret key. */
export const openReply = (key: SecretKey, workspaceId: number, { reply, ...place }: SealedReply): string | undefined =>
  readable(key, { workspaceId, ...place }, reply)?.content

/** For a commit of which the reply is a part. It must affect a row: the key may have its reply already. */
export function replyWrite(key: SecretKey, use: KeyUse, { status, content }: StoredReply, now: number): Statement {
  const reply = sealReply(key, use, content, use.digest)
  return expectRows(replyInsert(use, { status, reply, expires: use.expires }, now))
}
