/** Facts: what a decision is made from, read once per batch and at most two seconds old. */
import {
  type CandidateSuppression,
  type Channel,
  type MessageDevice,
  type OnMissingVariable,
  type PreferenceStatus,
  type TrackingTerms,
  trackingNames,
} from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { HOUR, MINUTE } from '../base/time/duration.ts'
import type { Terms } from '../digests/terms.ts'
import type { CallLimits } from '../limits/gate.ts'
import type { NormalAddress } from '../providers/address.ts'
import type { Provider } from '../providers/provider.ts'
import { compile } from '../templates/compile.ts'
import type { Brand, Template } from '../templates/template.ts'
import type { Catalog } from '../templates/translations/catalog.ts'

/** A version of a notification, immutable and compiled. */
export interface Notification {
  id: string
  version: number
  name: string
  template: Template
  /** Undefined: the channels of the template, else every channel in the default order. */
  routing: Routing | undefined
  /** The stored strategy that it names; with it, `routing` is that of the strategy. */
  strategy?: RoutingStrategy
  condition: string | undefined
  /** Its topic, and its category in preferences of the first generation. */
  topic?: string
  category?: string
  /** Undefined: the default of the workspace. */
  brandId: string | undefined
  atMostOnce: boolean
  /** Absent: as the workspace. */
  onMissing?: OnMissingVariable
  /** Absent where it switches nothing. */
  tracking?: TrackingByChannel
}

/** A stored routing strategy as a decision uses it. */
export interface RoutingStrategy {
  id: string
  /** Absent: there is none of that id, and the default routing is used. */
  name?: string
  /** Beneath those of the send. */
  settings: {
    channels?: Readonly<Record<string, ChannelSettings>>
    providers?: Readonly<Record<string, ProviderSettings>>
    override?: JsonObject
  }
}

export interface ChannelSettings {
  brand?: string
  /** Keys of providers: only these, in this order. */
  providers?: readonly string[]
  method?: 'single' | 'all'
  condition?: string
  channelMs?: number
  providerMs?: number
  utm?: JsonObject
}

export interface ProviderSettings {
  condition?: string
  providerMs?: number
  utm?: JsonObject
}

export type RoutingEntry = string | Routing | ChannelRoute

/** A channel or a provider by name, with what holds for it in this place only. */
export interface ChannelRoute {
  channel: string
  method?: 'single' | 'all'
  providers?: readonly string[]
  condition?: string
}

export interface Routing {
  method: 'single' | 'all'
  channels: readonly RoutingEntry[]
}

/** The notification of an event; `notification` is absent when nothing is published (or drafted, for draft keys). */
export interface Mapping {
  notificationId: string
  notification?: Notification
}

export interface Integration {
  id: string
  alias?: string
  title: string
  provider: Provider
  channels: readonly Channel[]
  enabled: boolean
  /** Explained as if it were down. */
  unavailable?: true
  /** False when its secrets were encrypted with another secret key. */
  readable: boolean
  priority: number
  /** Each change of the integration counts one. */
  version: number
  /** Its share among those of its channel that have one. */
  weight?: number
  limits: CallLimits
  /** Absent where it switches nothing. */
  tracking?: TrackingTerms
  /** With secrets; `publicSettings` is the same without them. */
  settings: JsonObject
  publicSettings: JsonObject
}

/** Whether it is the integration of this id or alias. */
export const hasName = ({ id, alias }: Pick<Integration, 'id' | 'alias'>, name: string): boolean =>
  id === name || alias === name

/** Where a preference comes from: the send, the subscription or the list, the recipient, or a default. */
export type PreferenceSource = 'send' | 'subscription' | 'list' | 'recipient' | 'tenant' | 'topic'

/** The status and channels that one source sets; it leaves the rest to those after it. */
export interface PreferenceEntry {
  source: PreferenceSource
  status?: PreferenceStatus
  /** The only channels, in order; never empty. */
  channels?: readonly string[]
  /** Milliseconds since the epoch; without a start it has started. */
  snoozes?: readonly { start?: number; until: number }[]
  /** It holds a snooze that never ends, which has no effect. */
  endlessSnooze?: boolean
  /** The tenant of the default, or of the recipient's choice. */
  tenant?: string
  /** How the recipient opted out, as far as the ledger of consent knows. */
  change?: PreferenceOrigin
}

/** The entry of the ledger of consent for a choice. */
export interface PreferenceOrigin {
  source: string
  actor: string
  message_id: string | null
  at: number
}

