/** Who calls, and who finds that out. */
import type { Mode } from '../../messages/send.ts'
import type { Grant } from './token.ts'

/** Found by the API key or the token. */
export interface Caller {
  keyId: string
  /** As records name their author: `key/backend`. */
  name: string
  workspaceId: number
  mode: Mode
  /** Of a token: what it may do; absent for a key, which may do everything. */
  grant?: Grant
}

export interface Callers {
  /** At once where it is known. Throws a 401 for a missing or unknown key, and for a token that is not good any more. */
  of(authorization: string | undefined, connection: object): Caller | Promise<Caller>
  /** A key was revoked: callers are looked up again, here and on the other nodes. */
  forget(): Promise<void>
}
