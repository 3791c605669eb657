/** Replies stored for an `Idempotency-Key`: encrypted, and committed together with the writes of the call. */
import { failpoint } from '../base/failpoint.ts'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { encryptionContext } from './encrypted-tables.ts'
import { type Commit, ConflictError, type Engine, type Statement } from './engine.ts'
import { expectRows } from './query.ts'
import type { SealedReply } from './tables/erasure/traces.ts'
import { findReply, type KeyPlace, replyInsert } from './tables/workspace/idempotency-keys.ts'

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

/** A concurrent call with the same key has committed first: nothing of this commit is stored. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict'
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
  engine: Engine,
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

/** A commit that also stores the reply; throws `IdempotencyConflict` when the key has a reply already. */
export function commitWithReply(
  engine: Engine,
  key: SecretKey,
  use: KeyUse,
  { status, content }: StoredReply,
  now: number,
): Commit {
  const row = { status, reply: sealReply(key, use, content, use.digest), expires: use.expires }
  // First, so that of two concurrent calls the second waits before it locks anything else.
  const insert = expectRows(replyInsert(use, row, now))
  return async (writes) => {
    failpoint('before-keep')
    const results = await engine.batch([insert, ...writes]).catch((error: unknown) => {
      if (!(error instanceof ConflictError)) throw error
      throw error.statementIndex === 0
        ? new IdempotencyConflict('The key has its reply already', { cause: error })
        : outer(error)
    })
    failpoint('after-keep-before-reply')
    return results.slice(1)
  }
}

/** The reply is statement 0: positions count from the caller's first write. */
const outer = ({ statementIndex }: ConflictError) => new ConflictError(statementIndex - 1)

/** A commit without a key: one statement needs no transaction. */
export function commitWithoutReply(engine: Engine): Commit {
  return async (writes) => {
    const [only, second] = writes
    if (!only) return []
    return second || !only.values ? engine.batch(writes) : [await runOne(engine, only)]
  }
}

async function runOne(engine: Engine, only: Statement) {
  const result = await engine.run(only)
  if (only.expectRows && result.affected === 0) throw new ConflictError(0)
  return result
}
