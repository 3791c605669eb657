/** The signing secret of a webhook: encrypted at rest, and bound to its row. */
import { createHmac, randomBytes } from 'node:crypto'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { SECOND } from '../base/time/duration.ts'
import { encryptionContext } from '../database/encrypted-tables.ts'

interface Owner {
  workspaceId: number
  id: string
}

const contextOf: (owner: Owner) => string = encryptionContext.webhook

/** Begins a secret whose key is the base64 after it, as libraries for Standard Webhooks read it. */
const KEY_PREFIX = 'whsec_'

/** As long as the digest: a longer key would not be stronger. */
export const newSecret = () => `${KEY_PREFIX}${randomBytes(32).toString('base64')}`

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

export interface SignedCall {
  /** The same in every attempt. */
  id: string
  now: number
  body: string
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md#verifying-webhook-authenticity */
export function standardHeaders(secret: string, { id, now, body }: SignedCall): Record<string, string> {
  const seconds = Math.floor(now / SECOND)
  const digest = createHmac('sha256', standardKey(secret)).update(`${id}.${seconds}.${body}`).digest('base64')
  return { 'webhook-timestamp': String(seconds), 'webhook-signature': `v1,${digest}` }
}

/** A secret of another form is the key itself: libraries call that the format `raw`. */
function standardKey(secret: string): Buffer {
  const key = Buffer.from(secret.slice(KEY_PREFIX.length), 'base64')
  const isEncoded = secret.startsWith(KEY_PREFIX) && KEY_PREFIX + key.toString('base64') === secret
  return isEncoded ? key : Buffer.from(secret)
}
