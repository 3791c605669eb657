/** Every operation of the contract as a route: who may call, what is read, what is checked, who answers. */
import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import {
  accessOf,
  bodyBytesMax,
  bodyMaxOf,
  type InputOf,
  type KeyEnvironment,
  type KeyRole,
  keyEnvironments,
  keyRoles,
  type Operation,
  type OperationId,
  operations,
  roleOf,
  sessionHeader,
  sessionKeyHeader,
  takesIdempotencyKey,
  warningsHeader,
} from '@postrider/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { during } from '../base/activity.ts'
import { conflict, forbidden, sessionExpired } from '../base/errors.ts'
import { withSampleLinks } from '../preferences/recipient-links.ts'
import { type Caller, environmentOf, isLocalCaller } from './authentication.ts'
import { answersBeforeBody } from './before-body.ts'
import type { BodyAdmission } from './body-admission.ts'
import { type AppContext, type CallContext, callerAddress, type HandlerReply, write } from './call.ts'
import { bodyDigest, idempotencyOf, isOfficialSdk, sendDigest } from './idempotency.ts'
import { inputReader } from './input.ts'
import { requireDraft, requireKind } from './key-kinds.ts'
import { createMasking, type Masking } from './masking.ts'
import type { AnyHandler } from './outcome.ts'
import { preconditionsOf } from './preconditions.ts'
import { createLinkRateLimit, createRateLimit } from './rate-limit.ts'
import { handlers } from './resources.generated.ts'
import { cookieName, requireOwnPage, sessionTokenIn } from './session-cookie.ts'
import { expiryWarnings, isStrict } from './strict-sends.ts'
import { allows } from './token.ts'
import { createUnitOfWork } from './unit-of-work.ts'
import { handling, handlingWarnings, warn, warningsJson } from './warnings.ts'

/** Open to programs on this machine and to no web page: any site can make a browser there send requests. */
const METRICS: OperationId = 'service.metrics'

type Params = Record<string, string>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** The caller of an open operation. No row belongs to it. */
const UNAUTHENTICATED: Caller = {
  ...{ keyId: '', keyName: '', name: '' },
  ...{ workspaceId: 0, mode: 'mock', kind: 'mock', role: 'viewer', expires: null },
}

/** Further paths of operations: where health checks of platforms look without being configured. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  'service.readyz': ['/health', '/healthz'],
} satisfies { [id in OperationId]?: readonly string[] }

/** The operations that this process serves; one with aliases comes again with each of them as its path. */
export const servedOperations = ({ service: { serves } }: Pick<AppContext, 'service'>): readonly Operation[] =>
  operations
    .filter(({ id }) => serves === 'everything' || id.startsWith('service.'))
    .flatMap((operation) => [operation, ...(aliases[operation.id] ?? []).map((path) => ({ ...operation, path }))])

