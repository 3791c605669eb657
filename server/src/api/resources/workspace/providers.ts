/** /providers: integrations, their secrets encrypted and never shown, and the catalog. */
import {
  type Channel,
  type CircuitBreaker,
  type Integration,
  type IntegrationWrite,
  providersPage,
  secretMask,
} from '@postrider/contract'
import { busy, CallerError, conflict, invalidField, invalidRequest, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import { didYouMean, mustBeOneOf, nearestName, quoted } from '../../../base/quote.ts'
import { DAY } from '../../../base/time/duration.ts'
import { ConflictError, isDuplicate } from '../../../database/engine.ts'
import { type BreakerRow, type LimitState, limitStates } from '../../../database/tables/workspace/integration-limits.ts'
import {
  deleteIntegration,
  findIntegration,
  type IntegrationRow,
  insertIntegration,
  listIntegrations,
  openCredentials,
  sealCredentials,
  updateIntegration,
} from '../../../database/tables/workspace/integrations.ts'
import { stateOf } from '../../../limits/circuit-breaker.ts'
import { breakerOf } from '../../../limits/shared-breaker.ts'
import { catalogEntry, providerNamed } from '../../../providers/catalog.ts'
import { isSandbox, namesOf, type Provider } from '../../../providers/provider.ts'
import {
  checkSettings,
  type SecretsToRepeat,
  secretKeys,
  secretsToRepeat,
  splitSecrets,
} from '../../../providers/settings.ts'
import { callbackUrl } from '../../../receipts/callback.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { changesConfig, orNotFound, type ResourceHandlers } from '../../outcome.ts'

export const providers = {
  'providers.list': async ({ query: { cursor, limit = providersPage } }, ctx) => {
    const page = await listIntegrations(ctx.app.database, ctx.caller.workspaceId, cursor, limit)
    const { rows } = page
    const states = await limitStates(
      ctx.app.database,
      ctx.caller.workspaceId,
      rows.map(({ id }) => id),
    )
    const results = rows.map((row) => record(ctx, row, states.get(row.id)))
    return success('providers.list', { paging: paging(page), results })
  },
  'providers.catalog': async ({ query: { keys, name, channel } }, { app }) => {
    const results = [...app.providers.values()]
      .filter((provider) => !keys || namesOf(provider).some((name) => keys.includes(name)))
      .filter(({ title, key }) => !name || `${title} ${key}`.toLowerCase().includes(name.toLowerCase()))
      .filter(({ channels }) => !channel || channels.includes(channel))
    return success('providers.catalog', { paging: { more: false }, results: results.map(catalogEntry) })
  },
  'providers.create': ({ body }, ctx) => {
    const { caller, now } = ctx
    const provider = adapterOf(ctx, body.provider)
    const id = recordId()
    const row: IntegrationRow = {
      id,
      provider: provider.key,
      channel: channelOf(provider, body.channel),
      title: body.title ?? provider.title,
      alias: body.alias ?? null,
      enabled: body.enabled ?? true,
      priority: body.priority ?? 0,
      weight: body.weight ?? null,
      ...changedLimits(noLimits, body.limits),
      ...sealed(ctx, provider, id, body.settings ?? {}),
      version: 1,
      created: now,
      updated: now,
    }
    const reply = success('providers.create', record(ctx, row))
    return {
      reply,
      writes: insertIntegration(caller.workspaceId, row, integratedBy(ctx, row)),
      onConflict: (error) => (isDuplicate(error) ? aliasTaken(row.alias) : undefined),
      changesConfig,
    }
  },
  'providers.get': async ({ params: { id } }, ctx) => {
    const row = await known(ctx, id)
    const states = await limitStates(ctx.app.database, ctx.caller.workspaceId, [row.id])
    return success('providers.get', record(ctx, row, states.get(row.id)))
  },
  'providers.update': async ({ params: { id }, body }, ctx) => {
    const before = await known(ctx, id)
    const row = changed(ctx, before, body)
    const states = await limitStates(ctx.app.database, ctx.caller.workspaceId, [row.id])
    // The change closes its breaker.
    const { breaker: _, ...state } = states.get(row.id) ?? {}
    return {
      reply: success('providers.update', record(ctx, row, state)),
      writes: updateIntegration(ctx.caller.workspaceId, row, integratedBy(ctx, before, row)),
      onConflict(error) {
        if (isDuplicate(error)) return aliasTaken(row.alias)
        return error instanceof ConflictError ? busy('The integration is being changed by others') : undefined
      },
      changesConfig,
    }
  },
  'providers.delete': async ({ params }, ctx) => {
    const { id } = await known(ctx, params.id)
    return {
      reply: success('providers.delete', undefined),
      writes: deleteIntegration(ctx.caller.workspaceId, id),
      onConflict: orNotFound,
      changesConfig,
    }
  },
} satisfies ResourceHandlers<'providers'>

const aliasTaken = (alias: string | null) =>
  conflict('already_exists', `The alias ${quoted(alias)} belongs to another integration`, 'alias')

async function known({ app, caller }: CallContext, name: string): Promise<IntegrationRow> {
  const row = await findIntegration(app.database, caller.workspaceId, name)
  if (!row) throw notFound()
  return row
}

function adapterOf({ app }: CallContext, key: string): Provider {
  const provider = providerNamed(app.providers, key)
  if (!provider)
    throw invalidRequest(
      `Unknown provider ${quoted(key)}.${didYouMean(nearestName(key, [...app.providers.keys()]))} GET /providers/catalog lists them.`,
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

/** Absent settings stay as they are, and so does a secret that is sent as its mask. */
function changed(ctx: CallContext, before: IntegrationRow, body: IntegrationWrite): IntegrationRow {
  const key = providerNamed(ctx.app.providers, body.provider)?.key ?? body.provider
  if (key !== before.provider) throw invalidField('provider', `cannot be changed: it is ${quoted(before.provider)}`)
  const provider = adapterOf(ctx, key)
  const stored = { ...before.settings, ...secretsOf(ctx, before) }
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
    ...sealed(ctx, provider, before.id, { ...stored, ...changes }),
    updated: ctx.now,
  }
}

type LimitColumns = Pick<IntegrationRow, 'limit_per_second' | 'limit_concurrency' | 'limit_per_day'>

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

const ownerOf = ({ caller }: CallContext, id: string) => ({ workspaceId: caller.workspaceId, id })

const openedSecrets = (ctx: CallContext, { id, secrets }: IntegrationRow) =>
  openCredentials(ctx.app.secretKey, ownerOf(ctx, id), secrets)

/** None where they cannot be read any more: then they have to be given again. */
function secretsOf(ctx: CallContext, row: IntegrationRow): JsonObject {
  return openedSecrets(ctx, row) ?? {}
}

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
  ctx: CallContext,
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
  return { settings, secrets: sealCredentials(ctx.app.secretKey, ownerOf(ctx, id), secrets) }
}

function channelsOf({ app }: CallContext, { provider, channel }: IntegrationRow): readonly Channel[] {
  return channel === null ? (app.providers.get(provider)?.channels ?? []) : [channel as Channel]
}

/** The channels that it takes from the mailbox: one that was never switched on takes none. */
const integratedBy = (ctx: CallContext, ...rows: IntegrationRow[]) =>
  rows.flatMap((row) => (row.enabled && isReal(ctx, row) ? channelsOf(ctx, row) : []))

/** A row of a provider that this version has not is real, too. */
function isReal({ app }: CallContext, row: IntegrationRow): boolean {
  const provider = app.providers.get(row.provider)
  return provider === undefined || !isSandbox(provider)
}

function record(ctx: CallContext, row: IntegrationRow, { breaker, usedOn }: LimitState = {}): Integration {
  const { id, provider, title, alias, settings, enabled, priority, weight, created, updated } = row
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
    ...(isCounted && { used_today: usedOn?.day === Math.floor(ctx.now / DAY) ? usedOn.used : 0 }),
    circuit_breaker: breaker ? breakerRecord(breaker, ctx.now) : { state: 'closed' },
    ...(ctx.app.providers.get(provider)?.callbacks && {
      callback_url: callbackUrl(ctx.app.secretKey, ctx.app.publicUrl, ctx.caller.workspaceId, id),
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

function breakerRecord(row: BreakerRow, now: number): CircuitBreaker {
  const breaker = breakerOf(row)
  const { reason, since, probeAt, error } = breaker
  return { state: stateOf(breaker, now), reason, since, next_probe: probeAt, error }
}
