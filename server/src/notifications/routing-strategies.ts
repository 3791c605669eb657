/** Stored routing strategies: checked when they are written, and their routings for lists of notifications. */
import { type RoutingStrategyWrite, routingStrategyBytesMax } from '@postrider/contract'
import { invalidField, tooLarge } from '../base/errors.ts'
import { isObject, type JsonObject, jsonBytes } from '../base/json/json.ts'
import type { Reader } from '../database/engine.ts'
import { routingStrategiesInForce } from '../database/tables/notifications/routing-strategies.ts'
import { readRouting } from '../messages/decide/read-routing.ts'

/** Throws a 400. */
export function strategyDocument({ routing, channels, providers }: RoutingStrategyWrite): JsonObject {
  const document = { routing, channels: channels ?? {}, providers: providers ?? {} }
  readRouting(document, '')
  for (const [provider, settings] of Object.entries(document.providers))
    if (isObject(settings?.override) && settings.override.config !== undefined)
      throw invalidField(
        `providers.${provider}.override.config`,
        'has no place in a strategy, which is stored in plain text: credentials belong to an integration, which `channels` can choose by its id',
      )
  if (jsonBytes(document) > routingStrategyBytesMax)
    throw tooLarge(`A routing strategy must have at most ${routingStrategyBytesMax} bytes as JSON`)
  return document
}

type Routing = NonNullable<ReturnType<typeof readRouting>['routing']>

/** Method and names of a routing, its groups flattened. */
export interface NamedRouting {
  method: 'single' | 'all'
  channels: string[]
}

/** By the id of the strategy; no query where no notification names one. */
export async function strategyRoutings(
  engine: Reader,
  workspaceId: number,
  notifications: readonly { payload: JsonObject }[],
): Promise<ReadonlyMap<string, NamedRouting>> {
  const ids = notifications.flatMap(({ payload: { routing } }) =>
    isObject(routing) && typeof routing.strategy_id === 'string' ? [routing.strategy_id] : [],
  )
  if (ids.length === 0) return new Map()
  const rows = await routingStrategiesInForce(
    engine,
    [...new Set(ids)].map((id) => ({ workspaceId, id })),
  )
  return new Map(
    rows.flatMap(({ id, document }): [string, NamedRouting][] => {
      const { routing } = readRouting(document, '')
      return routing && routing.channels.length > 0
        ? [[id, { method: routing.method, channels: namesIn(routing) }]]
        : []
    }),
  )
}

const namesIn = ({ channels }: Routing): string[] =>
  channels.flatMap((entry) =>
    typeof entry === 'string' ? [entry] : 'channels' in entry ? namesIn(entry) : [entry.channel],
  )
