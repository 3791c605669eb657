/** Tokens of tracked links, pixels and push events: signed, with everything in them that counting an event needs. */
import type { SecretKey } from '../base/secret.ts'
import { type LinkKind, readBytes, signBytes } from '../base/signed-link.ts'

export type TokenKind = Extract<LinkKind, 'open' | 'click' | 'event'>

/** The delivery that an address was made for, and when it was handed to the provider. */
export interface TrackedDelivery {
  workspaceId: number
  messageId: string
  n: number
  at: number
  /** A click without an open can be noticed. */
  hasPixel?: boolean
}

export interface Token extends TrackedDelivery {
  /** Where a click leads; empty for a pixel and an event. */
  target: string
}

/** Flags, workspace, message id, delivery and time: fixed sizes, so that an address in an SMS stays short. */
const HEAD_BYTES = 27
const HAS_PIXEL = 1
const MESSAGE_ID = /^1-([0-9a-f]{8})-([0-9a-f]{24})$/

/** Undefined for a message whose id is not ours. */
export function signToken(
  key: SecretKey,
  kind: TokenKind,
  { workspaceId, messageId, n, at, hasPixel }: TrackedDelivery,
  target = '',
): string | undefined {
  const [, seconds, rest] = MESSAGE_ID.exec(messageId) ?? []
  if (seconds === undefined || rest === undefined) return undefined
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(hasPixel ? HAS_PIXEL : 0, 0)
  head.writeUInt16BE(workspaceId, 1)
  head.write(seconds + rest, 3, 'hex')
  head.writeUInt16BE(n, 19)
  head.writeUIntBE(at, 21, 6)
  return signBytes(key, kind, Buffer.concat([head, Buffer.from(target)]))
}

/** Undefined for an address that this installation did not make. */
export function readToken(key: SecretKey, kind: TokenKind, text: string): Token | undefined {
  const bytes = readBytes(key, kind, text)
  if (!bytes || bytes.length < HEAD_BYTES) return undefined
  const id = bytes.toString('hex', 3, 19)
  return {
    hasPixel: (bytes.readUInt8(0) & HAS_PIXEL) !== 0,
    workspaceId: bytes.readUInt16BE(1),
    messageId: `1-${id.slice(0, 8)}-${id.slice(8)}`,
    n: bytes.readUInt16BE(19),
    at: bytes.readUIntBE(21, 6),
    target: bytes.toString('utf8', HEAD_BYTES),
  }
}
