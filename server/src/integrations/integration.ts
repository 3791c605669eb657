/** An integration as a caller writes it: its provider, channel and limits, its settings checked and its secrets encrypted. */
import { type Channel, type IntegrationWrite, secretMask } from '@postrider/contract'
import { CallerError, conflict, invalidField, invalidRequest } from '../base/errors.ts'
import { recordId } from '../base/ids.ts'
import type { JsonObject } from '../base/json/json.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../base/quote.ts'
import type { SecretKey } from '../base/secret.ts'
import { type IntegrationRow, openCredentials, sealCredentials } from '../database/tables/workspace/integrations.ts'
import { providerNamed } from '../providers/catalog.ts'
import { isSandbox, type Provider } from '../providers/provider.ts'
import {
  checkSettings,
  type SecretsToRepeat,
  secretKeys,
  secretsToRepeat,
  splitSecrets,
} from '../providers/settings.ts'

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
  const stored = { ...before.settings, ...openedSecrets(ctx, before) }
  const changes = withoutMasks(provider, body.settings ?? {})
  const repeat = secretsToRepeat(provider, stored, changes)
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
    ...sealed(ctx, provider, before.id, { ...stored, ...changes }),
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
export const openedSecrets = (ctx: IntegrationContext, { id, secrets }: IntegrationRow): JsonObject | undefined =>
  openCredentials(ctx.secretKey, ownerOf(ctx, id), secrets)

function invalidSetting(issue: string, given: JsonObject): CallerError {
  const unknown = Object.keys(given).find((key) => issue === `Unknown field ${quoted(key)}`)
  if (unknown !== undefined)
    return new CallerError('unknown_field', `${issue} at settings.`, { param: `settings.${unknown}` })
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
  given: JsonObject,
): Pick<IntegrationRow, 'settings' | 'secrets'> {
  const all = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined))
  const [issue] = checkSettings(provider, all)
  if (issue) throw invalidSetting(issue, all)
  const { settings, secrets } = splitSecrets(provider, all)
  if (Object.values(secrets).includes(secretMask))
    throw invalidField(
      'settings',
      `holds the mask ${quoted(secretMask)}, which keeps a stored secret, and none is stored`,
    )
  return { settings, secrets: sealCredentials(ctx.secretKey, ownerOf(ctx, id), secrets) }
}

export function channelsOf(
  { providers }: IntegrationContext,
  { provider, channel }: IntegrationRow,
): readonly Channel[] {
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
