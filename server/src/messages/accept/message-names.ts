/** Reports settings of a send under the name of a channel or provider that does not exist. They are not read. */
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { didYouMean, nearestName, quoted } from '../../base/quote.ts'
import { type Report, shown } from '../../base/schema/unknown-fields.ts'
import { providers as catalog, providerNames } from '../../providers/catalog.ts'
import { describeProblem, unknownProvider, unresolvedRoute } from '../decide/unresolved-references.ts'
import type { RoutingEntry } from '../facts.ts'
import type { SharedInput } from '../send.ts'
import { channelNames, isGiven, reportChannelOverride, reportProviderOverride } from './message-overrides.ts'

/** No provider has a longer name. */
const PROVIDER_CHARACTERS_MAX = 24

/** Maps of a message by channel and by provider. */
export function reportUnknownNames(message: JsonObject, at: string, report: Report): void {
  const { providers } = message
  if (isObject(providers))
    for (const name in providers) if (isGiven(providers[name])) reportProvider(name, report, 'channels')
  const field = message.timeout ? 'timeout' : 'timeouts'
  const timeouts = message[field]
  if (isObject(timeouts)) reportTimeouts(timeouts, `${at}.${field}`, report)
}

/** An override of the first generation. Sentences are those of a strict send. */
export function reportOverriddenNames(override: unknown, report: Report): void {
  if (!isObject(override)) return
  for (const name in override)
    if (name !== 'channel' && name !== 'brand' && isGiven(override[name])) {
      const settings = override[name]
      if (!reportProvider(name, report, 'override.channel') && isObject(settings))
        reportProviderOverride(settings, `override.${name}`, report)
    }
  const { channel } = override
  if (!isObject(channel)) return
  for (const name in channel) {
    const settings = channel[name]
    if (!channelNames.has(name)) report(() => describeProblem(unresolvedRoute(name, { integrations: [] })))
    else if (isObject(settings)) reportChannelOverride(name, settings, `override.channel.${name}`, report)
  }
}

/** More of them say nothing that the first ones do not. */
const ROUTES_MAX = 10
const integrations = [...catalog.values()].map((provider) => ({ provider }))

/** Names in the routing and the channel settings of a send that no channel and no provider has, whatever integrations there are. */
export function unknownRoutes({ routing, channels }: Pick<SharedInput, 'routing' | 'channels'>): string[] {
  if (!routing && !channels) return []
  const names = new Set<string>()
  const visit = (entry: RoutingEntry): void => {
    if (typeof entry === 'object' && 'channels' in entry) {
      for (const inner of entry.channels) visit(inner)
      return
    }
    const name = typeof entry === 'object' ? entry.channel : entry
    if (!channelNames.has(name) && !providerNames.has(name) && name.length <= PROVIDER_CHARACTERS_MAX) names.add(name)
  }
  if (routing) visit(routing)
  for (const name in channels) if (!channelNames.has(name)) names.add(name)
  return [...names].slice(0, ROUTES_MAX).map((name) => describeProblem(unresolvedRoute(name, { integrations })))
}

/** Whether it did. */
function reportProvider(name: string, report: Report, settingsOfChannels?: string): boolean {
  if (providerNames.has(name)) return false
  report(() => unknownProvider(name, [...providerNames], settingsOfChannels).join(' '))
  return true
}

function reportTimeouts({ channel, provider }: JsonObject, at: string, report: Report): void {
  if (isObject(channel)) reportKeys(channel, channelNames, { kind: 'channel', at: `${at}.channel`, report })
  if (isObject(provider)) reportKeys(provider, providerNames, { kind: 'provider', at: `${at}.provider`, report })
}

interface NamedMap {
  kind: 'channel' | 'provider'
  at: string
  report: Report
}

function reportKeys(byName: JsonObject, names: ReadonlySet<string>, { kind, at, report }: NamedMap): void {
  for (const name in byName)
    if (!names.has(name))
      report(() => `Unknown ${kind} ${quoted(shown(name))} at ${at}.${didYouMean(nearestName(name, [...names]))}`)
}
