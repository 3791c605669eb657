/** Every operation of the contract as a route: who may call, what is read, what is checked, who answers. */
import { Readable } from 'node:stream'
import { type InputOf, type Operation, type OperationId, operations, takesIdempotencyKey } from '@postrider/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { during } from '../base/activity.ts'
import { forbidden, invalidRequest } from '../base/errors.ts'
import { isObject, isStorable } from '../base/json/json.ts'
import { compileCheck, compileLiberalCheck } from '../base/schema/check.ts'
import { type Caller, isLocalCaller } from './authentication.ts'
import type { BodyAdmission } from './body-admission.ts'
import type { AppContext, CallContext, HandlerReply } from './call.ts'
import { bodyDigest, idempotencyOf } from './idempotency.ts'
import { queryReader, readBody } from './input.ts'
import type { AnyHandler } from './outcome.ts'
import { createLinkRateLimit, createRateLimit } from './rate-limit.ts'
import { handlers } from './resources.generated.ts'
import { isStrict } from './strict-sends.ts'
import { allows } from './token.ts'
import { createUnitOfWork } from './unit-of-work.ts'

/** Open to programs on this machine and to no web page: any site can make a browser there send requests. */
const METRICS: OperationId = 'service.metrics'

type Params = Record<string, string>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** Callers without a key send no megabytes. */
const RAW_BODY_MAX = 1_048_576

/** The caller of an open operation. No row belongs to it. */
const UNAUTHENTICATED: Caller = { keyId: '', name: '', workspaceId: 0, mode: 'mock' }

/** The operations that this process serves. */
export const servedOperations = ({ serves }: Pick<AppContext, 'serves'>): readonly Operation[] =>
  serves === 'probes' ? operations.filter(({ id }) => id.startsWith('service.')) : operations

export function registerRoutes(server: FastifyInstance, app: AppContext, bodies: BodyAdmission): void {
  const performer = createUnitOfWork(app)
  const limit = createRateLimit(app.rateLimits)
  const limitLink = createLinkRateLimit()
  server.decorateRequest('caller', null)
  const { engine, ...rest } = app
  const { callers } = app
  const handlerApp: CallContext['app'] = { ...rest, database: engine }
  for (const operation of servedOperations(app)) {
    const { id, method, path, access, readsRawBody, calledBy } = operation
    const read = inputReader(operation)
    const perform = performer(operation, handlers[id as OperationId] as AnyHandler)
    if (id === METRICS) refusePreflight(server, path)
    server.route({
      method,
      url: path,
      ...(readsRawBody && { bodyLimit: RAW_BODY_MAX }),
      config: { operation: id, cors: false, sameOrigin: id === METRICS },
      // Before the body is read: unauthenticated callers send no megabytes.
      onRequest: (request, _reply, done) => {
        if (calledBy === 'recipients') limitLink(method, (request.params as Params).token ?? '', app.clock.now())
        if (access === 'open' || (id === METRICS && isLocalCaller(request.raw))) return done()
        const enter = (caller: Caller) => {
          permit(caller, operation, request.params as Params)
          limit(id, caller.workspaceId, app.clock.now())
          request.caller = caller
        }
        const { headers, raw } = request
        const { authorization } = headers
        const known = callers.known(authorization, raw.socket)
        if (!known)
          return void callers
            .find(authorization, raw.socket)
            .then(enter)
            .then(() => done(), done)
        enter(known)
        done()
      },
      handler: async (request, reply) => {
        const handle = () => {
          const input = read(request)
          return perform(input, contextOf(handlerApp, operation, request, input))
        }
        const answer = await bodies.during(request, () => during('request', request.id, id, handle))
        write(reply, answer)
        // Without this the framework takes a stream that has not started for no reply at all.
        return answer.raw?.content instanceof Readable ? reply : undefined
      },
    })
  }
}

/** Throws a 403 for what the token or the key may not do. */
function permit({ grant, mode }: Caller, { access, token }: Operation, params: Params): void {
  if (grant && !allows(grant, token, params)) throw forbidden('insufficient_scope', 'The token may not do this')
  if (access === 'published' && mode !== 'live')
    throw forbidden('published_key_required', `Only a published key can do this; this is a ${mode} key`)
}

