/** Signed texts for addresses that outsiders call: they cannot be made up or changed, and outlive a rotation of the secret key. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { SecretKey } from './secret.ts'

/** The purpose of an address: a text that was signed for one kind is nothing for another. */
export type LinkKind = 'callback' | 'unsubscribe' | 'preferences' | 'preferences-form' | 'open' | 'click' | 'event'

/** 128 bits cannot be found by trying. */
const SIGNATURE_BYTES = 16
const TEXT_MAX = 8_192

/** `<parts in base64url>.<signature>`: letters, digits, `-`, `_` and one dot. */
export function signLink(key: SecretKey, kind: LinkKind, parts: readonly string[]): string {
  return signBytes(key, kind, Buffer.from(JSON.stringify(parts)))
}

/** The same for addresses that have to be short. */
export function signBytes(key: SecretKey, kind: LinkKind, bytes: Buffer): string {
  const payload = bytes.toString('base64url')
  return `${payload}.${signatureOf(key, kind, payload)}`
}

/** The parts; undefined when the text was not signed for this kind by this installation. */
export function readLink(key: SecretKey, kind: LinkKind, text: string): string[] | undefined {
  const bytes = readBytes(key, kind, text)
  return bytes && (JSON.parse(bytes.toString()) as string[])
}

export function readBytes(key: SecretKey, kind: LinkKind, text: string): Buffer | undefined {
  const match = text.length <= TEXT_MAX ? /^([\w-]+)\.([\w-]{22})$/.exec(text) : null
  const [, payload, signature] = match ?? []
  if (payload === undefined || signature === undefined) return undefined
  // As texts: the last letter has four bits that decoding ignores.
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(key, kind, payload)))) return undefined
  return Buffer.from(payload, 'base64url')
}

const signatureOf = (key: SecretKey, kind: LinkKind, payload: string): string => {
  const digest = createHmac('sha256', key.derive('links')).update(`${kind}:${payload}`).digest()
  return digest.subarray(0, SIGNATURE_BYTES).toString('base64url')
}
