/** Where a request goes and with which headers, or why it must not be sent at all. */
import type { Failure, HttpRequest } from '../../base/exchange.ts'
import { memo } from '../../base/perf/memo.ts'

export interface Target extends Destination {
  headers: Record<string, string>
}

interface Destination {
  origin: string
  /** For messages: paths and queries may hold tokens. */
  host: string
  path: string
}

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** The connection's own business; a second opinion on framing or host is how requests are smuggled. */
const RESERVED = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'upgrade',
  'te',
  'trailer',
  'expect',
])

export function httpTarget(request: HttpRequest): Target | Failure {
  if (request.url.length > 8_192) return invalid('The URL is longer than 8,192 characters')
  const destination = destinationOf(request.url)
  if (typeof destination === 'string') return invalid(destination)
  const headers: Record<string, string> = {}
  let bytes = 0
  for (const name in request.headers) {
    const value = request.headers[name]
    const error = headerError(name, value)
    if (error !== undefined || value === undefined)
      return invalid(`The header ${JSON.stringify(name.slice(0, 64))} ${error}`)
    bytes += name.length + value.length
    headers[name.toLowerCase()] = value
  }
  if (bytes > 16_384) return invalid('The headers are larger than 16 kB')
  // Replies are not decompressed, so that none can grow.
  headers['accept-encoding'] ??= 'identity'
  const { origin, host, path } = destination
  return { origin, host, path, headers }
}

/** A string: the reason why nothing is sent there. Most messages go to a few addresses. */
const destinationOf = memo(1_000, (text): Destination | string => {
  // The URL parser drops line breaks and tabs silently: two texts would be one address.
  if (/[\s\0\\]/.test(text)) return 'The URL holds spaces or backslashes'
  const url = parsed(text)
  if (!url) return 'The URL is not valid'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'The URL is neither http nor https'
  if (url.username || url.password) return 'The URL holds a user name or password'
  return { origin: url.origin, host: url.host, path: url.pathname + url.search }
})

/** The end of a sentence about the header; undefined when it can be sent. */
export function headerError(name: string, value: unknown): string | undefined {
  if (!NAME.test(name)) return 'is not the name of a header'
  if (RESERVED.has(name.toLowerCase())) return 'cannot be set: it belongs to the connection'
  if (typeof value === 'string' && VALUE.test(value)) return undefined
  const isBroken = typeof value === 'string' && /[\r\n]/.test(value)
  return isBroken ? 'must not hold a line break' : 'must be a string of Latin-1 characters'
}

function parsed(text: string): URL | undefined {
  try {
    return new URL(text)
  } catch {
    return undefined
  }
}

function invalid(message: string): Failure {
  return { kind: 'failure', failure: 'invalid_request', message, reached: false }
}
