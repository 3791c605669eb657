/** The tracked addresses of an installation: made for a delivery, and never for the addresses of the installation itself. */
import type { SecretKey } from '../base/secret.ts'
import { signToken, type TokenKind, type TrackedDelivery } from './token.ts'

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
  const own = new URL(publicUrl)
  const path = own.pathname.replace(/\/+$/, '')
  return (url) => {
    if (!URL.canParse(url)) return false
    const { host, pathname } = new URL(url)
    return host === own.host && (pathname === path || pathname.startsWith(`${path}/`))
  }
}
