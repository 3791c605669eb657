/** Opens a connection to a checked address, optionally encrypted, within a time limit. Throws only `Unreachable`. */
import net, { type LookupFunction } from 'node:net'
import tls from 'node:tls'
import { SECOND } from '../base/time/duration.ts'
import { type AddressGuard, Unreachable } from './address-guard.ts'
import { Limit } from './time-limit.ts'

/** 10 s: three retransmissions of a lost SYN (1, 2, 4 s) fit in. */
const DIAL_TIMEOUT_MS = 10 * SECOND
const CLOSED = 'The connection was closed'

export interface Destination {
  host: string
  port: number
  encrypted: boolean
  /** Trusted authorities instead of the public ones. */
  authorities?: string[] | undefined
  /** Offered in the TLS handshake (ALPN). */
  protocols?: string[]
  /** Aborted when the client closes: the connection is not opened any more. */
  signal: AbortSignal
}

export async function dial(addresses: AddressGuard, to: Destination): Promise<net.Socket> {
  const host = to.host.startsWith('[') ? to.host.slice(1, -1) : to.host
  const candidates = await addresses.resolve(host, to.port)
  if (to.signal.aborted) throw new Unreachable('connect', `${host}:${to.port}: ${CLOSED}`)
  // The name is never resolved again: the checked address is the one connected to.
  const lookup: LookupFunction = (_host, options, answer) => {
    const [first] = candidates
    if (options.all) answer(null, candidates)
    else if (first) answer(null, first.address, first.family)
  }
  const options = { host, port: to.port, lookup, autoSelectFamily: true, noDelay: true, keepAlive: true }
  if (!to.encrypted) return opened(net.connect(options), 'connect', to)
  const protocols = to.protocols && { ALPNProtocols: to.protocols }
  return opened(tls.connect({ ...options, ...tlsOptions(host, to.authorities), ...protocols }), 'secureConnect', to)
}

/** Encrypts a connection that is open; `proven` requires a certificate of a trusted authority. */
export function encryptConnection(
  socket: net.Socket,
  to: Omit<Destination, 'encrypted'>,
  proven: boolean,
): Promise<net.Socket> {
  const options = { ...tlsOptions(to.host, to.authorities), rejectUnauthorized: proven }
  return opened(tls.connect({ socket, ...options }), 'secureConnect', to, true)
}

/** Explicit, because an environment variable of Node can turn verification off for the whole process. */
function tlsOptions(host: string, authorities: string[] | undefined): tls.ConnectionOptions {
  return {
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
    ...(net.isIP(host) ? {} : { servername: host }),
    ...(authorities ? { ca: authorities } : {}),
  }
}

function opened(
  socket: net.Socket,
  event: 'connect' | 'secureConnect',
  { host, port, signal }: Pick<Destination, 'host' | 'port' | 'signal'>,
  isConnected = false,
): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    let connected = isConnected
    const fail = (cause: Error) => {
      limit.end()
      socket.destroy()
      const first: Error = cause instanceof AggregateError ? (cause.errors[0] ?? cause) : cause
      const reason = connectErrorText(first, host) ?? connectionErrorText(first)
      reject(new Unreachable(connected ? 'tls' : 'connect', `${host}:${port}: ${reason}`, cause))
    }
    const cut = (failure: 'timeout' | 'aborted') =>
      fail(new Error(failure === 'timeout' ? `no connection within ${DIAL_TIMEOUT_MS} ms` : CLOSED))
    const limit = new Limit({ signal, timeoutMs: DIAL_TIMEOUT_MS }, { cut })
    socket.once('error', fail)
    socket.once('connect', () => (connected = true))
    socket.once(event, () => {
      limit.end()
      socket.off('error', fail)
      resolve(socket)
    })
  })
}

/** By the code of the operating system. */
const CONNECT_ERRORS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'connection refused'],
  ['ETIMEDOUT', 'no answer'],
  ['EHOSTUNREACH', 'host not reachable'],
  ['ENETUNREACH', 'network not reachable'],
])

/** `connection refused (ECONNREFUSED)`, with the address only where the host is a name. */
function connectErrorText(error: NodeJS.ErrnoException & { address?: string }, host: string): string | undefined {
  const { code = '', syscall, address } = error
  const text = syscall === 'connect' ? CONNECT_ERRORS.get(code) : undefined
  if (text === undefined) return undefined
  return address === undefined || address === host ? `${text} (${code})` : `${text} (${code}, ${address})`
}

const OLD_VERSION = 'offers no TLS from version 1.2 on'
const NO_TLS = 'does not speak TLS on this port'
const NO_COMMON_CIPHER = 'has no encryption in common with us'

/** By Node's code; other errors have OpenSSL's text alone. */
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ['ERR_SSL_WRONG_VERSION_NUMBER', NO_TLS],
  ['ERR_SSL_PACKET_LENGTH_TOO_LONG', NO_TLS],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', OLD_VERSION],
  ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', OLD_VERSION],
  ['ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE', NO_COMMON_CIPHER],
  ['ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE', NO_COMMON_CIPHER],
])

/** `thread:error:code:library:function:reason:file:line:` of OpenSSL 3, the function often empty. */
const RAW = /[0-9A-F]+:error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]*)(?::[^\s:]*:\d+:[^\n]*)?/gi

/** The message of any error of a connection, without what only OpenSSL's authors can use. */
export function connectionErrorText(error: Error): string {
  const raw = error.message.replace(RAW, '$1').replace(/\s+/g, ' ').trim()
  const { code, reason } = error as { code?: unknown; reason?: unknown }
  if (typeof code !== 'string' || !code.startsWith('ERR_SSL_')) return raw
  const text = typeof reason === 'string' && reason !== '' ? reason : raw
  const meaning = MEANINGS.get(code)
  return meaning ? `${meaning} (${text})` : `TLS failed: ${text}`
}
