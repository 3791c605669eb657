/** The cookie of a session: written, read, and accepted only from pages of this server. */
import type { IncomingHttpHeaders } from 'node:http'
import { sessionHeader, sessionLifetimeMs } from '@postrider/contract'
import { CallerError } from '../base/errors.ts'
import { SECOND } from '../base/time/duration.ts'
import { pathOf } from './public-url.ts'

/** Browsers send cookies to every port and path of a host, so that servers on one host need names of their own. */
export function cookieName(publicUrl: string): string {
  const { protocol, port } = new URL(publicUrl)
  const path = pathOf(publicUrl).replaceAll(/\W+/g, '_')
  return `${protocol === 'https:' ? '__Host-postrider_session' : `postrider_session${port && `_${port}`}`}${path}`
}

export const sessionCookie = (publicUrl: string, token: string): string =>
  cookie(publicUrl, token, sessionLifetimeMs / SECOND)

/** Removes the cookie. */
export const endedCookie = (publicUrl: string): string => cookie(publicUrl, '', 0)

function cookie(publicUrl: string, value: string, maxAgeSeconds: number): string {
  const secure = publicUrl.startsWith('https:') ? ['Secure'] : []
  const attributes = ['Path=/', `Max-Age=${maxAgeSeconds}`, 'HttpOnly', 'SameSite=Strict', ...secure]
  return [`${cookieName(publicUrl)}=${value}`, ...attributes].join('; ')
}

/** 32 bytes in base64url. */
const TOKEN = /^[\w-]{43}$/

/** The token in a `Cookie` header; undefined where there is none that can be ours. */
export function sessionTokenIn(header: string, name: string): string | undefined {
  for (const pair of header.split(';')) {
    const equals = pair.indexOf('=')
    if (pair.slice(0, equals).trim() !== name) continue
    const value = pair.slice(equals + 1).trim()
    if (TOKEN.test(value)) return value
  }
  return undefined
}

/** Throws a 403 for a call that a page of another origin made, or may have made: it cannot set the header. */
export function requireOwnPage(headers: IncomingHttpHeaders, publicUrl: string): void {
  refuseOtherOrigins(headers, publicUrl)
  if (!headers[sessionHeader])
    throw crossSite(`A call with the cookie of a session needs the header ${sessionHeader}: 1`)
}

/** Throws a 403 for a call of which the browser says that a page of another origin made it. */
export function refuseOtherOrigins(headers: IncomingHttpHeaders, publicUrl: string): void {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isOwnSite = site === undefined || site === 'same-origin' || site === 'none'
  if (isOwnSite && (origin === undefined || isOwnOrigin(origin, headers.host, publicUrl))) return
  throw crossSite('Only a page of this server may use the cookie of a session')
}

/**
 * Throws a 403 for a page whose browser would not send the cookie back: one of plain HTTP, where the public URL makes the
 * cookie one of HTTPS. Browsers except loopback.
 */
export function refuseLostCookie({ origin }: IncomingHttpHeaders, publicUrl: string): void {
  if (!publicUrl.startsWith('https:') || !origin?.startsWith('http:') || LOOPBACK.test(origin)) return
  throw new CallerError('https_required', `Over plain HTTP no session is kept. Open ${publicUrl}/app/ instead`)
}

const LOOPBACK = /^http:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/

/** A proxy may pass on another `Host`; then the public URL is the address of the pages. */
function isOwnOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const url = new URL(origin)
  return url.origin === new URL(publicUrl).origin || (host !== undefined && url.host === hostOf(host, url.protocol))
}

/** Without the port that the protocol implies. */
const hostOf = (host: string, protocol: string): string | undefined =>
  URL.canParse(`${protocol}//${host}`) ? new URL(`${protocol}//${host}`).host : undefined

const crossSite = (message: string) => new CallerError('cross_site_refused', message)
