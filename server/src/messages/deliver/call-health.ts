/** The health of an integration as one call shows it, apart from its message: the evidence of the circuit breaker. */
import { isDeepStrictEqual } from 'node:util'
import type { Reply } from '../../base/exchange.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { CallClass } from '../../limits/call-log.ts'
import type { CallHealth } from '../../limits/circuit-breaker.ts'
import type { Outcome } from '../../providers/provider.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { providerOverride } from '../decide/render.ts'

/** HTTP: the credentials are refused. A 403 may be due to one message, such as its sender. */
const UNAUTHORIZED = [401, 407]
/** SMTP (RFC 4954): authentication is required, too weak, or has failed. */
const UNAUTHENTICATED = [530, 534, 535, 538]
/** SMTP: the server closes, or cannot check credentials. Other 4xx codes concern a recipient. */
const SERVER_BUSY = [421, 454]

/** `isShort`: the message allows the call less time than others have. */
export function callHealth(outcome: Outcome, reply: Reply | undefined, isShort: boolean): CallHealth | undefined {
  if (outcome.kind === 'sent') return 'good'
  // Nothing was called: only settings can be the reason.
  if (!reply) return outcome.kind === 'rejected' && outcome.scope === 'configuration' ? 'misconfigured' : undefined
  if (outcome.kind === 'rejected') {
    if (outcome.scope !== 'configuration') return reply.kind === 'failure' ? undefined : 'good'
    const isRefused = reply.kind === 'http' && UNAUTHORIZED.includes(reply.status)
    const isUnauthenticated = reply.kind === 'mail' && UNAUTHENTICATED.includes(reply.code)
    return isRefused || isUnauthenticated ? 'unauthorized' : 'misconfigured'
  }
  if (reply.kind === 'failure') {
    if (reply.failure === 'dns' || reply.failure === 'connect' || reply.failure === 'tls') return 'unreachable'
    return reply.failure === 'aborted' || (reply.failure === 'timeout' && isShort) ? undefined : 'failed'
  }
  // A rate limit of the provider is no failure.
  if (outcome.kind === 'retry' && !outcome.attempted) return undefined
  return reply.kind === 'mail' && !SERVER_BUSY.includes(reply.code) ? undefined : 'failed'
}

/** The class of a call in the health of its integration over time. */
export function callClass(outcome: Outcome, health: CallHealth | undefined): CallClass {
  switch (outcome.kind) {
    case 'sent':
      return 'sent'
    case 'in_doubt':
      return 'in_doubt'
    case 'rejected':
      return outcome.scope === 'configuration' && health === 'unauthorized' ? 'authentication' : outcome.scope
    case 'retry':
      if (!outcome.attempted) return 'rate_limited'
      return health === 'unreachable' ? 'connection' : 'failed'
  }
}

/** False where the send or the recipient's profile names another address or other credentials. */
export function isAddressOfIntegration(plan: Routed, { integration, to, channel, device }: RouteCandidate): boolean {
  const { provider, settings } = integration
  const override = providerOverride(plan, provider)
  if (override.config !== undefined || override.url !== undefined) return false
  const { ownAddresses } = provider
  if (!ownAddresses) return true
  // A stored token may name a server, too: one that is dead must not stop the pushes to all others.
  if (device) return false
  const { merged } = plan.profile
  if (!ownAddresses.some((path) => isNamed(merged, path))) return true
  const other = ownAddresses.reduce(without, merged)
  return isDeepStrictEqual(provider.contact(other, settings, { recipient: plan.input.recipient, channel }), to)
}

function isNamed(profile: JsonObject, path: string): boolean {
  let at: unknown = profile
  for (const key of path.split('.')) at = isObject(at) ? at[key] : undefined
  return at !== undefined
}

/** A copy without the value at the dotted path. */
function without(profile: JsonObject, path: string): JsonObject {
  const [key = '', ...rest] = path.split('.')
  const { [key]: value, ...others } = profile
  return rest.length > 0 && isObject(value) ? { ...others, [key]: without(value, rest.join('.')) } : others
}
