/** Calls a provider once: the adapter describes the request, the transport performs it, the adapter reads the answer. */
import { isDeepStrictEqual } from 'node:util'
import { during } from '../../base/activity.ts'
import type { Reply } from '../../base/exchange.ts'
import { failpoint } from '../../base/failpoint.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Log } from '../../base/log.ts'
import { memo } from '../../base/perf/memo.ts'
import { withoutTokens } from '../../base/secret.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Outcome } from '../../providers/provider.ts'
import { applyConfig } from '../../providers/settings.ts'
import type { Transport } from '../../transport/transport.ts'
import type { Way } from '../decide/candidates.ts'
import type { Routed } from '../decide/decision.ts'
import { mergeProfiles } from '../decide/profile.ts'
import { providerOverride, type Rendered } from '../decide/render.ts'

export interface Delivered {
  outcome: Outcome
  /** What the sandbox keeps, written with the outcome. */
  kept?: JsonObject
}

export interface DeliverOptions {
  transport: Pick<Transport, 'perform'>
  now(): number
  log: Log
}

/** A look-up, a token, the message itself, one repeat with a fresh token: no API of a provider needs more. */
const REQUESTS_MAX = 4
/** A single attempt ends well before its lease (45 s). */
const ATTEMPT_MS = 30 * SECOND

/** When an attempt ends at the latest: the time its message gives it, and the lease. */
export interface Bound {
  signal: AbortSignal
  withinMs: number
}

/** Never rejects. */
export async function deliver(
  plan: Routed,
  way: Way,
  { draft, message }: Rendered,
  { signal, withinMs }: Bound,
  { transport, now, log }: DeliverOptions,
): Promise<Delivered> {
  const { provider, settings: stored } = way.integration
  const deadline = now() + Math.min(ATTEMPT_MS, withinMs)
  let kept: JsonObject | undefined
  let handedOver = false
  try {
    const applied = applyConfig(provider, stored, providerOverride(plan, provider.key).config)
    const { settings, issues, moved } = applied
    const withheld = applied.withheld.map((key) => `\`${key}\` of the integration`)
    if (issues.length > 0) return { outcome: refusedWithout(withheld, unusable(issues)) }
    const to = moved ? contactAway(plan, way, settings) : way.to
    if (moved && !isDeepStrictEqual(to, way.to)) withheld.push('those of the profile')
    if (to === undefined) return { outcome: refusedWithout(withheld, UNREACHABLE) }
    const activity = talkingTo(provider.key)
    const advance = (reply?: Reply) =>
      during('message', plan.messageId, activity, () => (reply ? steps.next(reply) : steps.next()))
    const steps = provider.deliver({ draft, to, settings, message, channel: way.channel, now: now() })
    let step = advance()
    for (let requests = 0; !step.done; requests += 1) {
      if (requests === REQUESTS_MAX) throw new Error(`${provider.key} asks for more than ${REQUESTS_MAX} requests`)
      const request = step.value
      handedOver ||= request.final
      let reply: Reply
      if (request.kind === 'keep') {
        kept = request.content
        reply = { kind: 'keep' }
      } else {
        failpoint('mid-request')
        reply = await transport.perform(request, { signal, timeoutMs: Math.max(1, deadline - now()) })
      }
      step = advance(reply)
    }
    const outcome = step.value
    const isRefused = outcome.kind === 'rejected' && outcome.scope === 'configuration'
    return { outcome: isRefused ? refusedWithout(withheld, outcome.error) : outcome, ...(kept && { kept }) }
  } catch (error) {
    log.error({ err: error, provider: provider.key, message: plan.messageId }, 'an adapter failed')
    const fault = 'Internal fault of the adapter'
    // After the request that hands it over nobody knows whether the provider has it.
    return {
      outcome: handedOver ? { kind: 'in_doubt', error: fault } : { kind: 'retry', error: fault, attempted: true },
    }
  }
}

/** Put together once for each provider, not for each message. */
const talkingTo = memo(256, (provider) => `talking to ${provider}`)

const unusable = (issues: readonly string[]) =>
  `The settings are not usable with the config of the override: ${issues.join('; ')}`

/** `withheld`: the stored secrets that an override leaves behind by moving the address. */
const refusedWithout = (withheld: readonly string[], error: string): Outcome => ({
  kind: 'rejected',
  scope: 'configuration',
  error: withheld.length === 0 ? error : `${movedFrom(withheld)} ${error}`,
})

const movedFrom = (withheld: readonly string[]) =>
  `The override moves the address, and stored secrets do not go along (${withheld.join(', ')}): give them with the send.`

/** The recipient's address when an override changes it: the secrets of the stored profile are not sent there. */
function contactAway({ profile, input }: Routed, { channel, integration }: Way, settings: JsonObject): unknown {
  const { provider } = integration
  const open = mergeProfiles(withoutTokens(profile.stored, provider.ownAddresses), profile.received)
  return provider.contact(open, settings, { recipient: input.recipient, channel })
}

const UNREACHABLE = 'Without them nothing names the recipient'