export function registerRoutes(server: FastifyInstance, app: AppContext, bodies: BodyAdmission): void {
  const performer = createUnitOfWork(app)
  const limit = createRateLimit(app.rateLimits)
  const limitLink = createLinkRateLimit()
  const readCaller = callerReader(app)
  server.decorateRequest('caller', null)
  const { engine, ...rest } = app
  const handlerApp: CallContext['app'] = { ...rest, database: engine }
  for (const operation of servedOperations(app)) {
    const { id, method, path, access, calledBy } = operation
    const read = inputReader(operation)
    const masking = createMasking(operation, app.secretKey)
    const least = roleOf(operation)
    const perform = performer(operation, handlers[id as OperationId] as AnyHandler)
    const contextOf = contextReader(handlerApp, operation)
    const beforeBody = answersBeforeBody[id as OperationId]
    const canBeStrict = takesStrict(operation.query)
    if (id === METRICS) refusePreflight(server, path)
    server.route({
      method,
      url: path,
      ...(bodyMaxOf(operation) < bodyBytesMax && { bodyLimit: bodyMaxOf(operation) }),
      config: { operation: id, cors: false, sameOrigin: id === METRICS },
      // Before the body is read: unauthenticated callers send no megabytes.
      onRequest: (request, reply, done) => {
        const { token: linkToken = '' } = request.params as Params
        if (calledBy === 'recipients') limitLink(method, linkToken, app.clock.now())
        const answer = beforeBody?.(linkToken, contextOf(request, {} as never))
        if (answer) return void write(reply, answer)
        if (access === 'open' || (id === METRICS && isLocal(request))) return done()
        const enter = (caller: Caller) => {
          permit(caller, operation, least, request.params as Params)
          limit(id, caller.workspaceId, app.clock.now())
          request.caller = caller
        }
        const caller = readCaller(request)
        if (caller instanceof Promise) return void caller.then(enter).then(() => done(), done)
        enter(caller)
        done()
      },
      handler: async (request, reply) => {
        let ctx = undefined as CallContext | undefined
        const handle = () => {
          const asRead = read(request, !canBeStrict && prefersStrict(request))
          if (request.caller) requireDraft(accessOf(operation), request.caller, asRead.body)
          const input = masking && request.caller?.role === 'viewer' ? masking.open(asRead) : asRead
          ctx = contextOf(request, input)
          if (asRead.warnings) warn(ctx, ...asRead.warnings)
          warn(ctx, ...handlingWarnings(ctx.header('prefer')))
          return perform(input, ctx)
        }
        const answer = await bodies.during(request, () => during('request', request.id, id, handle))
        if (ctx?.warnings) reply.header(warningsHeader, warningsJson(ctx.warnings))
        write(reply, request.caller ? shownTo(request.caller, answer, masking) : answer)
        // Without this the framework takes a stream that has not started for no reply at all.
        return answer.raw?.content instanceof Readable ? reply : undefined
      },
    })
  }
}

/** The caller of a session or a key; no promise where its key came over the connection within the last second. */
function callerReader(app: AppContext): (request: FastifyRequest) => Caller | Promise<Caller> {
  const { callers, publicUrl } = app
  const cookieOfSession = cookieName(publicUrl)
  const used = (caller: Caller, request: FastifyRequest['raw']) => {
    callers.used(caller, () => callerAddress({ app, request }))
    return caller
  }
  return ({ headers, raw }) => {
    const { authorization, cookie } = headers
    const token = authorization === undefined && cookie !== undefined && sessionTokenIn(cookie, cookieOfSession)
    if (token) {
      requireOwnPage(headers, publicUrl)
      return callers.findSession(token).then((caller) => asOnPage(used(caller, raw), headers))
    }
    // One of the connection was noted when it was looked up.
    return (
      callers.ofConnection(authorization, raw.socket) ??
      callers.find(authorization, raw.socket).then((caller) => used(caller, raw))
    )
  }
}

/**
 * Throws a 401 where the page is of another key, since the browser has signed in again meanwhile; a 409 where it shows
 * another environment, to which a second tab has switched the session.
 */
function asOnPage(caller: Caller, headers: IncomingHttpHeaders): Caller {
  if ((headers[sessionKeyHeader] ?? caller.keyId) !== caller.keyId) throw sessionExpired()
  const environment = headers[sessionHeader]
  if (environment === environmentOf(caller.workspaceId) || !isEnvironment(environment)) return caller
  throw conflict('environment_switched', `The session does not act in ${environment} any more. Load the page again`)
}

const isEnvironment = (text: unknown): text is KeyEnvironment => keyEnvironments.some((name) => name === text)

