/** Headers that no request may have, whatever it calls: too many, and a host that can be read in two ways (RFC 9112, 3.2). */
import type { IncomingMessage } from 'node:http'
import { CallerError } from '../base/errors.ts'
import { isHost } from '../base/host.ts'

const HEADERS_MAX = 100

type Head = Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion' | 'url'>

/** Undefined for a request that may go on. */
export function headersError({ rawHeaders, headers, httpVersion, url = '' }: Head): CallerError | undefined {
  // Names and values alternate.
  if (rawHeaders.length > 2 * HEADERS_MAX)
    return new CallerError('headers_too_large', `The request has more than ${HEADERS_MAX} headers`)
  const { host } = headers
  if (host === undefined) return httpVersion === '1.0' ? undefined : malformed('The request has no Host header')
  // Node.js takes the first of several, and a proxy may have taken another.
  if (countOf('host', rawHeaders) > 1) return malformed('The request has more than one Host header')
  if (!isHost(host)) return malformed('The Host header must be a name or an address, with or without a port')
  if (url.startsWith('/')) return undefined
  const [, authority = host] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(url) ?? []
  return authority.toLowerCase() === host.toLowerCase()
    ? undefined
    : malformed('The address and the Host header of the request name different hosts')
}

function countOf(name: string, rawHeaders: readonly string[]): number {
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const header = rawHeaders[index] ?? ''
    if (header.length === name.length && header.toLowerCase() === name) count += 1
  }
  return count
}

const malformed = (message: string) => new CallerError('malformed_request', message)
