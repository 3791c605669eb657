/**
 * One call of a provider: its adapter describes requests, the transport performs them, the adapter reads the replies.
 * Last, the health of the integration as the call shows it: the evidence of its circuit breaker.
 */
import { randomBytes } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { during } from '../../base/activity.ts'
import type { HttpRequest, MailRequest, Reply } from '../../base/exchange.ts'
import { failpoint } from '../../base/failpoint.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Log } from '../../base/log.ts'
import { memo } from '../../base/perf/cache.ts'
import { withoutTokens } from '../../base/secret.ts'
import type { CallClass } from '../../limits/call-log.ts'
import type { CallHealth } from '../../limits/circuit-breaker.ts'
import type { Outcome, Provider, Attempt as ProviderAttempt } from '../../providers/provider.ts'
import { applyConfig } from '../../providers/settings.ts'
import type { Transport } from '../../transport/transport.ts'
import type { RouteCandidate, Routed } from '../decide/decision.ts'
import { tokenInProfile } from '../decide/devices.ts'
import { mergeProfiles } from '../decide/profile.ts'
import { providerOverride, type Rendered } from '../decide/render.ts'
import type { AttemptExchange } from '../delivery.ts'
import { attemptExchange } from './attempt-exchange.ts'

/** A look-up, a token, the message itself, one repeat with a new token: no API of a provider needs more. */
const REQUESTS_MAX = 4

export interface CallOptions {
  transport: Pick<Transport, 'perform'>
  now(): number
  log: Log
}

type ProviderInput = ProviderAttempt<unknown, JsonObject, JsonObject>

export interface CallTerms {
  /** Aborted with the lease. */
  signal: AbortSignal
  withinMs: number
  /** Where the provider is to report to; absent where it reports nothing, and without a public address. */
  callbackUrl?: string
  /** The message allows the call less time than others have: it shares none with them. */
  isShort: boolean
  /** Absent where the integration has no address for bounces. */
  bounceAddressFor?: ProviderInput['bounceAddressFor']
  /** The exchange of a success is kept, too. */
  keepsSuccess?: boolean
}

export interface CallResult {
  outcome: Outcome
  /** The last one; undefined when none came, and when the adapter failed. */
  reply?: Reply | undefined
  /** Content for the mailbox, written with the outcome. */
  kept?: JsonObject
  /** The latest request and its reply; absent without one, and for a success unless the terms require it. */
  exchange?: Omit<AttemptExchange, 'attempt'>
}

/** Never rejects. */
export async function callProvider(
  plan: Routed,
  candidate: RouteCandidate,
  rendered: Rendered,
  terms: CallTerms,
  { transport, now, log }: CallOptions,
): Promise<CallResult> {
  const { provider } = candidate.integration
  const batch = provider.batch && !terms.isShort ? { group: callGroup(plan, candidate), ...provider.batch } : undefined
  const deadline = now() + terms.withinMs
  let kept: JsonObject | undefined
  let handedOver = false
  let latestRequest: HttpRequest | MailRequest | undefined
  let reply: Reply | undefined
  let target: CallTarget | undefined
  const ended = (result: CallResult): CallResult => {
    if (!target || !latestRequest || (result.outcome.kind === 'sent' && !terms.keepsSuccess)) return result
    const { to, settings } = target
    const call = { plan, candidate, to, settings, callbackUrl: terms.callbackUrl, request: latestRequest, reply }
    return { ...result, exchange: attemptExchange(call) }
  }
  try {
    target = callTarget(plan, candidate)
    if (target.error !== undefined) return { outcome: configurationError(target, target.error) }
    const activity = talkingTo(provider.key)
    const steps = provider.deliver(adapterInput(candidate, target, rendered, terms, now()))
    let step = during('message', plan.messageId, activity, () => steps.next())
    for (let requests = 0; !step.done; requests += 1) {
      if (requests === REQUESTS_MAX) throw new Error(`${provider.key} yields more than ${REQUESTS_MAX} requests`)
      const request = step.value
      handedOver ||= request.final
      let latest: Reply
      if (request.kind === 'keep') {
        kept = request.content
        latest = { kind: 'keep' }
      } else {
        failpoint('mid-request')
        latestRequest = request
        reply = undefined
        latest = await transport.perform(request, {
          signal: terms.signal,
          timeoutMs: Math.max(1, deadline - now()),
          batch,
        })
      }
      reply = latest
      step = during('message', plan.messageId, activity, () => steps.next(latest))
    }
    return ended({ outcome: withReason(target, step.value), reply, ...(kept && { kept }) })
  } catch (error) {
    log.error(
      { event: 'provider.adapter_failed', err: error, provider: provider.key, message: plan.messageId },
      'an adapter failed',
    )
    return ended({ outcome: adapterFailed(handedOver) })
  }
}

