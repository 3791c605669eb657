/**
 * JSON Web Tokens. Those that sign requests to providers: the same claims under the same key give the same token. Those
 * that sign callbacks: verified with the secret that the provider shares.
 */
import { createECDH, createHmac, createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { memo } from '../base/perf/cache.ts'
import { SECOND } from '../base/time/duration.ts'
import { CALLBACK_TOLERANCE_MS, isSameText, readJson } from './callback.ts'
import { Rejection } from './provider.ts'

type Algorithm = 'ES256' | 'RS256'

export interface SignedToken {
  algorithm: Algorithm
  /** PEM (PKCS #8). */
  privateKey: string
  header?: Record<string, string>
  claims: Record<string, string | number>
}

/** Kept, because an ES256 signature is random: a provider must not get a new token with every message. */
export function signedToken(token: SignedToken): string {
  return signed(JSON.stringify(token))
}

const signed = memo(1_000, (text) => {
  const { algorithm, privateKey, header, claims } = JSON.parse(text) as SignedToken
  const key = keyOf(privateKey, algorithm)
  if (!key) throw new Rejection('configuration', 'The private key cannot be read')
  const parts = [{ ...header, alg: algorithm, typ: 'JWT' }, claims].map((part) => base64url(JSON.stringify(part)))
  const signature = sign('sha256', Buffer.from(parts.join('.')), { key, dsaEncoding: 'ieee-p1363' })
  return [...parts, base64url(signature)].join('.')
})

const base64url = (value: string | Buffer) => Buffer.from(value as string).toString('base64url')

const HASHES: ReadonlyMap<unknown, string> = new Map([
  ['HS256', 'sha256'],
  ['HS384', 'sha384'],
  ['HS512', 'sha512'],
])

/** The claims of a token under a shared secret, when it holds at `now`; else the reason why it does not, as a text. */
export function readToken(token: string, secret: string, now: number): JsonObject | string {
  const [header = '', claims = '', signature = '', ...rest] = token.split('.')
  const named = readJson(Buffer.from(header, 'base64url'))
  const hash = HASHES.get(isObject(named) ? named.alg : undefined)
  if (!hash || rest.length > 0) return 'The signature must be a token with the algorithm HS256'
  const expected = createHmac(hash, secret).update(`${header}.${claims}`).digest('base64url')
  if (!isSameText(signature, expected)) return 'The signature is wrong'
  const read = readJson(Buffer.from(claims, 'base64url'))
  if (!isObject(read)) return 'The token has no claims'
  return isCurrent(read, now) ? read : 'The signature has expired'
}

/** A token without an end holds as long as other signatures with a time. */
function isCurrent({ iat, nbf, exp }: JsonObject, now: number): boolean {
  const start = nbf ?? iat
  if (typeof start !== 'number' || start * SECOND > now + CALLBACK_TOLERANCE_MS) return false
  const end = typeof exp === 'number' ? exp * SECOND : start * SECOND
  return end >= now - CALLBACK_TOLERANCE_MS
}

/** Undefined where the text is no key for the algorithm. */
export function keyOf(pem: string, algorithm: Algorithm): KeyObject | undefined {
  try {
    const key = createPrivateKey(pem)
    const { namedCurve } = key.asymmetricKeyDetails ?? {}
    const fits = algorithm === 'RS256' ? key.asymmetricKeyType === 'rsa' : namedCurve === 'prime256v1'
    return fits ? key : undefined
  } catch {
    return undefined
  }
}

/** The public key of a private one, in base64url; undefined where it is none. */
export function vapidPublicKey(privateKey: string): string | undefined {
  if (!/^[\w-]{42,43}$/.test(privateKey)) return undefined
  const pair = createECDH('prime256v1')
  try {
    pair.setPrivateKey(Buffer.from(privateKey, 'base64url'))
    return pair.getPublicKey().toString('base64url')
  } catch {
    return undefined
  }
}

/** The prefix of a PKCS #8 key on P-256 that holds the private number alone (RFC 5915). */
const PKCS8_P256 = Buffer.from('3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420', 'hex')

/** A private key of Web Push as PEM. */
export function vapidPem(privateKey: string): string {
  const number = Buffer.from(privateKey, 'base64url')
  const padded = Buffer.concat([Buffer.alloc(Math.max(0, 32 - number.length)), number])
  const text = Buffer.concat([PKCS8_P256, padded]).toString('base64')
  return `-----BEGIN PRIVATE KEY-----\n${text}\n-----END PRIVATE KEY-----\n`
}
