/** An integration as the API shows it: its secrets masked, with its limits and the state of its circuit breaker. */
import { type CircuitBreaker, type Integration, secretMask } from '@postrider/contract'
import { DAY } from '../base/time/duration.ts'
import type { BreakerRow, LimitState } from '../database/tables/workspace/integration-limits.ts'
import type { IntegrationRow } from '../database/tables/workspace/integrations.ts'
import { breakerState } from '../limits/circuit-breaker.ts'
import { breakerOf } from '../limits/shared-breaker.ts'
import { callbackUrl } from '../receipts/callback.ts'
import { channelsOf, type IntegrationContext, type LimitColumns, openedSecrets } from './integration.ts'

interface RecordContext extends IntegrationContext {
  publicUrl: string
}

export function integrationRecord(
  ctx: RecordContext,
  row: IntegrationRow,
  { breaker, usedOn }: LimitState = {},
): Integration {
  const { id, provider, title, alias, settings, enabled, priority, weight, tracking, created, updated } = row
  const limits = limitsOf(row)
  const isCounted = limits.per_second !== undefined || limits.per_day !== undefined
  const channels = channelsOf(ctx, row)
  const secrets = openedSecrets(ctx, row)
  const masked = Object.keys(secrets ?? {}).map((key) => [key, secretMask])
  return {
    id,
    provider,
    channel: channels[0] ?? 'email',
    channels: [...channels],
    title,
    ...(alias === null ? {} : { alias }),
    settings: { ...settings, ...Object.fromEntries(masked) },
    enabled,
    ...(secrets === undefined && { unreadable: true as const }),
    priority,
    ...(weight !== null && { weight }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(tracking && { tracking }),
    ...(isCounted && { used_today: usedOn?.day === Math.floor(ctx.now / DAY) ? usedOn.used : 0 }),
    circuit_breaker: breaker ? breakerRecord(breaker, ctx.now) : { state: 'closed' },
    ...(ctx.providers.get(provider)?.callbacks && {
      callback_url: callbackUrl(ctx.secretKey, ctx.publicUrl, ctx.workspaceId, id),
    }),
    created,
    ...(updated === created ? {} : { updated }),
  }
}

const limitsOf = ({ limit_per_second, limit_concurrency, limit_per_day }: LimitColumns) => ({
  ...(limit_per_second !== null && { per_second: limit_per_second }),
  ...(limit_concurrency !== null && { concurrency: limit_concurrency }),
  ...(limit_per_day !== null && { per_day: limit_per_day }),
})

export function breakerRecord(row: BreakerRow, now: number): CircuitBreaker {
  const breaker = breakerOf(row)
  const { reason, since, probeAt, error } = breaker
  return { state: breakerState(breaker, now), reason, since, next_probe: probeAt, error }
}
