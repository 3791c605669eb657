/** Secrets: derived keys, encryption at rest, one-way hashes of API keys, masking of what must not be shown. */
import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto'
import { isObject, type JsonObject } from './json/json.ts'
import { memo } from './perf/cache.ts'

type Purpose =
  | 'encryption'
  | 'links'
  | 'cursors'
  | 'tokens'
  | 'fan-out'
  | 'erasure'
  | 'automations'
  | 'simulation'
  | 'digests'
  | 'schedules'
  | 'exports'
  | 'fingerprints'
  | 'addresses'

/** Ids of messages and runs, pseudonyms, and addresses that others have or that were erased, rest on these: a rotation carries them over unchanged. */
const RETAINED = [
  ...(['fan-out', 'automations', 'schedules', 'digests', 'erasure', 'links'] as const),
  ...(['fingerprints', 'addresses'] as const),
] as const satisfies Purpose[]

/** The installation's secret key (32 bytes) and the keys derived from it by purpose. */
export interface SecretKey {
  /** Names the key in what it encrypted, so that a rotated key is still recognized. */
  id: string
  derive(purpose: Purpose): Buffer
}

/** `retained`: the text of `retainedKeys` from before a rotation. */
export function secretKey(bytes: Buffer, retained?: string): SecretKey {
  if (bytes.length !== 32) throw new RangeError('The secret key has 32 bytes')
  const derived = new Map<Purpose, Buffer>(retained === undefined ? [] : readRetained(retained))
  return {
    id: hash('sha256', bytes).slice(0, 8),
    derive(purpose) {
      let key = derived.get(purpose)
      if (!key) {
        key = Buffer.from(hkdfSync('sha256', bytes, '', `postrider/${purpose}`, 32))
        derived.set(purpose, key)
      }
      return key
    },
  }
}

/** The derived keys that outlive a rotation, as JSON. */
export const retainedKeys = (key: SecretKey): string =>
  JSON.stringify(Object.fromEntries(RETAINED.map((purpose) => [purpose, key.derive(purpose).toString('base64')])))

function readRetained(text: string): [Purpose, Buffer][] {
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new TypeError('Derived keys are an object')
  return RETAINED.flatMap((purpose): [Purpose, Buffer][] =>
    typeof value[purpose] === 'string' ? [[purpose, Buffer.from(value[purpose], 'base64')]] : [],
  )
}

/** How every value encrypted with the key of this id begins. */
export const encryptedPrefix = (keyId: string) => `v1.${keyId}.`

/** AES-256-GCM: `v1.<key id>.<nonce>.<tag>.<ciphertext>`, bound to `context` (workspace and row). */
export function encrypt(key: SecretKey, plain: string, context: string): string {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key.derive('encryption'), nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
  const part = (bytes: Buffer) => bytes.toString('base64url')
  return `v1.${key.id}.${part(nonce)}.${part(cipher.getAuthTag())}.${part(sealed)}`
}

/** Throws when the key is another one, the context differs or the text was changed. */
export function decrypt(key: SecretKey, sealed: string, context: string): string {
  const [version, keyId, nonce, tag, text] = sealed.split('.')
  if (version !== 'v1' || nonce === undefined || tag === undefined || text === undefined)
    throw new Error('Not an encrypted value')
  if (keyId !== key.id) throw new Error(`Encrypted with the secret key ${keyId}, this server has ${key.id}`)
  const decipher = createDecipheriv('aes-256-gcm', key.derive('encryption'), Buffer.from(nonce, 'base64url'))
  decipher.setAAD(Buffer.from(context)).setAuthTag(Buffer.from(tag, 'base64url'))
  return Buffer.concat([decipher.update(Buffer.from(text, 'base64url')), decipher.final()]).toString('utf8')
}

/** How an API key is stored: keys are random and long, so that one fast hash suffices. */
export function hashKey(key: string): string {
  return hash('sha256', key)
}

export const MASK = '********'

/** As part of a name, with any separator: `auth_token`, `clientSecret`, `x-api-key`. */
const TOKEN_LIKE =
  /token|secret|pass[-_]?(wor|w)d|passphrase|pwd|authorization|credential|cookie|bearer|(api|access)[-_]?key|private[-_]?key|incoming[-_]?webhook|webhook[-_]?url/i

/** The keys of profiles repeat with every message; names that callers make up are dropped again. */
export const isSecretName = memo(10_000, (name) => TOKEN_LIKE.test(name))

/** A copy in which every value under a token-like key is masked; `name` is the key the value itself stands under. */
export function maskTokens<T>(value: T, name = ''): T {
  return mask(value, name, 0) as T
}

/** The address of a webhook is enough to post there, and its headers carry credentials of any name. */
const isOfWebhook = (key: string, parent: string) => parent === 'webhook' && (key === 'url' || key === 'headers')

/** The addresses of devices under names that say nothing: the token alone under `apn`, a subscription of a browser. */
export const isDeviceAddress = (key: string, parent: string, value: unknown) =>
  (key === 'apn' && typeof value === 'string') || (parent === 'web_push' && (key === 'endpoint' || key === 'keys'))

/** True when the name `key`, in an object under `parent`, is one of a secret. */
const isSecret = (key: string, parent: string, value: unknown) =>
  isSecretName(key) || isOfWebhook(key, parent) || isDeviceAddress(key, parent, value)

function mask(value: unknown, name: string, depth: number): unknown {
  // The API accepts no JSON beyond 32 levels.
  if (depth > 40) return MASK
  if (Array.isArray(value)) return value.map((item) => mask(item, name, depth + 1))
  if (!isObject(value)) return value
  const masked: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    masked[key] = isSecret(key, name, item) ? MASK : mask(item, key, depth + 1)
  }
  return masked
}

/** The texts and numbers under token-like keys, at any depth. */
export function secretValues(document: unknown): string[] {
  const values: string[] = []
  const walk = (value: unknown, name: string, isInside: boolean, depth: number): void => {
    if (depth > 40) return
    if (Array.isArray(value)) for (const item of value) walk(item, name, isInside, depth + 1)
    else if (isObject(value))
      for (const [key, item] of Object.entries(value)) walk(item, key, isInside || isSecret(key, name, item), depth + 1)
    else if (isInside && (typeof value === 'string' || typeof value === 'number')) values.push(String(value))
  }
  walk(document, '', false, 0)
  return values
}

/** A copy without the values under token-like keys. Objects at the dotted paths of `kept` stay as they are. */
export function withoutTokens(value: JsonObject, kept: readonly string[] = []): JsonObject {
  const strip = (part: unknown, name: string, path: string, depth: number): unknown => {
    if (depth > 40) return undefined
    if (Array.isArray(part)) return part.map((item) => strip(item, name, path, depth + 1))
    if (!isObject(part)) return part
    const left: JsonObject = {}
    for (const [key, item] of Object.entries(part)) {
      const at = path === '' ? key : `${path}.${key}`
      if (kept.includes(at)) left[key] = item
      else if (!isSecret(key, name, item)) left[key] = strip(item, key, at, depth + 1)
    }
    return left
  }
  return strip(value, '', '', 0) as JsonObject
}
