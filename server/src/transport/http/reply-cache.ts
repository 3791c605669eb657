/** Keeps successful replies of requests with a cache key (tokens, looked-up users): bounded in number and size. */
import { hash } from 'node:crypto'
import type { Failure, HttpReply, HttpRequest } from '../../base/exchange.ts'
import { isObject } from '../../base/json/json.ts'
import { createCache } from '../../base/perf/cache.ts'
import type { Clock } from '../../base/time/clock.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'

const ENTRIES_MAX = 5_000
const CHARS_MAX = 16_000_000
/** Tokens and looked-up users are a few kilobytes. */
const ENTRY_CHARS_MAX = 64_000

type Answer = HttpReply | Failure
/** Gets the time it waited for the answer to another caller. */
type Perform = (waitedMs: number) => Promise<Answer>

export interface ReplyCache {
  /** Has at most one request at a time for the same key. */
  through(request: HttpRequest, perform: Perform): Promise<Answer>
}

export function replyCache(clock: Clock): ReplyCache {
  const kept = createCache<string, HttpReply>({ entriesMax: ENTRIES_MAX, weightMax: CHARS_MAX, weightOf: charsOf })
  const inFlight = new Map<string, Promise<Answer>>()

  function keep(key: string, reply: HttpReply, request: HttpRequest): void {
    const lifetimeMs = lifetimeOf(reply, request)
    if (charsOf(reply) <= ENTRY_CHARS_MAX && lifetimeMs > 0) kept.set(key, reply, clock.now() + lifetimeMs)
  }

  async function shared(request: HttpRequest, perform: Perform): Promise<Answer> {
    const key = identity(request)
    const cachedReply = kept.get(key, clock.now())
    if (cachedReply && !isRefused(cachedReply, request)) return cachedReply
    const startedAt = performance.now()
    const other = inFlight.get(key)
    if (other) {
      const reply = await other
      if (isGood(reply, request) && !isRefused(reply, request)) return reply
      return perform(performance.now() - startedAt)
    }
    const answer = perform(0)
    inFlight.set(key, answer)
    try {
      const reply = await answer
      if (isGood(reply, request)) keep(key, reply, request)
      return reply
    } finally {
      inFlight.delete(key)
    }
  }

  return {
    through: (request, perform) => (request.cache ? shared(request, perform) : perform(0)),
  }
}

/** With what its headers and key take. */
const charsOf = ({ body }: HttpReply) => body.length + 1_000

/** A token must outlive the request that is sent with it, also where two clocks differ a little. */
const EARLY_MS = MINUTE

function lifetimeOf({ body }: HttpReply, { cache }: HttpRequest): number {
  const { lifetimeMs = 0, lifetimeField } = cache ?? {}
  const stated = lifetimeField === undefined ? undefined : numberIn(body, lifetimeField)
  return stated === undefined ? lifetimeMs : Math.min(lifetimeMs, stated * SECOND - EARLY_MS)
}

function numberIn(body: string, field: string): number | undefined {
  try {
    const parsed: unknown = JSON.parse(body)
    const value = isObject(parsed) ? Number(parsed[field]) : Number.NaN
    return Number.isFinite(value) ? value : undefined
  } catch {
    return undefined
  }
}

const isRefused = ({ body }: HttpReply, { cache }: HttpRequest): boolean =>
  cache?.refused !== undefined && body.includes(cache.refused)

/** Some providers answer 200 to what failed; `containing` is the text that only a success has. */
function isGood(reply: Answer, { cache }: HttpRequest): reply is HttpReply {
  if (reply.kind !== 'http' || reply.status < 200 || reply.status >= 300) return false
  return cache?.containing === undefined || reply.body.includes(cache.containing)
}

/** The whole request, so that two integrations under one key but with other credentials share nothing. */
function identity({ cache, method, url, headers, body }: HttpRequest): string {
  return hash('sha256', JSON.stringify([cache?.key, method, url, headers, body]))
}
