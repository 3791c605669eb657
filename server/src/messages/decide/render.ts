/** RENDERED: the content for one candidate as the draft of its provider, with the overrides of the send merged in. */
import type { Channel, OnMissingVariable } from '@postrider/contract'
import { type Budget, budgetOf } from '../../base/budget.ts'
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { copyWith } from '../../base/perf/copy-with.ts'
import type { Content } from '../../base/rendered-content.ts'
import { maskTokens } from '../../base/secret.ts'
import { defaultStatus } from '../../preferences/precedence.ts'
import { type LinkedMessage, unsubscribeHeaders } from '../../preferences/recipient-links.ts'
import {
  type EmailOptions,
  type MessageView,
  type Provider,
  type PushOptions,
  valueFor,
} from '../../providers/provider.ts'
import { applyConfig, splitSecrets } from '../../providers/settings.ts'
import { readBrand } from '../../templates/brand.ts'
import { type RecipientUrls, recipientUrlRoots } from '../../templates/recipient-urls.ts'
import { render as renderTemplate } from '../../templates/render.ts'
import type { Brand } from '../../templates/template.ts'
import { deliveryId } from '../delivery.ts'
import type { Brands, BrandVersion, Integration, Notification } from '../facts.ts'
import { isAnonymous, type SendInput } from '../send.ts'
import { CONDITIONS_SHARE, conditionScope } from './condition.ts'
import type { Profiled, RouteCandidate, Routed } from './decision.ts'
import { withoutSuppressed } from './suppressions.ts'
import { pushEventUrl, tracked, UNSENT } from './tracked-content.ts'

export interface Rendered {
  content: Content
  draft: JsonObject
  /** The message as the provider may read it. */
  message: MessageView
}

/**
 * `sentAt`: when the draft is handed to its provider, with tracked links; without it, as a person is shown it. Throws
 * `RenderFailed` and `DraftInvalid`; the same input fails again.
 */
export function render(plan: Routed, candidate: RouteCandidate, deliveryNumber: number, sentAt?: number): Rendered {
  const { provider } = candidate.integration
  const written = candidate.device ? sharedContent(plan, candidate) : ownContent(plan, candidate)
  const content = sentAt === undefined ? written : tracked(written, plan, candidate, deliveryNumber, sentAt)
  const eventUrl = sentAt === undefined ? undefined : pushEventUrl(plan, candidate, deliveryNumber, sentAt)
  const message = messageView(plan, deliveryNumber)
  const draft = provider.compose({
    content,
    channel: candidate.channel,
    email: emailOptions(plan, candidate),
    push: pushOptions(plan, candidate, eventUrl),
    to: candidate.to,
    settings: draftSettings(plan, candidate.integration),
    message,
    ...localeOf(plan),
  })
  const { config: _secret, ...over } = providerOverride(plan, provider)
  return { content, draft: merge(draft, over), message }
}

/** Without secrets, and with the `config` of an override: the call refuses one that is invalid. */
function draftSettings(plan: Routed, { provider, settings, publicSettings }: Integration): JsonObject {
  const { config } = providerOverride(plan, provider)
  if (config === undefined) return publicSettings
  const applied = applyConfig(provider, settings, config)
  return applied.issues.length > 0 ? publicSettings : splitSecrets(provider, applied.settings).settings
}

const ownContent = (plan: Routed, { channel, integration }: RouteCandidate): Content =>
  contentOf(plan, channel, integration.provider, contentBudget(contentsOf(plan)))

const shared = new WeakMap<Routed, Map<string, Content>>()

/** The devices of an integration get the same content: it is rendered once. */
function sharedContent(plan: Routed, candidate: RouteCandidate): Content {
  const { channel, integration } = candidate
  const contents = shared.get(plan) ?? new Map<string, Content>()
  shared.set(plan, contents)
  const key = `${channel} ${integration.provider.key}`
  const content = contents.get(key) ?? ownContent(plan, candidate)
  contents.set(key, content)
  return content
}

/** How many contents a message is rendered as at most: one for each candidate, the devices of an integration together. */
function contentsOf({ candidates }: Routed): number {
  let contents = 0
  let latest: string | undefined
  for (const { device, integration } of candidates) {
    if (!device || integration.id !== latest) contents += 1
    latest = device && integration.id
  }
  return contents
}

