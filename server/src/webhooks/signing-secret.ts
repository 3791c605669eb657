/** The signing secret of a webhook: encrypted at rest, and bound to its row. */
import { createHmac, randomBytes } from 'node:crypto'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { encryptionContext } from '../database/encrypted-tables.ts'

interface Owner {
  workspaceId: number
  id: string
}

const contextOf: (owner: Owner) => string = encryptionContext.webhook

/** As long as the digest: a longer key would not be stronger. */
export const newSecret = () => randomBytes(32).toString('base64url')

export const sealSecret = (key: SecretKey, owner: Owner, secret: string) => encrypt(key, secret, contextOf(owner))

/** Undefined when it was encrypted with another secret key: it must be entered again. */
export function openSecret(key: SecretKey, owner: Owner, sealed: string): string | undefined {
  try {
    return decrypt(key, sealed, contextOf(owner))
  } catch {
    return undefined
  }
}

/** `courier-signature`: the timestamp, and the HMAC-SHA256 of the timestamp, a dot and the body. */
export function signature(secret: string, now: number, body: string): string {
  return `t=${now},signature=${createHmac('sha256', secret).update(`${now}.${body}`).digest('hex')}`
}