/** The tenant a message is sent in. */
export interface TenantFacts {
  id: string
  name: string
  properties: JsonObject
  /** Used when the send names no brand. */
  brandId?: string
  /** The profiles that it and its parents set for their users, the highest first; none is empty. */
  profiles: readonly JsonObject[]
  /** The profile of the recipient as its user; absent when there is nothing in it. */
  ofUser?: JsonObject
}

/** A version of a brand, immutable. */
export interface BrandVersion {
  id: string
  version: number
  name: string
  /** When it was made: what a version is called on the wire. */
  created: number
  settings: JsonObject
  snippets: JsonObject
  /** The same as templates use it. */
  brand: Brand
}

/** A version of a translation catalog, immutable. */
export interface CatalogVersion {
  version: number
  catalog: Catalog
}

/** The brands a message is rendered with. */
export interface Brands {
  message: BrandVersion | undefined
  /** The brands of channels that have one of their own. */
  channelBrands: ReadonlyMap<string, BrandVersion>
  /** Unknown names: the default is used instead. */
  missing: readonly string[]
}

/** The digest that collects messages of the topic for the recipient. */
export interface DigestFacts {
  topicId: string
  scheduleId: string
  /** When it is released at the latest. */
  until: number
  terms: Terms
}

/** The entry that suppresses an address. */
export type Suppression = CandidateSuppression & NormalAddress

/** A device of the recipient whose push token is stored. */
export interface DeviceFacts extends MessageDevice {
  /** The provider that issued the token. */
  provider: string
  /** Why its token is not used: it failed, was revoked or has expired. */
  inactive?: string
  /** Absent in the explanation of an earlier decision. */
  stored?: { token: string; properties?: JsonObject; version: number }
}

export interface Facts {
  mapping: Mapping | undefined
  storedProfile: JsonObject | undefined
  /** The recipient is being erased: nothing is sent to them, whatever is stored. */
  erasing?: true
  /** Absent without one, and when there is none of that id. */
  tenant?: TenantFacts
  /** Stored preferences, by falling precedence. */
  preferences: readonly PreferenceEntry[]
  /** The topic it is about, where there is none of that id. */
  missingTopic?: string
  /** Its topic offers to unsubscribe in the header of mails. */
  unsubscribeHeader?: true
  /** Newest first; absent where the message cannot go to a device. */
  devices?: readonly DeviceFacts[]
  /** Absent: it is sent alone. */
  digest?: DigestFacts
  /** The integrations of the workspace, in the order they are tried. */
  integrations: readonly Integration[]
  /** Channels in which a real integration was ever switched on: the mailbox of production has left them for good. */
  integratedChannels: ReadonlySet<string>
  /** Whether a message that only a repair of an integration can deliver is held instead of failed. */
  holdsMisconfigured: boolean
  /** The treatment of variables without a value, where the notification does not say. */
  onMissing: OnMissingVariable
  /** Those among the addresses of the recipient; absent without one. */
  suppressions?: readonly Suppression[]
  brands: Brands
  /** Those of the message's locale, the most specific first; absent where its content needs no translation. */
  translations?: readonly CatalogVersion[]
  windows: Windows
  /** The switches of the workspace; absent without any. */
  tracking?: TrackingByChannel
}

const compiled = new WeakMap<JsonObject, Notification>()

/** Throws `ContentInvalid`. */
export function inlineNotification(content: JsonObject): Notification {
  const notification = compiled.get(content)
  if (notification) return notification
  const made = make(content)
  compiled.set(content, made)
  return made
}

function make(content: JsonObject): Notification {
  return {
    id: '',
    version: 0,
    name: '',
    template: compile(content),
    routing: undefined,
    condition: undefined,
    brandId: undefined,
    atMostOnce: false,
  }
}

/** The time limits of a provider and a channel while another candidate remains, and of a message in total. */
export interface Windows {
  providerMs: number
  /** All integrations of the channel together. */
  channelMs: number
  messageMs: number
  /** The limit of the last provider, where the limit of the channel is derived from those of its providers. */
  lastProviderMs?: number
}

export const defaultWindows: Windows = { providerMs: 5 * MINUTE, channelMs: 30 * MINUTE, messageMs: 72 * HOUR }

export type { TrackingTerms }

export type TrackingByChannel = Readonly<Partial<Record<Channel, TrackingTerms>>>

/** Undefined where nothing is tracked. A later source takes precedence, switch by switch. */
export function trackingTerms(sources: readonly unknown[]): TrackingTerms | undefined {
  const terms: TrackingTerms = {}
  for (const source of sources) {
    if (!isObject(source)) continue
    for (const name of trackingNames) if (typeof source[name] === 'boolean') terms[name] = source[name]
  }
  return trackingNames.some((name) => terms[name]) ? terms : undefined
}
