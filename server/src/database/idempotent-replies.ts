/** Replies stored for an `Idempotency-Key`: encrypted, and committed together with the writes they answer for. */
import { failpoint } from '../base/failpoint.ts'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { encryptionContext } from './encrypted-tables.ts'
import { type Commit, ConflictError, type Engine, type Statement } from './engine.ts'
import { expectRows } from './query.ts'
import type { SealedReply } from './tables/erasure/traces.ts'
import { findReply, type KeyPlace, replyInsert } from './tables/workspace/idempotency-keys.ts'

/** A key at its place, and when its reply may be forgotten. */
export interface KeyUse extends KeyPlace {
  expires: number
  /** A digest of the body of the call; absent where the key stands for no body. */
  digest?: string
}

export interface StoredReply {
  status: number
  /** JSON text; empty where the reply has no body. */
  content: string
  /** A digest of the body that it answered; absent where none was stored. */
  digest?: string
}

/** Whoever used the key at the same time has committed first: nothing of this commit is stored. */
export class IdempotencyConflict extends Error {
  override readonly name = 'IdempotencyConflict'
}

const contextOf: (place: KeyPlace) => string = encryptionContext.reply

/** Bound to its place: in another row it cannot be read. The digest is sealed with it: a body can be guessed by its digest. */
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

/** What the key stands for was done, and its reply was encrypted with a secret key that is lost. */
export const UNREADABLE = 'unreadable'

/** Undefined where the key is free. */
export async function findStoredReply(
  engine: Engine,
  key: SecretKey,
  place: KeyPlace,
  now: number,
): Promise<StoredReply | typeof UNREADABLE | undefined> {
  const found = await findReply(engine, place, now)
  if (!found) return undefined
  const text = readable(key, place, found.reply)
  return text ? { status: found.status, ...text } : UNREADABLE
}

function readable(key: SecretKey, place: KeyPlace, reply: string): Omit<StoredReply, 'status'> | undefined {
  try {
    return unsealed(key, place, reply)
  } catch {
    return undefined
  }
}

/** Undefined when it was sealed under another secret key. */
export const openReply = (key: SecretKey, workspaceId: number, { reply, ...place }: SealedReply): string | undefined =>
  readable(key, { workspaceId, ...place }, reply)?.content

/** A commit of which the reply is a part; it throws `IdempotencyConflict` when the key has its reply already. */
export function commitWithReply(
  engine: Engine,
  key: SecretKey,
  use: KeyUse,
  { status, content }: StoredReply,
  now: number,
): Commit {
  const kept = { status, reply: sealReply(key, use, content, use.digest), expires: use.expires }
  // First, so that of two calls the second waits before it locks anything else.
  const first = expectRows(replyInsert(use, kept, now))
  return async (writes) => {
    failpoint('before-keep')
    const results = await engine.batch([first, ...writes]).catch((error: unknown) => {
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
