/** Who calls? Bearer or basic authorization, answered from the keys table and remembered for a second. */
import type { KeyKind } from '@postrider/contract'
import { SECOND } from '../base/duration.ts'
import { unauthorized } from '../base/errors.ts'
import { hashKey } from '../base/secret.ts'
import { findKey } from '../database/tables/keys.ts'
import type { Mode } from '../pipeline/message.ts'
import type { Caller } from './call.ts'
import type { HttpContext } from './context.ts'

const MODES: Record<KeyKind, Mode> = { published: 'live', draft: 'draft', mock: 'mock' }

/** A revoked key is refused within this time. */
const REMEMBERED_MS = SECOND
/** Wrong keys are remembered too, so that guessing costs no query each; 10,000 of them are about 2 MB. */
const ENTRIES_MAX = 10_000
// Longer than any key; it bounds what is hashed.
const KEY_CHARACTERS_MAX = 512

interface Entry {
  caller: Promise<Caller | undefined>
  until: number
}

/** The answer throws a 401 for a missing or unknown key. */
export function createAuthenticate({
  engine,
  clock,
}: HttpContext): (authorization: string | undefined) => Promise<Caller> {
  const remembered = new Map<string, Entry>()

  const lookUp = (hash: string): Promise<Caller | undefined> => {
    const now = clock.now()
    const known = remembered.get(hash)
    if (known && known.until > now) return known.caller
    const caller = find(hash)
    remembered.delete(hash)
    remembered.set(hash, { caller, until: now + REMEMBERED_MS })
    // A database that does not answer says nothing about the key.
    caller.catch(() => remembered.delete(hash))
    if (remembered.size > ENTRIES_MAX)
      for (const oldest of remembered.keys()) {
        remembered.delete(oldest)
        break
      }
    return caller
  }

  const find = async (hash: string): Promise<Caller | undefined> => {
    const key = await findKey(engine, hash)
    return key && { keyId: key.id, name: `key/${key.name}`, workspaceId: key.workspaceId, mode: MODES[key.kind] }
  }

  return async (authorization) => {
    for (const key of keysIn(authorization)) {
      const caller = await lookUp(hashKey(key))
      if (caller) return caller
    }
    throw unauthorized()
  }
}

/** Of basic authorization the password is the key, or the user name where it stands alone. */
function keysIn(authorization: string | undefined): string[] {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+) *$/i.exec(authorization ?? '') ?? []
  if (value.length > KEY_CHARACTERS_MAX * 2) return []
  if (scheme.toLowerCase() === 'bearer') return [value]
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const password = colon < 0 ? '' : pair.slice(colon + 1)
  const key = password || (colon < 0 ? pair : pair.slice(0, colon))
  return key ? [key] : []
}
