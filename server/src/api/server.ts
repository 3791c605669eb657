/** The HTTP server: bounds, request ids, one shape of errors, and the routes of the contract. */
import { randomBytes } from 'node:crypto'
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import cors from '@fastify/cors'
import { type ErrorCode, errorCodes, type Operation, warningsHeader } from '@postrider/contract'
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
} from 'fastify'
import { methodNotAllowed, unknownPath } from '../base/errors.ts'
import { SECOND } from '../base/time/duration.ts'
import { admitBodies, bodyReadBytesMax } from './body-admission.ts'
import { type AppContext, write } from './call.ts'
import { HOME_PAGE, redirectRoot, registerDashboard } from './dashboard.ts'
import { redirectGuides } from './docs/addresses.ts'
import { errorBody, errorReply } from './errors.ts'
import { pathOf } from './public-url.ts'
import { headersError } from './request-headers.ts'
import { registerRoutes, servedOperations } from './routes.ts'

const HEADERS_TIMEOUT_MS = 10 * SECOND
/** How late a time limit of a connection may be noticed; the default of 30 s would make three of the ten. */
const CONNECTIONS_CHECK_MS = SECOND
/** 6 MB over a slow line. */
const REQUEST_TIMEOUT_MS = 30 * SECOND
/** Longer than the 60 s of common load balancers, so that they close first. */
const KEEP_ALIVE_MS = 72 * SECOND
const HEADER_BYTES_MAX = 16_384
/** A 512-character id, each character four bytes and each byte percent-encoded. */
const PARAMETER_CHARACTERS_MAX = 512 * 12

/** Callers with a key may call from every origin, and read the headers that clients use. */
const crossOrigin = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': `x-request-id, retry-after, x-should-retry, idempotent-replayed, idempotency-mismatch, etag, ${warningsHeader}`,
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The contract's name of the operation. */
    operation?: string
    /** Without CORS headers: pages of other origins cannot read its replies. */
    sameOrigin?: boolean
  }
}

export function createHttpServer(context: AppContext): FastifyInstance {
  const app = fastify({
    logger: false,
    genReqId: requestIds(),
    bodyLimit: bodyReadBytesMax,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CONNECTIONS_CHECK_MS,
      maxHeaderSize: HEADER_BYTES_MAX,
      // Node.js would answer without our headers; it is checked with the others.
      requireHostHeader: false,
    },
    // Clients that are still connected while the server stops are served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    ...belowPath(context.publicUrl),
    clientErrorHandler: (error, socket) => refuseUnreadable(error, socket, context.publicUrl),
    routerOptions: {
      ignoreTrailingSlash: true,
      ignoreDuplicateSlashes: true,
      maxParamLength: PARAMETER_CHARACTERS_MAX,
      // Read by the routes themselves, and not at all where there is none.
      querystringParser: () => ({}),
    },
    // The contract checks bodies and replies; a start that does not load Fastify's own compilers is 60 ms shorter.
    schemaController: { compilersFactory: { buildValidator: refuseSchemas, buildSerializer: refuseSchemas } },
    // Before any hook.
    frameworkErrors: (error, request, reply) =>
      void write(withReplyHeaders(request, reply), errorReply(error, whereOf(request))),
  })
  // With a limit Node.js drops further headers without a word; they are counted below.
  app.server.maxHeadersCount = 0
  // Unknown expectations may be ignored (RFC 9110, 10.1.1); Node.js would answer without our headers.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response))

  const whereOf = (request: FastifyRequest) => ({
    requestId: request.id,
    operation: request.routeOptions?.config?.operation ?? request.method,
    log: context.log,
    publicUrl: context.publicUrl,
    isComplete: request.raw.complete,
  })

  app.removeAllContentTypeParsers()
  // Every content type is parsed: clients mislabel bodies, and send a type without a body. Named types are found at
  // once; for all others the type is taken apart with each request.
  for (const type of ['application/json', '*'])
    app.addContentTypeParser(type, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addHook('onRequest', (request, reply, done) => {
    withReplyHeaders(request, reply)
    done(headersError(request.raw))
  })
  // Answers preflight requests of browsers; operations switch it off and have the headers above.
  app.register(cors, {
    origin: '*',
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    strictPreflight: false,
    maxAge: 600,
  })
  app.setErrorHandler((error, request, reply) => write(reply, errorReply(error, whereOf(request))))
  refuseUnknownPaths(app, context, whereOf)
  measure(app, context)
  registerRoutes(app, context, admitBodies(app))
  registerPages(app, context)
  return app
}

