/** The handshake of an SMTP session: connected, greeted, encrypted as the settings demand, logged in. */
import type { Socket } from 'node:net'
import { hostname } from 'node:os'
import type { SmtpServer } from '../../base/exchange.ts'
import { SECOND } from '../../base/time/duration.ts'
import { type AddressGuard, isPublicPeer, Unreachable } from '../address-guard.ts'
import { dial, encrypt } from '../connect.ts'
import { SmtpWire } from './connection.ts'
import { login } from './login.ts'
import { errorReply, failed, isYes, type SmtpAnswer } from './outcome.ts'
import type { SmtpReply } from './replies.ts'
import { type Extensions, type SmtpSession, smtpSession } from './session.ts'

/** From the greeting to the login: some servers let strangers wait for their greeting, seldom longer than 20 s. */
const OPENING_MAX_MS = 30 * SECOND

/** `ended` is called once, however the session ends. */
export async function openSession(
  addresses: AddressGuard,
  server: SmtpServer,
  authorities: string[] | undefined,
  ended: () => void,
): Promise<SmtpSession | SmtpAnswer> {
  let socket: Socket
  try {
    socket = await dial(addresses, { ...server, encrypted: server.security === 'tls', authorities })
  } catch (error) {
    ended()
    return unreachable(error)
  }
  socket.once('close', ended)
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    socket.destroy()
  }, OPENING_MAX_MS)
  const opened = await greet(socket, server, authorities)
  clearTimeout(timer)
  if (!('kind' in opened)) return opened
  socket.destroy()
  return isLate ? failed('timeout', `${server.host} was not ready within ${OPENING_MAX_MS} ms`) : opened
}

/** Encryption may be absent or unverified where it is optional: without a password to send, or on a private network. */
export function mayBePlain({ security, user }: SmtpServer, peer: string | undefined): boolean {
  if (security !== 'opportunistic') return false
  return user === undefined || (peer !== undefined && !isPublicPeer(peer))
}

async function greet(
  socket: Socket,
  server: SmtpServer,
  authorities: string[] | undefined,
): Promise<SmtpSession | SmtpAnswer> {
  const isPlainAllowed = mayBePlain(server, socket.remoteAddress)
  let wire = new SmtpWire(socket)
  const [greeting] = await wire.receive(1)
  if (greeting?.code !== 220) return failureOf(wire, greeting)
  let offered = await hello(wire)
  if ('kind' in offered) return offered
  if (server.security === 'starttls' || (server.security === 'opportunistic' && offered.has('STARTTLS'))) {
    const [ready] = await wire.exchange('STARTTLS')
    if (wire.failure) return failureOf(wire, ready)
    if (ready?.code === 220) {
      try {
        // RFC 3207 §4.2: earlier replies are void; a new wire has none of them.
        wire = new SmtpWire(await encrypt(wire.release(), { ...server, authorities }, !isPlainAllowed))
      } catch (error) {
        return unreachable(error)
      }
      offered = await hello(wire)
      if ('kind' in offered) return offered
    } else if (!isPlainAllowed) return notEncrypted(ready)
  } else if (server.security === 'opportunistic' && !isPlainAllowed) return notEncrypted()
  const { user, password = '' } = server
  if (user === undefined) return smtpSession(wire, offered)
  const methods = offered.get('AUTH')
  if (!methods) return failed('connect', 'The server offers no login')
  const reply = await login(wire, methods, { user, password })
  return reply && isYes(reply) ? smtpSession(wire, offered) : failureOf(wire, reply)
}

/** What the server offers: nothing, when it knows only the old greeting. */
async function hello(wire: SmtpWire): Promise<Extensions | SmtpAnswer> {
  const name = ownName(hostname())
  const [reply] = await wire.exchange(`EHLO ${name}`)
  if (reply && isYes(reply)) return extensionsOf(reply.text)
  if (wire.failure) return failureOf(wire, reply)
  const [old] = await wire.exchange(`HELO ${name}`)
  return old && isYes(old) ? new Map() : failureOf(wire, old)
}

/** RFC 5321 §4.1.1.1: a keyword a line, with its values; logins are also announced as `AUTH=…`, before it had a standard. */
function extensionsOf(text: string): Extensions {
  const offered = new Map<string, string[]>()
  for (const line of text.toUpperCase().split('\n').slice(1)) {
    const [keyword = '', ...values] = line.slice('250-'.length).split(/[ =]+/)
    offered.set(keyword, [...(offered.get(keyword) ?? []), ...values])
  }
  return offered
}

/** RFC 5321 §4.1.3: a client without a name gives an address. */
export const ownName = (host: string) => (/^[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$/.test(host) ? host : '[127.0.0.1]')

function failureOf({ failure }: SmtpWire, reply: SmtpReply | undefined): SmtpAnswer {
  return reply ? errorReply(reply) : failed(failure?.failure ?? 'reset', failure?.message ?? 'No answer')
}

const notEncrypted = (reply?: SmtpReply) =>
  failed('tls', `The server does not encrypt, and this may not go in the clear${reply ? `: ${reply.text}` : ''}`)

function unreachable(error: unknown): SmtpAnswer {
  if (!(error instanceof Unreachable)) throw error
  return failed(error.failure, error.message)
}
