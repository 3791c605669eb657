/** Every operation of the contract as a route: who may call, what is read, what is checked, who answers. */
import { Readable } from 'node:stream'
import { type Handlers, type InputOf, type Operation, type OperationId, operations } from '@postrider/contract'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { during } from '../base/activity.ts'
import { forbidden, invalidRequest } from '../base/errors.ts'
import { isObject } from '../base/json/json.ts'
import { isStorable } from '../base/json/json-bounds.ts'
import { compileCheck, compileLiberalCheck } from '../base/schema/check.ts'
import { commitWithoutReply } from '../database/idempotent-replies.ts'
import type { HttpContext } from './app-context.ts'
import { audited } from './audit.ts'
import type { Caller } from './authentication/caller.ts'
import { isLocalCaller } from './authentication/local-caller.ts'
import { allows } from './authentication/token.ts'
import { readBody } from './body.ts'
import type { BodyAdmission } from './body-admission.ts'
import type { Call, Reply } from './call.ts'
import { bodyDigest, createOnce, idempotencyOf } from './idempotency.ts'
import { queryReader } from './query.ts'
import { createRateLimit } from './rate-limit.ts'
import { write } from './reply-writer.ts'
import { accounts } from './resources/accounts.ts'
import { audiences } from './resources/audiences.ts'
import { auditEvents } from './resources/audit-events.ts'
import { auth } from './resources/auth.ts'
import { automationTemplates } from './resources/automation-templates.ts'
import { automations } from './resources/automations.ts'
import { brands } from './resources/brands.ts'
import { bulk } from './resources/bulk.ts'
import { deviceTokens } from './resources/device-tokens.ts'
import { digests } from './resources/digests.ts'
import { erasures } from './resources/erasures.ts'
import { events } from './resources/events.ts'
import { explain } from './resources/explain.ts'
import { inbound } from './resources/inbound.ts'
import { keys } from './resources/keys.ts'
import { lists } from './resources/lists.ts'
import { mailbox } from './resources/mailbox.ts'
import { memberships } from './resources/memberships.ts'
import { messages } from './resources/messages.ts'
import { notificationChecks } from './resources/notification-checks.ts'
import { notificationContent } from './resources/notification-content.ts'
import { notifications } from './resources/notifications.ts'
import { preferences } from './resources/preferences.ts'
import { probes } from './resources/probes.ts'
import { profiles } from './resources/profiles.ts'
import { providers } from './resources/providers.ts'
import { requests } from './resources/requests.ts'
import { routing } from './resources/routing.ts'
import { sections } from './resources/sections.ts'
import { send } from './resources/send.ts'
import { simulate } from './resources/simulate.ts'
import { tenants } from './resources/tenants.ts'
import { topics } from './resources/topics.ts'
import { translations } from './resources/translations.ts'
import { webhooks } from './resources/webhooks.ts'
import { isStrict } from './strict-sends.ts'

const handlers = {
  ...send,
  ...explain,
  ...simulate,
  ...messages,
  ...requests,
  ...bulk,
  ...automations,
  ...automationTemplates,
  ...profiles,
  ...erasures,
  ...lists,
  ...deviceTokens,
  ...tenants,
  ...memberships,
  ...accounts,
  ...preferences,
  ...sections,
  ...topics,
  ...digests,
  ...audiences,
  ...events,
  ...routing,
  ...inbound,
  ...notifications,
  ...notificationContent,
  ...notificationChecks,
  ...brands,
  ...translations,
  ...providers,
  ...webhooks,
  ...keys,
  ...auth,
  ...auditEvents,
  ...mailbox,
  ...probes,
} satisfies Handlers<Call, Promise<Reply>>

/** Open to programs on this machine and to no web page: any site can make a browser there send requests. */
const METRICS: OperationId = 'service.metrics'

type Params = Record<string, string>
type Handler = (input: InputOf<OperationId>, call: Call) => Promise<Reply>

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

/** These hand their key to `pipeline/accept`, whose commit many calls share. */
const ACCEPTED: ReadonlySet<string> = new Set<OperationId>(['send.send', 'messages.resend'])

/** Nobody: what an open operation is called by. No row belongs to it. */
const NOBODY: Caller = { keyId: '', name: '', workspaceId: 0, mode: 'mock' }

/** The operations that this process serves. */
export const servedOperations = ({ serves }: Pick<HttpContext, 'serves'>): readonly Operation[] =>
  serves === 'probes' ? operations.filter(({ id }) => id.startsWith('service.')) : operations

