/** Encrypts the tokens inside JSON documents in place, so that every stored copy of a document is encrypted. */
import { createHmac, hash } from 'node:crypto'
import { isObject } from '../base/json/json.ts'
import { decrypt, encrypt, isDeviceAddress, isSecretName, type SecretKey } from '../base/secret.ts'

export interface TokenCipher {
  /** A copy with the secrets of a profile encrypted: token-like keys, webhook headers. The same object without any. */
  encrypt<T extends object>(workspaceId: number, document: T): T
  /** The same for `override` of a send, where each `config` is a secret as a whole. */
  encryptOverride<T extends object>(workspaceId: number, override: T): T
  /** The same for an automation and the state of its runs; cancellation tokens stay, because runs are found by them. */
  encryptAutomation<T extends object>(workspaceId: number, automation: T): T
  /** A copy with every token decrypted. A token of another secret key is left out, because it is lost. */
  decrypt<T>(workspaceId: number, document: T): T
  /** The same for a JSON text. */
  decryptText(workspaceId: number, text: string): string
  /** A keyed digest, the same after a rotation of the secret key: a value is found by it and cannot be read from it. */
  fingerprint(workspaceId: number, text: string): string
  /** The same as a number of 48 bits, in a fifth of the time, for what every message has. */
  addressDigest(workspaceId: number, address: string): number
}

/** Prefix of an encrypted token, anywhere in a document. */
export const TOKEN_MARK = 'enc:v1.'
/** Matches a token in JSON text: none of its characters is escaped there. */
const ENCRYPTED_TOKEN = /enc:(v1\.[\da-f]{8}(?:\.[\w-]+){3})/g
const WHOLE_TOKEN = new RegExp(`^${ENCRYPTED_TOKEN.source}$`)

export const tokenContext = (workspaceId: number) => `token:${workspaceId}`

type IsSecret = (key: string, parent: string, depth: number, value: unknown) => boolean

const inProfile: IsSecret = (key, parent, _depth, value) =>
  isSecretName(key) || (key === 'headers' && parent === 'webhook') || isDeviceAddress(key, parent, value)
/** `{<provider>: {config}}`. */
const inOverride: IsSecret = (key, parent, depth, value) =>
  (depth === 1 && key === 'config') || inProfile(key, parent, depth, value)
const inAutomation: IsSecret = (key, parent, _depth, value) =>
  isDeviceAddress(key, parent, value) || (isSecretName(key) && !/^cancell?ation_?token$/i.test(key))

/** Deeper than any accepted document. */
const DEPTH_MAX = 100

/** Hexadecimal digits: as a number, they are exact in JSON. */
const ADDRESS_DIGITS = 12

export function tokenCipher(key: SecretKey): TokenCipher {
  const addressKey = key.derive('addresses').toString('base64')
  const seal = (workspaceId: number) => (value: unknown) =>
    `enc:${encrypt(key, JSON.stringify(value), tokenContext(workspaceId))}`
  return {
    encrypt: (workspaceId, document) => encrypted(document, inProfile, seal(workspaceId)),
    encryptOverride: (workspaceId, override) => encrypted(override, inOverride, seal(workspaceId)),
    encryptAutomation: (workspaceId, automation) => encrypted(automation, inAutomation, seal(workspaceId)),
    decrypt: (workspaceId, document) =>
      decrypted(document, (text) => opened(key, workspaceId, text)) as typeof document,
    decryptText(workspaceId, text) {
      // Most documents hold no token: searching the text costs less than parsing it.
      return text.includes(TOKEN_MARK) ? JSON.stringify(this.decrypt(workspaceId, JSON.parse(text))) : text
    },
    fingerprint: (workspaceId, text) =>
      createHmac('sha256', key.derive('fingerprints')).update(`${workspaceId}\0${text}`).digest('base64url'),
    addressDigest: (workspaceId, address) =>
      Number.parseInt(hash('sha256', `${addressKey}\0${workspaceId}\0${address}`).slice(0, ADDRESS_DIGITS), 16),
  }
}

/** For a database opened without the secret key: tokens stay encrypted, and none is ever written as plain text. */
export const lockedTokens: TokenCipher = {
  encrypt: (_workspaceId, document) => encrypted(document, inProfile, refuse),
  encryptOverride: (_workspaceId, override) => encrypted(override, inOverride, refuse),
  encryptAutomation: (_workspaceId, automation) => encrypted(automation, inAutomation, refuse),
  decrypt: (_workspaceId, document) => document,
  decryptText: (_workspaceId, text) => text,
  fingerprint: refuse,
  addressDigest: refuse,
}

function refuse(): never {
  throw new Error('The database was opened without the secret key: a token cannot be stored or looked up')
}

/** Copies only the objects that change. */
function encrypted<T extends object>(document: T, isSecret: IsSecret, seal: (value: unknown) => string): T {
  const walk = (value: unknown, name: string, depth: number): unknown => {
    if (Array.isArray(value)) return mapped(value, (item) => walk(item, name, depth))
    if (!isObject(value) || depth > DEPTH_MAX) return value
    let copy = value
    for (const key in value) {
      const item = value[key]
      const after = isSecret(key, name, depth, item) ? (isEmpty(item) ? item : seal(item)) : walk(item, key, depth + 1)
      if (after === item) continue
      if (copy === value) copy = { ...value }
      copy[key] = after
    }
    return copy
  }
  return walk(document, '', 0) as T
}

/** Whether there is a value is no secret. */
const isEmpty = (value: unknown) => value === null || value === undefined || value === '' || typeof value === 'boolean'

function decrypted(value: unknown, open: (text: string) => unknown, depth = 0): unknown {
  if (typeof value === 'string') return value.startsWith(TOKEN_MARK) ? open(value) : value
  if (Array.isArray(value)) return mapped(value, (item) => decrypted(item, open, depth))
  if (!isObject(value) || depth > DEPTH_MAX) return value
  let copy = value
  for (const key in value) {
    const item = value[key]
    const after = decrypted(item, open, depth + 1)
    if (after === item) continue
    if (copy === value) copy = { ...value }
    if (after === undefined) delete copy[key]
    else copy[key] = after
  }
  return copy
}

function mapped(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const after = items.map(map)
  return after.some((item, at) => item !== items[at]) ? after : items
}

function opened(key: SecretKey, workspaceId: number, text: string): unknown {
  const [, sealed] = WHOLE_TOKEN.exec(text) ?? []
  // Text of a caller that begins like a token.
  if (sealed === undefined) return text
  try {
    return JSON.parse(decrypt(key, sealed, tokenContext(workspaceId)))
  } catch {
    return undefined
  }
}
