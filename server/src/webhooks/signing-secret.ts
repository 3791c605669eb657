/** The secret of a webhook: what its requests are signed with, encrypted at rest and bound to its row. */
import { createHmac, randomBytes } from 'node:crypto'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { encryptionContext } from '../database/encrypted-tables.ts'

interface Owner {
  workspaceId: number
  id: string
}

const contextOf: (owner: Owner) => string = encryptionContext.webhook

/** As long as the digest it makes: more would add nothing. */
export const newSecret = () => randomBytes(32).toString('base64url')

export const sealSecret = (key: SecretKey, owner: Owner, secret: string) => encrypt(key, secret, contextOf(owner))

/** Undefined when it was encrypted with another secret key: it has to be given again. */
export function openSecret(key: SecretKey, owner: Owner, sealed: string): string | undefined {
  try {
    return decrypt(key, sealed, contextOf(owner))
  } catch {
    return undefined
  }
}

/** `courier-signature`: HMAC-SHA256 of the moment, a dot and the body, with the moment beside it. */
export function signature(secret: string, now: number, body: string): string {
  return `t=${now},signature=${createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')}`
}