/** Throws a 403 for what the token or the key may not do. */
function permit({ grant, mode, role: ownRole }: Caller, operation: Operation, role: KeyRole, params: Params): void {
  const { token, mockRole } = operation
  const least = (mode === 'mock' && mockRole) || role
  const rank = keyRoles.indexOf(ownRole)
  // A role of a later version may do nothing here.
  if (rank < 0 || rank > keyRoles.indexOf(least))
    throw forbidden('role_required', `This needs a key of role ${least}; the role of this key is ${ownRole}`)
  if (grant && !allows(grant, token, params)) throw forbidden('insufficient_scope', 'The token may not do this')
  requireKind(accessOf(operation), { mode })
}

function contextReader(
  app: CallContext['app'],
  operation: Operation,
): (request: FastifyRequest, input: InputOf<OperationId>) => CallContext {
  const { query, readsRawBody } = operation
  const canBeStrict = takesStrict(query)
  const takesKey = takesIdempotencyKey(operation)
  return (request, input) => {
    const now = app.clock.now()
    const caller = request.caller ?? UNAUTHENTICATED
    const header = (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    const strict = canBeStrict
      ? isStrict(input as InputOf<'send.send'>, header('prefer'), caller.workspaceId, app)
      : prefersStrict(request)
    const digest = () => {
      // The users of a bulk job come later, and would get the data of another job.
      const isLiberal = canBeStrict && !strict && operation.id !== 'bulk.create' && isOfficialSdk(header)
      return (isLiberal ? sendDigest : bodyDigest)(request.body as Buffer | undefined, input.body)
    }
    const called = () => ({ scope: replyScope(operation, caller), params: request.params as Params })
    const idempotency = takesKey ? idempotencyOf(called, { header, now }, digest) : undefined
    const ctx: CallContext = {
      app,
      caller,
      strict,
      now,
      header,
      request: request.raw,
      preconditions: preconditionsOf(operation, header),
    }
    if (idempotency) {
      ctx.idempotency = idempotency
      warn(ctx, ...expiryWarnings(ctx))
    }
    if (readsRawBody)
      ctx.raw = {
        url: request.url,
        method: request.method,
        headers: request.headers,
        remoteAddress: request.raw.socket.remoteAddress ?? '',
        body: (request.body as Buffer | undefined) ?? Buffer.alloc(0),
      }
    return ctx
  }
}

function shownTo({ mode, role }: Caller, answer: HandlerReply, masking: Masking | undefined): HandlerReply {
  const shown = mode === 'live' && role === 'full' ? answer : withoutLinks(answer)
  return masking && role === 'viewer' ? masking.mask(shown) : shown
}

/** Messages have links by which their readers could act for their recipient, which only a role of full access may. */
function withoutLinks(answer: HandlerReply): HandlerReply {
  const { body, raw } = answer
  if (typeof raw?.content === 'string') return { ...answer, raw: { ...raw, content: withSampleLinks(raw.content) } }
  return body === undefined ? answer : { ...answer, body: JSON.parse(withSampleLinks(JSON.stringify(body))) }
}

/** Which callers share an idempotency key: those with keys of one kind, and only those with the same key where the reply has a secret. */
function replyScope({ id, secretReply }: Operation, { mode, keyId }: Caller): string {
  if (secretReply === 'caller') return `${id} ${keyId}`
  return mode === 'live' ? id : `${id}/${mode}`
}

const prefersStrict = ({ headers: { prefer } }: FastifyRequest) =>
  prefer !== undefined && handling([prefer].flat()[0]) === 'strict'

/** Calls that send, and that can be refused for what would be found out later. */
const takesStrict = (query: Operation['query']) => query !== undefined && Object.hasOwn(query.properties, 'strict')

/** A call below the path of the public address came through a proxy, even one that names no client. */
const isLocal = ({ raw, url, originalUrl }: FastifyRequest) => url === originalUrl && isLocalCaller(raw)

/** A preflight request from a page of another origin is answered like an unknown path. */
function refusePreflight(server: FastifyInstance, url: string): void {
  const config = { cors: false, sameOrigin: true }
  server.route({ method: 'OPTIONS', url, config, handler: (_request, reply) => reply.callNotFound() })
}
