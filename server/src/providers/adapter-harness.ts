/** Runs an adapter against prepared replies, without a network: for its tests and the comparisons with SDKs. */
import type { Channel } from '@postrider/contract'
import type { HttpReply, Reply, Request } from '../base/exchange.ts'
import { isObject, type JsonObject, merge } from '../base/json/json.ts'
import type { Content } from '../base/rendered-content.ts'
import type { EmailOptions, MessageView, Outcome, Provider } from './provider.ts'
import { applyConfig, splitSecrets } from './settings.ts'

export interface Scene {
  profile: JsonObject
  settings: JsonObject
  channel?: Channel
  content?: Partial<Content>
  email?: EmailOptions
  message?: Partial<MessageView>
  /** `override.<provider>`, its `config` among the rest. */
  override?: JsonObject
}

export interface Rehearsal {
  draft: JsonObject
  /** In the order they were asked. */
  requests: Request[]
  outcome: Outcome
}

/** 2026-11-20 12:00 UTC, where every rehearsal takes place. */
export const REHEARSED_AT = Date.UTC(2026, 10, 20, 12)

const CONTENT: Content = { subject: '', title: '', html: '', text: '', body: '', blocks: [], actions: [] }

/** Throws where a real delivery would never come: no contact, an invalid draft, more requests than replies. */
export function rehearse(provider: Provider, scene: Scene, ...replies: Reply[]): Rehearsal {
  const { config, ...changes } = scene.override ?? {}
  const channel = scene.channel ?? provider.channels[0] ?? 'email'
  const recipient = scene.message?.recipient ?? 'ada'
  const message: MessageView = {
    id: '1-691f0000-0000000000000000000000ab',
    deliveryId: 'delivery-1',
    workspace: 'workspace-1',
    event: 'welcome',
    notification: 'WELCOME',
    data: {},
    profile: () => scene.profile,
    ...scene.message,
    recipient,
  }
  const { settings } = applyConfig(provider, scene.settings, config)
  const to = provider.contact(scene.profile, settings, { recipient, channel })
  if (to === undefined) throw new Error(`${provider.key} cannot reach ${recipient}`)
  const shown = splitSecrets(provider, settings).settings
  const content = { ...CONTENT, ...scene.content }
  const composed = provider.compose({ content, channel, email: scene.email ?? {}, to, settings: shown, message })
  const draft = merge(composed, changes)
  const exchange = provider.deliver({ draft, to, settings, message, channel, now: REHEARSED_AT })
  const requests: Request[] = []
  let step = exchange.next()
  while (!step.done) {
    requests.push(step.value)
    const reply = replies[requests.length - 1]
    if (!reply) throw new Error(`${provider.key} asks a request more than was answered`)
    step = exchange.next(reply)
  }
  return { draft, requests, outcome: step.value }
}

/** An HTTP reply; an object becomes JSON. */
export function replied(status: number, body: unknown = '', headers: Record<string, string> = {}): HttpReply {
  return { kind: 'http', status, headers, body: isObject(body) ? JSON.stringify(body) : String(body) }
}