/** A reply to a call counts once for the circuit breaker, and not at all where it is not that of the integration. */
const callGroup = (plan: Routed, candidate: RouteCandidate): string =>
  isAddressOfIntegration(plan, candidate) ? candidate.integration.id : `${candidate.integration.id} by override`

/** Built once for each provider, not for each message. */
const talkingTo = memo(256, (provider) => `talking to ${provider}`)

function adapterInput(
  { channel }: RouteCandidate,
  { to, settings }: CallTarget,
  { draft, message }: Rendered,
  { callbackUrl, bounceAddressFor }: CallTerms,
  now: number,
): ProviderInput {
  const input: ProviderInput = {
    draft,
    to,
    settings,
    message,
    channel,
    now,
    random: randomBytes,
  }
  if (callbackUrl !== undefined) input.callbackUrl = callbackUrl
  if (bounceAddressFor) input.bounceAddressFor = bounceAddressFor
  return input
}

/** After the request that hands the message over, the provider may have it. */
function adapterFailed(handedOver: boolean): Outcome {
  const error = 'Internal fault of the adapter'
  return handedOver ? { kind: 'in_doubt', error } : { kind: 'retry', error, attempted: true }
}

/** The address and the settings of a call. */
interface CallTarget {
  to: unknown
  settings: JsonObject
  /** Stored secrets that are not sent to an address of the override. */
  withheld: readonly string[]
  /** Why no call can be made. */
  error?: string
}

/** The candidate as it was decided, changed by the `config` of an override. */
function callTarget(plan: Routed, candidate: RouteCandidate): CallTarget {
  const { provider, settings: storedSettings } = candidate.integration
  const { config } = providerOverride(plan, provider)
  if (config === undefined) return { to: candidate.to, settings: storedSettings, withheld: [] }
  const { settings, issues, moved, withheld: keys } = applyConfig(provider, storedSettings, config)
  const withheld = keys.map((key) => `\`${key}\` of the integration`)
  if (issues.length > 0) return { to: undefined, settings, withheld, error: unusableSettings(issues) }
  const to = moved ? addressWithoutTokens(plan, candidate, settings) : candidate.to
  if (moved && !isDeepStrictEqual(to, candidate.to)) withheld.push('those of the profile')
  return { to, settings, withheld, ...(to === undefined && { error: NO_ADDRESS }) }
}

const NO_ADDRESS = 'Without them nothing names the recipient'

const unusableSettings = (issues: readonly string[]) =>
  `The settings are not usable with the config of the override: ${issues.join('; ')}`

/** The provider may refuse the settings because secrets were withheld: the error says so. */
const withReason = (target: CallTarget, outcome: Outcome): Outcome =>
  outcome.kind === 'rejected' && outcome.scope === 'configuration' ? configurationError(target, outcome.error) : outcome

const configurationError = ({ withheld }: CallTarget, error: string): Outcome => ({
  kind: 'rejected',
  scope: 'configuration',
  error:
    withheld.length === 0
      ? error
      : `The override moves the address, and stored secrets do not go along (${withheld.join(', ')}): give them with the send. ${error}`,
})

/** The recipient's address when an override moves it: the secrets of the stored profile are not sent there. */
function addressWithoutTokens(
  { profile, input }: Routed,
  { channel, integration, device }: RouteCandidate,
  settings: JsonObject,
): unknown {
  const { provider } = integration
  const open = mergeProfiles(withoutTokens(profile.stored, provider.ownAddresses), profile.received)
  if (device) {
    const token = tokenInProfile(provider, open, device)
    return token && provider.devices?.contact(token)
  }
  return provider.contact(open, settings, { recipient: input.recipient, channel })
}

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

/** Whether the reply is one to a whole call, and another of its messages is the evidence for the circuit breaker. */
export const isRepeated = (reply: Reply | undefined): boolean =>
  reply !== undefined && 'batch' in reply && reply.batch?.isRepeated === true

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
  if (isMoved(plan, provider)) return false
  const { ownAddresses } = provider
  if (!ownAddresses) return true
  // A stored token may name a server, too: one that is dead must not stop the pushes to all others.
  if (device) return false
  const { merged } = plan.profile
  if (!ownAddresses.some((path) => isNamed(merged, path))) return true
  const other = ownAddresses.reduce(without, merged)
  return isDeepStrictEqual(provider.contact(other, settings, { recipient: plan.input.recipient, channel }), to)
}

/** Whether the send names another server or account: what that one says counts for this message alone. */
export function isMoved(plan: Pick<Routed, 'input'>, provider: Provider): boolean {
  const { config, url } = providerOverride(plan, provider)
  return config !== undefined || url !== undefined
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
