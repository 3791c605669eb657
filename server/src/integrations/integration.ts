/** An integration as a caller writes it, its settings checked and secrets encrypted, and as the API shows it, with its limits, breaker and health. */
import {
  type Channel,
  healthDaysMax,
  type Integration,
  type IntegrationWrite,
  type ProviderHealth,
  secretMask,
} from '@postrider/contract'
import { CallerError, conflict, invalidField, invalidRequest } from '../base/errors.ts'
import { recordId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../base/quote.ts'
import { unknownFields } from '../base/schema/check.ts'
import type { SecretKey } from '../base/secret.ts'
import { durationEnd } from '../base/time/calendar-duration.ts'
import { DAY, MINUTE, parseDuration } from '../base/time/duration.ts'
import type { HealthBucket } from '../database/tables/workspace/integration-health.ts'
import type { LimitState } from '../database/tables/workspace/integration-limits.ts'
import { type IntegrationRow, openCredentials, sealCredentials } from '../database/tables/workspace/integrations.ts'
import { BUCKET_MS, callClasses, isWorking, percentile } from '../limits/call-log.ts'
import { breakerRecord } from '../limits/shared-breaker.ts'
import { providerNamed } from '../providers/catalog.ts'
import { isSandbox, type Provider } from '../providers/provider.ts'
import {
  checkSettings,
  type SecretsToRepeat,
  secretKeys,
  secretsToRepeat,
  splitSecrets,
} from '../providers/settings.ts'
import { callbackUrl } from '../receipts/callback.ts'

export interface IntegrationContext {
  workspaceId: number
  providers: ReadonlyMap<string, Provider>
  secretKey: SecretKey
  now: number
}

/** Throws a 400. */
export function newIntegration(ctx: IntegrationContext, body: IntegrationWrite): IntegrationRow {
  const provider = adapterOf(ctx, body.provider)
  const id = recordId()
  return {
    id,
    provider: provider.key,
    channel: channelOf(provider, body.channel),
    title: body.title ?? provider.title,
    alias: body.alias ?? null,
    enabled: body.enabled ?? true,
    priority: body.priority ?? 0,
    weight: body.weight ?? null,
    ...changedLimits(noLimits, body.limits),
    tracking: body.tracking ?? null,
    ...sealed(ctx, provider, id, body.settings ?? {}),
    version: 1,
    created: ctx.now,
    updated: ctx.now,
  }
}

/** Absent settings stay as they are, and so does a secret that is sent as its mask. Throws a 400. */
export function changedIntegration(
  ctx: IntegrationContext,
  before: IntegrationRow,
  body: IntegrationWrite,
): IntegrationRow {
  const key = providerNamed(ctx.providers, body.provider)?.key ?? body.provider
  if (key !== before.provider) throw invalidField('provider', `cannot be changed: it is ${quoted(before.provider)}`)
  const provider = adapterOf(ctx, key)
  const storedSettings = { ...before.settings, ...openedSecrets(ctx, before) }
  const changes = withoutMasks(provider, body.settings ?? {})
  // Before the secrets are required: they are entered by hand, and for settings that are valid.
  const settings = sealed(ctx, provider, before.id, { ...storedSettings, ...changes })
  const repeat = secretsToRepeat(provider, storedSettings, changes)
  if (repeat)
    throw invalidRequest(toBeRepeated(repeat), { code: 'secrets_required', param: `settings.${repeat.setting}` })
  return {
    ...before,
    channel: body.channel ? channelOf(provider, body.channel) : before.channel,
    title: body.title ?? before.title,
    alias: body.alias === undefined ? before.alias : body.alias,
    enabled: body.enabled ?? before.enabled,
    priority: body.priority ?? before.priority,
    weight: body.weight === undefined ? before.weight : body.weight,
    ...changedLimits(before, body.limits),
    tracking: body.tracking === undefined ? before.tracking : body.tracking,
    ...settings,
    updated: ctx.now,
  }
}

export type LimitColumns = Pick<IntegrationRow, 'limit_per_second' | 'limit_concurrency' | 'limit_per_day'>

const noLimits: LimitColumns = { limit_per_second: null, limit_concurrency: null, limit_per_day: null }

/** Absent limits stay as they are; null takes one away. */
function changedLimits(before: LimitColumns, limits: IntegrationWrite['limits'] = {}): LimitColumns {
  const { per_second, concurrency, per_day } = limits
  return {
    limit_per_second: per_second === undefined ? before.limit_per_second : per_second,
    limit_concurrency: concurrency === undefined ? before.limit_concurrency : concurrency,
    limit_per_day: per_day === undefined ? before.limit_per_day : per_day,
  }
}

function withoutMasks(provider: Provider, settings: JsonObject): JsonObject {
  const masked = new Set(secretKeys(provider).filter((key) => settings[key] === secretMask))
  return Object.fromEntries(Object.entries(settings).filter(([key]) => !masked.has(key)))
}

/** A caller who may change an address must not learn the secrets that were stored for another one. */
const toBeRepeated = ({ setting, secrets }: SecretsToRepeat) =>
  `settings.${setting} changes the address that requests go to: give ${secrets.map((key) => `settings.${key}`).join(', ')} again, because stored secrets never go to a new address`

const ownerOf = ({ workspaceId }: IntegrationContext, id: string) => ({ workspaceId, id })

/** Undefined when they cannot be read any more. */
const openedSecrets = (ctx: IntegrationContext, { id, secrets }: IntegrationRow): JsonObject | undefined =>
  openCredentials(ctx.secretKey, ownerOf(ctx, id), secrets)

/** It goes before a missing one, of which it is likely the misspelled name. */
function unknownSetting({ settings: { properties } }: Provider, settings: JsonObject): CallerError | undefined {
  const [unknown] = unknownFields(settings, Object.keys(properties), 'settings')
  return unknown && new CallerError('unknown_field', unknown.sentence, { param: unknown.field })
}

function invalidSetting(issue: string): CallerError {
  // Issues begin with the setting.
  const param = `settings.${/^[\w.]+/.exec(issue)?.[0] ?? ''}`
  return new CallerError(issue.endsWith(' is required') ? 'missing_field' : 'invalid_field', `settings.${issue}`, {
    param,
  })
}

/** A setting sent as null is taken away. */
function sealed(
  ctx: IntegrationContext,
  provider: Provider,
  id: string,
  allSettings: JsonObject,
): Pick<IntegrationRow, 'settings' | 'secrets'> {
  const all = Object.fromEntries(
    Object.entries(allSettings).filter(([, value]) => value !== null && value !== undefined),
  )
  const [issue] = checkSettings(provider, all)
  if (issue) throw unknownSetting(provider, all) ?? invalidSetting(issue)
  const { settings, secrets } = splitSecrets(provider, all)
  if (Object.values(secrets).includes(secretMask))
    throw invalidField(
      'settings',
      `holds the mask ${quoted(secretMask)}, which keeps a stored secret, and none is stored`,
    )
  return { settings, secrets: sealCredentials(ctx.secretKey, ownerOf(ctx, id), secrets) }
}

function channelsOf({ providers }: IntegrationContext, { provider, channel }: IntegrationRow): readonly Channel[] {
  return channel === null ? (providers.get(provider)?.channels ?? []) : [channel as Channel]
}

/** The channels that it takes from the mailbox: one that was never switched on takes none. */
export const integratedBy = (ctx: IntegrationContext, ...rows: IntegrationRow[]) =>
  rows.flatMap((row) => (row.enabled && isReal(ctx, row) ? channelsOf(ctx, row) : []))

/** A row of a provider that this version has not is real, too. */
function isReal({ providers }: IntegrationContext, row: IntegrationRow): boolean {
  const provider = providers.get(row.provider)
  return provider === undefined || !isSandbox(provider)
}

export const aliasTaken = (alias: string | null) =>
  conflict('already_exists', `The alias ${quoted(alias)} belongs to another integration`, 'alias')

function adapterOf({ providers }: IntegrationContext, key: string): Provider {
  const provider = providerNamed(providers, key)
  if (!provider)
    throw invalidRequest(
      `Unknown provider ${quoted(key)}.${didYouMean(nearestName(key, [...providers.keys()]))} GET /providers/catalog lists them.`,
      {
        code: 'unknown_provider',
        param: 'provider',
      },
    )
  return provider
}

function channelOf({ key, channels }: Provider, chosen: Channel | undefined): Channel | null {
  if (chosen && !channels.includes(chosen))
    throw invalidField('channel', `${mustBeOneOf(channels)} for the provider ${quoted(key)}`)
  // Null serves every channel of the provider, also those it gains later.
  return chosen ?? (channels.length === 1 ? (channels[0] ?? null) : null)
}

interface RecordContext extends IntegrationContext {
  publicUrl: string
}

/** Its secrets are masked. */
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

/** The length of the window; throws a 400. */
export function windowMs(window: string | undefined): number {
  if (window === undefined) return DAY
  const length = parseDuration(window) ?? durationEnd(window, 0)
  if (!(length !== undefined && length >= MINUTE && length <= healthDaysMax * DAY))
    throw invalidField(
      'window',
      `must be a duration from a minute to ${healthDaysMax} days, such as \`15m\`, \`24h\` or \`PT24H\``,
    )
  return length
}

type Buckets = readonly Omit<HealthBucket, 'workspace_id' | 'integration_id'>[]

/** The health over a window, from its buckets. */
export function healthFigures(
  buckets: Buckets,
  { from, to }: { from: number; to: number },
): Omit<ProviderHealth, 'integration' | 'circuit_breaker'> {
  const calls = sums(buckets.map((bucket) => bucket.calls))
  const latencies = sums(buckets.map((bucket) => bucket.latencies))
  const total = figuresOf({ calls, latencies })
  const working = callClasses.reduce((sum, name, index) => sum + (isWorking(name) ? (calls[index] ?? 0) : 0), 0)
  const last = buckets.findLast(({ error_at }) => error_at !== null)
  const success = buckets.findLast(({ success_at }) => success_at !== null)
  return {
    from: from - (from % BUCKET_MS),
    to,
    ...total,
    ...(total.calls > 0 && { working: Math.round((working / total.calls) * 10_000) / 10_000 }),
    ...(last?.error_at && {
      last_error: { at: last.error_at, result: last.error_class ?? 'failed', error: last.error ?? '' },
    }),
    ...(success?.success_at && { last_success: success.success_at }),
    buckets: buckets.map((bucket) => ({ at: bucket.at, span_ms: bucket.span, ...figuresOf(bucket) })),
  }
}

function figuresOf({ calls, latencies }: Pick<HealthBucket, 'calls' | 'latencies'>) {
  const results: ProviderHealth['results'] = {}
  for (const [index, name] of callClasses.entries()) {
    const count = calls[index] ?? 0
    if (count > 0) results[name] = count
  }
  const [p50, p95] = [percentile(latencies, 0.5), percentile(latencies, 0.95)]
  return {
    calls: calls.reduce((sum, count) => sum + count, 0),
    results,
    ...(p50 !== undefined && { p50_ms: p50 }),
    ...(p95 !== undefined && { p95_ms: p95 }),
  }
}

function sums(rows: readonly (readonly number[])[]): number[] {
  const total: number[] = []
  for (const row of rows) for (const [index, count] of row.entries()) total[index] = (total[index] ?? 0) + count
  return total
}
