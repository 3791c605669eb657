/**
 * Authenticates a call: the environment and the caller of a key or a token, read from the keys table and cached for a
 * second.
 */

import type { IncomingMessage } from 'node:http'
import {
  type KeyEnvironment,
  type KeyKind,
  type KeyRole,
  keyEnvironments,
  keyKinds,
  keyPrefixes,
} from '@postrider/contract'
import { keyExpired, sessionExpired, unauthorized } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { createCache } from '../base/perf/cache.ts'
import { hashKey, type SecretKey } from '../base/secret.ts'
import type { Clock } from '../base/time/clock.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import { findKey, findKeyById, isExpired, type KeyRow } from '../database/tables/workspace/api-keys.ts'
import { findSession, type SessionRow, seenUpdate } from '../database/tables/workspace/sessions.ts'
import type { Mode } from '../messages/send.ts'
import { createKeyUses } from './key-uses.ts'
import { grantOf, looksLikeToken, readUserToken, type TokenGrant } from './token.ts'

const MODES: Record<KeyKind, Mode> = { published: 'live', draft: 'draft', mock: 'mock' }

/** A revoked key is refused within this time, also by a node that missed the notification. */
const REMEMBERED_MS = SECOND
/** Wrong keys are remembered too, so that guessing costs no query each; 10,000 of them are about 2 MB. */
const ENTRIES_MAX = 10_000
/** The last use of a session is written no more often: its 12 hours need no exact start. */
const SEEN_MS = 5 * MINUTE
// Longer than a token with the longest scope, three bytes a character in base64; it bounds what is hashed and parsed.
const SECRET_CHARACTERS_MAX = 10_240

/** A look-up, shared by all calls until then. */
interface LookUp {
  caller: Promise<Caller | undefined>
  until: number
}

/** The latest valid key of a connection until it is looked up again or expires: a client sends the same key with each request. */
interface ConnectionKey {
  authorization: string
  caller: Caller
  until: number
}

const MISSING_HEADER = 'The header `Authorization` is missing. Send `Authorization: Bearer <API key>`'
const OTHER_HEADER = 'The header `Authorization` must be `Bearer <API key>`, or Basic with the key as the password'
/** The same about a revoked key and one that never was: a guess learns nothing. */
const UNKNOWN_KEY =
  'Unknown API key. It was revoked, misses characters, or is of another server. To look: postrider keys list'
const UNKNOWN_TOKEN = 'The token is not valid: it has expired, its key was revoked, or another server issued it'

/** Notifies nodes that a key was revoked. */
const CHANNEL = 'keys'

export interface CallersOptions {
  engine: Engine
  clock: Clock
  log: Log
  secretKey: SecretKey
}

export async function createCallers(options: CallersOptions): Promise<Callers> {
  const { engine, clock, log } = options
  const lookUps = createLookUps(options)
  const uses = createKeyUses(options)
  let latest = new WeakMap<object, ConnectionKey>()

  const forgetHere = () => {
    lookUps.clear()
    latest = new WeakMap()
  }

  await engine.listen(CHANNEL, forgetHere)
  return {
    ofConnection(authorization, connection) {
      const key = latest.get(connection)
      return key && key.authorization === authorization && clock.now() < key.until ? key.caller : undefined
    },
    async find(authorization, connection) {
      if (!authorization) throw unauthorized(MISSING_HEADER)
      // A key that is revoked during its look-up is not remembered.
      const connections = latest
      const secret = secretIn(authorization)
      if (!secret) throw unauthorized(OTHER_HEADER)
      const isToken = looksLikeToken(secret)
      const bearer = isToken ? await lookUps.byToken(secret) : undefined
      if (bearer && isExpired(bearer, clock.now())) throw keyExpired('The API key of this token', bearer.expires)
      if (bearer) return bearer
      const { caller: lookUpResult, until } = lookUps.byKey(secret)
      const caller = await lookUpResult
      if (!caller) throw unauthorized(isToken ? UNKNOWN_TOKEN : UNKNOWN_KEY)
      const { expires } = caller
      if (isExpired(caller, clock.now())) throw keyExpired(`The API key \`${caller.keyName}\``, caller.expires)
      if (!isToken) connections.set(connection, { authorization, caller, until: Math.min(until, expires ?? until) })
      return caller
    },
    async findSession(token) {
      const caller = await lookUps.bySession(token).caller
      if (!caller || isExpired(caller, clock.now())) throw sessionExpired()
      return caller
    },
    async findKey(apiKey) {
      const caller = await lookUps.byKey(apiKey).caller
      return caller && isExpired(caller, clock.now()) ? undefined : caller
    },
    used: ({ keyId, grant }, addressOf) => uses.note(keyId, grant ? null : addressOf()),
    close: () => uses.close(),
    async forget() {
      forgetHere()
      await engine
        .notify(CHANNEL, '')
        .catch((error: unknown) =>
          log.debug({ event: 'notification.lost', err: error }, 'the notification of a revoked key was lost'),
        )
    },
  }
}