/** The share of the budget for one of so many contents of a message: the same for each, whichever is rendered first. */
export const contentBudget = (contents: number) => budgetOf((1 - CONDITIONS_SHARE) / Math.max(1, contents))

/** Content depends on the provider's dialect, never on its settings: it can be rendered when the integration is gone. */
export function contentOf(plan: Profiled, channel: Channel, provider: Provider, budget: Budget): Content {
  const { brand, version, settings } = brandingOf(plan, channel)
  const content = renderTemplate(plan.notification.template, {
    channel,
    budget,
    provider: provider.key,
    dialect: channel === 'email' ? 'html' : provider.dialect,
    context: Object.assign(
      conditionScope(plan),
      { brand: copyWith(settings, { id: version?.id, name: version?.name }) },
      namesLinks(plan, brand) ? recipientUrlRoots(recipientUrls(plan)) : undefined,
    ),
    onMissing: onMissingOf(plan),
    catalogs: plan.facts.translations?.map(({ catalog }) => catalog),
    ...(brand && { brand }),
    ...localeOf(plan),
  })
  return overridden(content, channelOverride(plan, channel))
}

/** The notification's choice wins. */
export const onMissingOf = ({ notification, facts }: Profiled): OnMissingVariable =>
  notification.onMissing ?? facts.onMissing

const namesLinks = ({ notification }: Profiled, brand: Brand | undefined) =>
  notification.template.namesLinks || (brand?.namesLinks ?? false)

/** A choice of an address without a user would hold for no later message. */
const linksOf = ({ links, input }: Profiled) => (isAnonymous(input.recipient) ? undefined : links)

/** Empty where there can be none. */
function recipientUrls(plan: Profiled): RecipientUrls {
  const links = linksOf(plan)
  if (!links) return { unsubscribe: '', preferences: '' }
  const linked = linkedMessage(plan)
  return { unsubscribe: links('unsubscribe', linked), preferences: links('preferences', linked) }
}

/** The links of a message of a draft or mock key are samples: such a key may send it to any address. */
function linkedMessage({ workspaceId, mode, input, notification, facts, ...plan }: Profiled): LinkedMessage {
  const messageId = mode === 'live' ? plan.messageId : ''
  const topicId = facts.missingTopic === undefined ? (input.topic ?? notification.topic ?? '') : ''
  return { workspaceId, userId: input.recipient, tenantId: input.tenantId ?? '', topicId, messageId }
}

/** The text of a preview with links as long as those of its message, to be counted. */
export function withLinksOfMessage(text: string, plan: Profiled): string {
  const links = linksOf(plan)
  if (!links || plan.messageId !== '' || plan.mode !== 'live') return text
  const sample = linkedMessage(plan)
  const kinds = ['unsubscribe', 'preferences'] as const
  return kinds.reduce(
    (all, kind) => all.replaceAll(links(kind, sample), links(kind, { ...sample, messageId: UNSENT })),
    text,
  )
}

/** Why links for recipients in the content are empty: one sentence, or none. */
export function emptyLinks(plan: Profiled, channels: readonly string[]): string[] {
  if (linksOf(plan) || !channels.some((channel) => namesLinks(plan, brandingOf(plan, channel).brand))) return []
  const why = plan.links
    ? 'the message is for an address without a user. Send it to a `user_id`'
    : 'the server has no public address. Set POSTRIDER_PUBLIC_URL'
  return [`The content has \`unsubscribe_url\` or \`preferences_url\`, which are empty: ${why}.`]
}

interface Branding {
  version: BrandVersion | undefined
  /** The same, with what the send overrides. */
  brand: Brand | undefined
  settings: JsonObject
}

export function brandingOf({ facts, input }: Profiled, channel: string): Branding {
  const version = brandOf(facts.brands, channel)
  const over = brandOverride(input, channel)
  if (!over) return { version, brand: version?.brand, settings: version?.settings ?? {} }
  const settings = merge(version?.settings ?? {}, over.settings)
  const snippets = over.snippets ?? version?.snippets ?? {}
  // Without a key: it is of this message alone.
  return { version, brand: readBrand(settings, snippets, { name: version?.name }), settings }
}

const brandOf = ({ message, channelBrands }: Brands, channel: string) => channelBrands.get(channel) ?? message

