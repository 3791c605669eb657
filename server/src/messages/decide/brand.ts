/** Which brand a message is rendered with: the one of the channel, of the send, of the tenant, of the notification, the default. */
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { readBrand } from '../../templates/brand.ts'
import type { Brand } from '../../templates/template.ts'
import type { Brands, BrandVersion, Notification } from '../facts.ts'
import type { SendInput } from '../send.ts'
import type { Profiled } from './decision.ts'

/** The names of brands that a message could use; the default replaces an unknown one. */
export interface BrandNames {
  /** Undefined: the default of the workspace. */
  message: string | undefined
  /** For single channels. */
  own: ReadonlyMap<string, string>
}

const noneOfTheirOwn: ReadonlyMap<string, string> = new Map()

export function brandNames(
  { brand, channels, override }: SendInput,
  notification: Notification | undefined,
  tenantBrandId: string | undefined,
): BrandNames {
  const own = channels || override?.channel ? channelNames(channels, override) : noneOfTheirOwn
  const overriding = typeof override?.brand === 'string' ? override.brand : undefined
  return { message: overriding ?? brand ?? tenantBrandId ?? notification?.brandId, own }
}

function channelNames(settings: SendInput['channels'] = {}, override: JsonObject = {}): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const [channel, { brand }] of Object.entries(settings)) if (brand !== undefined) names.set(channel, brand)
  for (const [channel, over] of Object.entries(isObject(override.channel) ? override.channel : {}))
    if (isObject(over) && typeof over.brand === 'string') names.set(channel, over.brand)
  return names
}

export interface Branding {
  version: BrandVersion | undefined
  /** The same, with what the send overrides. */
  brand: Brand | undefined
  settings: JsonObject
}

export function brandingOf({ facts, input }: Profiled, channel: string): Branding {
  const version = brandOf(facts.brands, channel)
  const over = overrideOf(input, channel)
  if (!over) return { version, brand: version?.brand, settings: version?.settings ?? {} }
  const settings = merge(version?.settings ?? {}, over.settings)
  const snippets = over.snippets ?? version?.snippets ?? {}
  // Without a key: it is of this message alone.
  return { version, brand: readBrand(settings, snippets, { name: version?.name }), settings }
}

const brandOf = ({ message, own }: Brands, channel: string) => own.get(channel) ?? message

/** A brand in parts: as it is written to `/brands`, or its settings alone. */
function overrideOf(
  { override }: SendInput,
  channel: string,
): { settings: JsonObject; snippets?: JsonObject } | undefined {
  if (!override) return undefined
  const byChannel = isObject(override.channel) ? override.channel[channel] : undefined
  const given = [override.brand, isObject(byChannel) ? byChannel.brand : undefined].filter(isObject)
  if (given.length === 0) return undefined
  const parts = given.map((one) => (isObject(one.settings) || isObject(one.snippets) ? one : { settings: one }))
  const { settings, snippets } = parts.reduce<JsonObject>((all, one) => merge(all, one), {})
  return { settings: isObject(settings) ? settings : {}, ...(isObject(snippets) && { snippets }) }
}

/** Whether its content can depend on a brand. */
export function usesBrand(notification: Notification, channels: readonly string[]): boolean {
  return notification.template.namesBrand || channels.includes('email')
}