/** Addresses of browsers that are no operations of the contract. */
function registerPages(app: FastifyInstance, { dashboard, publicUrl, service }: AppContext): void {
  redirectGuides(app, publicUrl)
  const folder = service.serves === 'everything' ? dashboard : undefined
  redirectRoot(app, folder ? HOME_PAGE : 'docs', publicUrl)
  if (folder) registerDashboard(app, folder)
}

function refuseUnknownPaths(
  app: FastifyInstance,
  context: AppContext,
  whereOf: (request: FastifyRequest) => Parameters<typeof errorReply>[1],
): void {
  const methodsOf = allowedMethods(servedOperations(context))
  app.setNotFoundHandler((request, reply) => {
    const allowed = methodsOf(request.url)
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    const error = allowed.length > 0 ? methodNotAllowed(request.method, allowed) : unknownPath()
    return write(reply, errorReply(error, whereOf(request)))
  })
}

/** A proxy may pass on the path below which it has the server, and the documents have addresses with it. */
function belowPath(publicUrl: string): Pick<FastifyServerOptions, 'rewriteUrl'> {
  const prefix = pathOf(publicUrl)
  if (prefix === '') return {}
  return {
    rewriteUrl: ({ url = '/' }) =>
      url === prefix || url.startsWith(`${prefix}/`) || url.startsWith(`${prefix}?`)
        ? url.slice(prefix.length).replace(/^(?!\/)/, '/')
        : url,
  }
}

/** Called for a route with a schema of Fastify's, of which there is none. */
const refuseSchemas = () => {
  throw new Error('Routes are described by the contract')
}

/** No browser takes a reply for another type than it says: an echo of the caller's words is never a page. */
const NO_SNIFFING = ['x-content-type-options', 'nosniff'] as const

/** Headers of every reply. Only browsers send an origin; other clients get no CORS headers. */
function withReplyHeaders(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  reply.header('x-request-id', request.id).header(...NO_SNIFFING)
  const isSameOrigin = request.headers.origin === undefined || request.routeOptions?.config?.sameOrigin === true
  return isSameOrigin ? reply : reply.headers(crossOrigin)
}

/** The caller's own id where it is harmless, else one of this process. */
function requestIds(): (request: { headers: IncomingMessage['headers'] }) => string {
  const process = randomBytes(5).toString('hex')
  let count = 0
  return ({ headers }) => {
    const requestId = headers['x-request-id']
    if (typeof requestId === 'string' && /^[\w.:-]{1,128}$/.test(requestId)) return requestId
    count += 1
    return `${process}-${count.toString(36)}`
  }
}

const unreadable: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request took too long'],
  HPE_HEADER_OVERFLOW: ['headers_too_large', 'The headers are too large'],
}

/** Answers input that is no request: broken HTTP, headers too large or too slow. */
function refuseUnreadable(error: Error & { code?: string }, socket: Socket, publicUrl: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [code, message] =
    unreadable[error.code ?? ''] ?? (['malformed_request', 'The request is not valid HTTP'] as const)
  const { status } = errorCodes[code]
  const body = JSON.stringify(errorBody(code, message, publicUrl))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'connection: close',
    'content-type: application/json',
    NO_SNIFFING.join(': '),
    `content-length: ${Buffer.byteLength(body)}`,
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Metric labels by the first digit of the status. */
const CLASSES = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

/** Metrics and debug lines have no ids, queries or bodies. */
function measure(app: FastifyInstance, { metrics, log }: Pick<AppContext, 'metrics' | 'log'>): void {
  app.addHook('onResponse', (request, reply, done) => {
    const operation = request.routeOptions.config.operation ?? 'none'
    const { statusCode: status, elapsedTime: ms } = reply
    metrics.requestSeconds.observe({ operation, status: CLASSES[Math.floor(status / 100)] ?? '' }, ms / SECOND)
    if (log.isLevelEnabled('debug'))
      log.debug({ event: 'request.answered', requestId: request.id, operation, status, ms: Math.round(ms) }, 'answered')
    done()
  })
}

/** Gives the methods of a path, `HEAD` beside `GET`, for the 405 to a call with another one; none for a path that leads nowhere. */
function allowedMethods(operations: readonly Pick<Operation, 'method' | 'path'>[]): (url: string) => string[] {
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