export function registerRoutes(app: FastifyInstance, house: HttpContext, bodies: BodyAdmission): void {
  const once = createOnce()
  const limit = createRateLimit(house.rateLimits)
  app.decorateRequest('caller', null)
  for (const operation of servedOperations(house)) {
    const { id, method, path, access } = operation
    const read = inputReader(operation)
    const work = audited(operation, handlers[id as OperationId] as Handler)
    if (id === METRICS) refusePreflight(app, path)
    const serve: Handler = ACCEPTED.has(id) ? work : (input, call) => once(call, (own) => work(input, own))
    app.route({
      method,
      url: path,
      config: { operation: id, cors: false, sameOrigin: id === METRICS },
      // Before the body is read: strangers send no megabytes.
      onRequest: (request, _reply, done) => {
        if (access === 'open' || (id === METRICS && isLocalCaller(request.raw))) return done()
        const enter = (caller: Caller) => {
          if (caller.grant && !allows(caller.grant, operation.token, request.params as Params))
            throw forbidden('The token may not do this')
          if (access === 'published' && caller.mode !== 'live')
            throw forbidden(`Only a published key can do this; this is a ${caller.mode} key`)
          limit(id, caller.workspaceId, house.clock.now())
          request.caller = caller
        }
        const caller = house.callers.of(request.headers.authorization, request.raw.socket)
        if (caller instanceof Promise) return void caller.then(enter).then(() => done(), done)
        enter(caller)
        done()
      },
      handler: async (request, reply) => {
        const handle = () => {
          const input = read(request)
          return serve(input, callOf(house, operation, request, once, input))
        }
        const answer = await bodies.during(request, () => during('request', request.id, id, handle))
        write(reply, answer)
        // Without this the framework takes a stream that has not begun for no reply at all.
        return answer.raw?.content instanceof Readable ? reply : undefined
      },
    })
  }
}

function callOf(
  house: HttpContext,
  { id, method, produces, query }: Operation,
  request: FastifyRequest,
  once: ReturnType<typeof createOnce>,
  input: InputOf<OperationId>,
): Call {
  const now = house.clock.now()
  const caller = request.caller ?? NOBODY
  const header = (name: string) => {
    const value = request.headers[name]
    return Array.isArray(value) ? value[0] : value
  }
  // Of the methods only POST is not the same when repeated; what is kept is JSON.
  const keyed = method === 'POST' && !produces
  const digest = () => bodyDigest(request.body as Buffer | undefined, input.body)
  const idempotency = keyed ? idempotencyOf(id, request.params as Params, { header, now }, digest) : undefined
  const call: Call = {
    house,
    caller,
    strict: takesStrict(query) && isStrict(input as InputOf<'send.send'>, header('prefer'), caller.workspaceId, house),
    now,
    header,
    keeping: () => commitWithoutReply(house.engine),
    once: (work) => once(call, work),
  }
  if (idempotency) call.idempotency = idempotency
  return call
}

/** Calls that send, and that can be refused for what would be found out later. */
const takesStrict = (query: Operation['query']) => query !== undefined && Object.hasOwn(query.properties, 'strict')

/** A preflight request from a page of another origin is answered like an unknown path. */
function refusePreflight(app: FastifyInstance, url: string): void {
  const config = { cors: false, sameOrigin: true }
  app.route({ method: 'OPTIONS', url, config, handler: (_request, reply) => reply.callNotFound() })
}

const compileStrictCheck = (schema: TSchema, root: string) => {
  const check = compileCheck(schema, root)
  return (value: unknown) => {
    check(value)
    return value
  }
}

/** Checks compiled once. What it returns is as the contract says, or it throws a 400. */
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
  // Probes and pages are asked for by tools and people who append what they like.
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
      if (!isStorable(value)) throw invalidRequest('The path holds U+0000 or half a surrogate pair')
    if (readQuery) {
      const at = request.url.indexOf('?')
      input.query = at < 0 ? {} : readQuery(request.url.slice(at + 1))
      checkQuery?.(input.query)
    }
    if (readFirst) {
      input.body = readBody(request.body as Buffer | undefined, request.headers, acceptsText)
      // Clients without a body to send write `null`.
      if (input.body === null && bodyOptional) input.body = undefined
      if (input.body === undefined && !bodyOptional) throw invalidRequest('A body is required')
      const isVariant = variant && isObject(input.body) && Object.hasOwn(input.body, variant.key)
      const readFitting = isVariant && readVariant ? readVariant : readFirst
      if (input.body !== undefined) input.body = readFitting(input.body)
    }
    return input as InputOf<OperationId>
  }
}
