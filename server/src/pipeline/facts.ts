/** What a decision is made from: read once per batch, at most two seconds old, and nothing else is looked at. */
import type { Channel } from '@postrider/contract'
import type { JsonObject } from '../base/merge.ts'
import type { Provider } from '../providers/provider.ts'
import type { Windows } from '../queue/retry.ts'
import type { Template } from '../templates/template.ts'

/** A version of a notification, immutable and compiled. */
export interface Notification {
  id: string
  version: number
  name: string
  template: Template
  /** Undefined: the channels of the template, else every channel in the default order. */
  routing: Routing | undefined
  condition: string | undefined
  atMostOnce: boolean
  failOnMissing: boolean
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

/** What the event of a send led to; `notification` is absent when nothing is published (or drafted, for draft keys). */
export interface Mapping {
  notificationId: string
  notification?: Notification
}

export interface Integration {
  id: string
  title: string
  provider: Provider
  channels: readonly Channel[]
  enabled: boolean
  /** False when its secrets were encrypted with another secret key. */
  readable: boolean
  priority: number
  /** With secrets; `publicSettings` is the same without them. */
  settings: JsonObject
  publicSettings: JsonObject
}

export interface Facts {
  mapping: Mapping | undefined
  storedProfile: JsonObject | undefined
  /** Of the workspace, in the order they are tried. */
  integrations: readonly Integration[]
  windows: Windows
}
