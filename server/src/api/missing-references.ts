/** Warnings of a write that refers to what does not exist. It is stored nevertheless, because the order of creation is free. */
import type { NotificationInput, TenantInput } from '@postrider/contract'
import { didYouMean, nearestName, quoted } from '../base/quote.ts'
import { type ReferenceKind, referenceIds } from '../database/tables/notifications/references.ts'
import type { CallContext } from './call.ts'
import { warn } from './warnings.ts'

/** Others that a misspelled id is compared with. */
const COMPARED_MAX = 200
/** More of them say nothing that the first ones do not. */
const MISSING_MAX = 10

const consequences: Readonly<Record<ReferenceKind, string>> = {
  brand: 'the default is used',
  topic: 'it has no effect',
  'routing strategy': 'the default channels are used',
}

export async function warnOfNotification(
  ctx: CallContext,
  { brand, subscription, routing }: Pick<NotificationInput, 'brand' | 'subscription' | 'routing'>,
): Promise<void> {
  const strategy = routing && 'strategy_id' in routing ? [routing.strategy_id] : []
  await warnOfMissing(ctx, [
    ['brand', brand ? [brand.id] : []],
    ['topic', subscription ? [subscription.topic_id] : []],
    ['routing strategy', strategy],
  ])
}

export async function warnOfTenant(
  ctx: CallContext,
  { brand_id: brand, default_preferences: preferences }: Pick<TenantInput, 'brand_id' | 'default_preferences'>,
): Promise<void> {
  await warnOfMissing(ctx, [
    ['brand', brand ? [brand] : []],
    ['topic', (preferences?.items ?? []).map(({ id }) => id)],
  ])
}

async function warnOfMissing(ctx: CallContext, references: [ReferenceKind, readonly string[]][]): Promise<void> {
  const missing = await Promise.all(references.map(([kind, ids]) => missingOf(ctx, kind, ids)))
  warn(ctx, ...missing.flat())
}

async function missingOf(
  { app: { database }, caller: { workspaceId } }: CallContext,
  kind: ReferenceKind,
  ids: readonly string[],
): Promise<string[]> {
  if (ids.length === 0) return []
  const limit = ids.length + COMPARED_MAX
  const existing = await referenceIds(database, { workspaceId, kind, ids, limit })
  const names = new Set(existing)
  return ids
    .filter((id) => !names.has(id))
    .slice(0, MISSING_MAX)
    .map((id) => {
      const near = nearestName(id, existing)
      return `Unknown ${kind} ${quoted(id)}: ${consequences[kind]} until it exists.${didYouMean(near)}`
    })
}