function contextOf(
  app: CallContext['app'],
  operation: Operation,
  request: FastifyRequest,
  input: InputOf<OperationId>,
): CallContext {
  const { id, query, readsRawBody } = operation
  const now = app.clock.now()
  const caller = request.caller ?? UNAUTHENTICATED
  const header = (name: string) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  const digest = () => bodyDigest(request.body as Buffer | undefined, input.body)
  const idempotency = takesIdempotencyKey(operation)
    ? idempotencyOf(id, request.params as Params, { header, now }, digest)
    : undefined
  const ctx: CallContext = {
    app,
    caller,
    strict: takesStrict(query) && isStrict(input as InputOf<'send.send'>, header('prefer'), caller.workspaceId, app),
    now,
    header,
  }
  if (idempotency) ctx.idempotency = idempotency
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

/** Calls that send, and that can be refused for what would be found out later. */
const takesStrict = (query: Operation['query']) => query !== undefined && Object.hasOwn(query.properties, 'strict')

/** A preflight request from a page of another origin is answered like an unknown path. */
function refusePreflight(server: FastifyInstance, url: string): void {
  const config = { cors: false, sameOrigin: true }
  server.route({ method: 'OPTIONS', url, config, handler: (_request, reply) => reply.callNotFound() })
}

const compileStrictCheck = (schema: TSchema, root: string) => {
  const check = compileCheck(schema, root)
  return (value: unknown) => {
    check(value)
    return value
  }
}

/** Compiles the checks once. Its result conforms to the contract, or it throws a 400. */
function inputReader({
  params,
  query,
  body,
  bodyOptional,
  variant,
  acceptsText,
  access,
  origin,
  readsPublicBody,
}: Operation): (request: FastifyRequest) => InputOf<OperationId> {
  const checkParams = params && compileCheck(params, 'path')
  // Tools and people append parameters of their own to the addresses of probes and pages.
  const readQuery =
    access === 'open' ? undefined : queryReader(query?.properties ?? {}, { liberal: origin !== 'postrider' })
  const checkQuery = query && compileCheck(query, 'query')
  const readsLiberally = origin !== 'postrider' || readsPublicBody
  const bodyReader = readsLiberally ? compileLiberalCheck : compileStrictCheck
  const readFirst = body && bodyReader(body, 'body')
  const readVariant = variant && bodyReader(variant.body, 'body')
  return (request) => {
    const input: { params: unknown; query: unknown; body: unknown } = {
      params: request.params,
      query: {},
      body: undefined,
    }
    checkParams?.(input.params)
    for (const value of Object.values(request.params as Params))
      if (!isStorable(value))
        throw invalidRequest('The path holds U+0000 or half a surrogate pair', { code: 'malformed_request' })
    if (readQuery) {
      const at = request.url.indexOf('?')
      input.query = at < 0 ? {} : readQuery(request.url.slice(at + 1))
      checkQuery?.(input.query)
    }
    if (readFirst) {
      input.body = readBody(request.body as Buffer | undefined, request.headers, acceptsText)
      // Clients without a body to send write `null`.
      if (input.body === null && bodyOptional) input.body = undefined
      if (input.body === undefined && !bodyOptional)
        throw invalidRequest('A body is required', { code: 'missing_field' })
      const isVariant = variant && isObject(input.body) && Object.hasOwn(input.body, variant.key)
      const readFitting = isVariant && readVariant ? readVariant : readFirst
      if (input.body !== undefined) input.body = readFitting(input.body)
    }
    return input as InputOf<OperationId>
  }
}

// The methods of a path, for the 405 to a call with another one.
/** Gives the methods of a path, `HEAD` beside `GET`; none for a path that leads nowhere. */
export function allowedMethods(operations: readonly Pick<Operation, 'method' | 'path'>[]): (url: string) => string[] {
  const patterns = operations.map(({ method, path }) => ({ method, segments: segmentsOf(path) }))
  return (url) => {
    const segments = segmentsOf(url.split('?', 1)[0] ?? '')
    const methods = patterns.filter((pattern) => leadsTo(pattern.segments, segments)).map(({ method }) => method)
    const allowed = methods.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method]))
    return [...new Set<string>(allowed)]
  }
}

/** As the router reads them: doubled slashes and one at the end do not count. */
const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '')

const leadsTo = (pattern: readonly string[], segments: readonly string[]) =>
  pattern.length === segments.length &&
  pattern.every((segment, index) => segment.startsWith(':') || segment === segments[index])

// A reply is written with bare `application/json` for JSON, and nothing at all for an empty one.
const asItIs = (text: unknown) => text as string

export function write(reply: FastifyReply, { status, body, raw, headers }: HandlerReply): FastifyReply {
  reply.code(status)
  if (headers) reply.headers(headers)
  // A serializer would be given a stream as well.
  if (raw?.content instanceof Readable) return reply.type(raw.mediaType).send(raw.content)
  if (raw) return reply.serializer(asItIs).type(raw.mediaType).send(raw.content)
  if (body === undefined) return reply.send()
  // Old clients read nothing that says `; charset=utf-8`; with a serializer of its own the framework adds no charset.
  return reply.header('content-type', 'application/json').serializer(asItIs).send(JSON.stringify(body))
}