/** Each look-up is shared by the calls of a second. */
function createLookUps({ engine, clock, secretKey }: Omit<CallersOptions, 'log'>) {
  const remembered = createCache<string, LookUp>({ entriesMax: ENTRIES_MAX })

  const lookUp = (name: string, find: () => Promise<Caller | undefined>): LookUp => {
    const now = clock.now()
    const entry = remembered.get(name, now)
    if (entry) return entry
    const until = now + REMEMBERED_MS
    const started: LookUp = { caller: find(), until }
    remembered.set(name, started, until)
    // A database that does not answer says nothing about the key.
    started.caller.catch(() => remembered.delete(name))
    return started
  }

  const readSession = async (hash: string): Promise<Caller | undefined> => {
    const now = clock.now()
    const session = await findSession(engine, hash, now)
    if (!session) return undefined
    if (now - session.lastSeen < SEEN_MS) return sessionCallerOf(session)
    await engine.run(seenUpdate(session.id, now))
    return sessionCallerOf({ ...session, lastSeen: now })
  }

  return {
    byKey(secret: string): LookUp {
      const hash = hashKey(secret)
      return lookUp(hash, () => findKey(engine, hash).then((key) => key && callerOf(key)))
    },
    /** It lives no longer than the key it comes from, and is of that key's kind. */
    async byToken(token: string): Promise<Caller | undefined> {
      const claims = await readUserToken(secretKey, token, clock.now())
      if (!claims) return undefined
      const { workspaceId, keyId, scope } = claims
      const find = () => findKeyById(engine, workspaceId, keyId).then((key) => key && callerOf(key))
      const issuer = await lookUp(`${workspaceId} ${keyId}`, find).caller
      return issuer && { ...issuer, grant: grantOf(scope) }
    },
    bySession(token: string): LookUp {
      const hash = hashKey(token)
      return lookUp(`session ${hash}`, () => readSession(hash))
    },
    clear: () => remembered.clear(),
  }
}

export const callerOf = ({ id, name, workspaceId, kind, role, expires }: KeyRow): Caller => ({
  ...{ keyId: id, keyName: name, name: `key/${name}`, workspaceId, mode: MODES[kind], kind, role, expires },
})

const sessionCallerOf = ({
  id,
  keyId,
  name,
  workspaceId,
  keyWorkspaceId,
  kind,
  role,
  keyExpires: expires,
  ...times
}: SessionRow): Caller => ({
  ...{ keyId, keyName: name, name: `key/${name}`, workspaceId, mode: MODES[kind], kind, role, expires },
  session: { id, keyWorkspaceId, ...times },
})

/** In basic authorization the password is the key, or the user name without a password. */
function secretIn(authorization: string): string | undefined {
  const [, scheme = '', value = ''] = /^(bearer|basic) +(\S+) *$/i.exec(authorization) ?? []
  if (value.length > SECRET_CHARACTERS_MAX) return undefined
  if (scheme.toLowerCase() === 'bearer') return value
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  const password = colon < 0 ? '' : pair.slice(colon + 1)
  return password || (colon < 0 ? pair : pair.slice(0, colon)) || undefined
}

