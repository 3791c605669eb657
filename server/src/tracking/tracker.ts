/**
 * The tracked addresses of an installation, never made for its own ones. Each has a signed token with everything in it
 * that counting an event needs.
 */
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

export interface Tracker {
  /** False without a public address: nothing is tracked then. */
  isPublic: boolean
  /** An address below that of the installation: to unsubscribe, to preferences, to callbacks. It is never changed. */
  isOwn(url: string): boolean
  /** Undefined where the address has to stay as it is. */
  link(delivery: TrackedDelivery, url: string): string | undefined
  pixel(delivery: TrackedDelivery): string | undefined
  /** Where an app reports the later events of a push. */
  event(delivery: TrackedDelivery): string | undefined
}

/** Its address is a third longer, and has to fit into a line of a mail and a request. */
const TARGET_CHARACTERS_MAX = 2_000

export interface TrackerOptions {
  secretKey: SecretKey
  publicUrl: string
  isPublic: boolean
}

export function createTracker({ secretKey, publicUrl, isPublic }: TrackerOptions): Tracker {
  const isOwn = ownAddresses(publicUrl)
  const addressOf = (path: string, kind: TokenKind, delivery: TrackedDelivery, target?: string) => {
    const token = isPublic ? signToken(secretKey, kind, delivery, target) : undefined
    return token && `${publicUrl}/${path}/${token}`
  }
  return {
    isPublic,
    isOwn,
    pixel: (delivery) => addressOf('o', 'open', delivery),
    event: (delivery) => addressOf('e', 'event', delivery),
    link: (delivery, url) => (isFollowable(url) && !isOwn(url) ? addressOf('r', 'click', delivery, url) : undefined),
  }
}

/** A web address that a redirect can lead to. One with a password stays where its author put it. */
export function isFollowable(url: string): boolean {
  if (url.length > TARGET_CHARACTERS_MAX || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function ownAddresses(publicUrl: string): (url: string) => boolean {
  const publicAddress = new URL(publicUrl)
  const path = publicAddress.pathname.replace(/\/+$/, '')
  return (url) => {
    if (!URL.canParse(url)) return false
    const { host, pathname } = new URL(url)
    return host === publicAddress.host && (pathname === path || pathname.startsWith(`${path}/`))
  }
}