/** A brand in parts: as it is written to `/brands`, or its settings alone. */
function brandOverride(
  { override }: SendInput,
  channel: string,
): { settings: JsonObject; snippets?: JsonObject } | undefined {
  if (!override) return undefined
  const byChannel = isObject(override.channel) ? override.channel[channel] : undefined
  const overrides = [override.brand, isObject(byChannel) ? byChannel.brand : undefined].filter(isObject)
  if (overrides.length === 0) return undefined
  const parts = overrides.map((override) =>
    isObject(override.settings) || isObject(override.snippets) ? override : { settings: override },
  )
  const { settings, snippets } = parts.reduce<JsonObject>((all, part) => merge(all, part), {})
  return { settings: isObject(settings) ? settings : {}, ...(isObject(snippets) && { snippets }) }
}

/** Whether its content can depend on a brand. */
export function usesBrand(notification: Notification, channels: readonly string[]): boolean {
  return notification.template.namesBrand || channels.includes('email')
}

interface Localized {
  input: Pick<SendInput, 'locale'>
  profile: { merged: JsonObject }
}

export function localeOf({ profile, input }: Localized): { locale?: string } {
  const locale = input.locale ?? profile.merged.locale
  return typeof locale === 'string' ? { locale } : {}
}

/** `override.<provider>`: its `config` belongs to the settings, the rest to the draft. */
export function providerOverride({ input }: Pick<Routed, 'input'>, provider: Provider): JsonObject {
  const over = valueFor(provider, input.override)
  return isObject(over) ? over : {}
}

function channelOverride({ input }: Profiled, channel: string): JsonObject {
  const byChannel = input.override?.channel
  const over = isObject(byChannel) ? byChannel[channel] : undefined
  return isObject(over) ? over : {}
}

export const overriddenTexts = ['subject', 'title', 'html', 'text', 'body'] as const

function overridden(content: Content, over: JsonObject): Content {
  let after = content
  for (const name of overriddenTexts) {
    const value = over[name]
    if (typeof value === 'string') after = { ...after, [name]: value }
  }
  if (after.text === content.text) return after
  const { elements: _replaced, ...words } = after
  return words
}

function emailOptions(plan: Routed, candidate: RouteCandidate): EmailOptions {
  if (candidate.channel !== 'email') return {}
  const { from, replyTo, reply_to, cc, bcc, headers, attachments } = channelOverride(plan, 'email')
  return {
    from,
    replyTo: replyTo ?? reply_to,
    cc: withoutSuppressed(cc, plan.facts),
    bcc: withoutSuppressed(bcc, plan.facts),
    headers: withUnsubscribe(plan, headers),
    attachments,
  }
}

const UNSUBSCRIBE = /^list-unsubscribe(?:-post)?$/i

/** With a link to unsubscribe from the topic, unless the send has a header of its own, or the topic is required. */
function withUnsubscribe(plan: Routed, headers: unknown): unknown {
  const { facts } = plan
  const links = linksOf(plan)
  if (!links || !facts.unsubscribeHeader || defaultStatus(facts.preferences) === 'REQUIRED') return headers
  const isOpen = headers === undefined || headers === null || isObject(headers)
  if (!isOpen || Object.keys(headers ?? {}).some((name) => UNSUBSCRIBE.test(name))) return headers
  return { ...headers, ...unsubscribeHeaders(links('unsubscribe', linkedMessage(plan))) }
}

function pushOptions(plan: Routed, candidate: RouteCandidate, trackingUrl: string | undefined): PushOptions {
  if (candidate.channel !== 'push') return {}
  const { icon, data, clickAction, click_action } = channelOverride(plan, 'push')
  const options = { icon, data, clickAction: clickAction ?? click_action }
  // Data of another type are refused by the adapter, in its words.
  const takesUrl = trackingUrl !== undefined && (data === undefined || data === null || isObject(data))
  return takesUrl ? { ...options, data: { ...data, trackingUrl } } : options
}

function messageView(plan: Routed, deliveryNumber: number): MessageView {
  return {
    id: plan.messageId,
    deliveryId: deliveryId(plan.messageId, deliveryNumber),
    workspace: plan.workspace,
    event: plan.input.event,
    notification: plan.notification.id,
    recipient: plan.input.recipient,
    data: plan.input.data ?? {},
    profile: () => maskTokens(plan.profile.merged),
  }
}