/** Found by the API key or the token. */
export interface Caller {
  keyId: string
  /** As records name their author: `key/backend`. */
  name: string
  workspaceId: number
  mode: Mode
  keyName: string
  kind: KeyKind
  role: KeyRole
  /** When the key expires; null for one that does not. */
  expires: number | null
  /** The permissions of a token; absent for a key, which has all. */
  grant?: TokenGrant
  /** The session of its cookie; absent for a key and a token. */
  session?: CallerSession
}

export interface CallerSession {
  id: string
  /** The environment of its key; the session itself may act in another one. */
  keyWorkspaceId: number
  created: number
  lastSeen: number
}

export interface Callers {
  /** The caller whose key came over this connection within the last second: no promise for each request. */
  ofConnection(authorization: string | undefined, connection: object): Caller | undefined
  /** Throws a 401 for a missing, unknown or expired key, and for a token that is not good any more. */
  find(authorization: string | undefined, connection: object): Promise<Caller>
  /** Throws a 401 for a session that has ended. */
  findSession(token: string): Promise<Caller>
  /** The caller that an API key makes; undefined for one that is unknown, revoked or expired. */
  findKey(apiKey: string): Promise<Caller | undefined>
  /** Notes the last use of the caller's key; `addressOf` is not called for a token. */
  used(caller: Caller, addressOf: () => string): void
  /** A key or a session ended or changed: callers are looked up again, here and on the other nodes. */
  forget(): Promise<void>
  /** Writes the last uses of keys. */
  close(): Promise<void>
}

// A local caller is a program on this machine, not a web page in a browser.
const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/
/** A page of another site can have its own name resolve to 127.0.0.1, but then it is that name that the call carries. */
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i
/**
 * The headers of programs that read metrics: Prometheus and its relatives, agents, curl, clients of Java and Node.js.
 * Every other one may be the mark of a proxy, which speaks for others, and each product has marks of its own; or it is
 * that of a page in a browser.
 */
const LOCAL_HEADERS = new Set([
  ...['host', 'user-agent', 'accept', 'accept-encoding', 'accept-language', 'authorization', 'connection'],
  ...['keep-alive', 'te', 'upgrade', 'http2-settings', 'cache-control', 'pragma', 'if-none-match', 'content-length'],
  ...['content-type', 'x-prometheus-scrape-timeout-seconds', 'traceparent', 'tracestate', 'sec-fetch-mode'],
])

/** Without settings nginx adds no header of its own, and before version 1.30 it speaks HTTP/1.0. */
export function isLocalCaller({ socket, headers, httpVersion }: IncomingMessage): boolean {
  if (!LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') || !LOOPBACK_HOST.test(headers.host ?? '')) return false
  return httpVersion !== '1.0' && Object.keys(headers).every((name) => LOCAL_HEADERS.has(name))
}

/** The rows that the first start makes. */
export const workspaceOf: Record<KeyEnvironment, number> = { production: 1, test: 2 }

export const environmentOf = (workspaceId: number): KeyEnvironment =>
  keyEnvironments.find((environment) => workspaceOf[environment] === workspaceId) ?? 'production'

/** The scope that the prefix of a key names; without a known prefix, a published key of production. */
export function keyScope(key: string): { workspaceId: number; kind: KeyKind; environment: KeyEnvironment } {
  for (const kind of keyKinds)
    for (const environment of keyEnvironments)
      if (key.startsWith(keyPrefixes[kind][environment]))
        return { kind, environment, workspaceId: workspaceOf[environment] }
  const kind = key.startsWith('mk_') ? 'mock' : key.startsWith('dk_') ? 'draft' : 'published'
  return { kind, environment: 'production', workspaceId: workspaceOf.production }
}
