/** TRACKED: the content of one delivery with its pixel, its tracked links and its campaign parameters. */
import { isObject, type JsonObject } from '../../base/json/json.ts'
import type { Content, ContentElement, Dialect } from '../../base/rendered-content.ts'
import { valueFor } from '../../providers/provider.ts'
import { readUtm, rewriteHtml, rewriteText, type Utm, withUtm } from '../../tracking/rewrite.ts'
import type { TrackedDelivery, Tracker } from '../../tracking/tracker.ts'
import { type TrackingTerms, trackingTerms } from '../facts.ts'
import type { Profiled, RouteCandidate } from './decision.ts'

/** A candidate, as far as its content depends on it. */
type Target = Pick<RouteCandidate, 'channel' | 'integration'>

/** Different links of a mail that are rewritten; the others stay as they are. */
const TRACKED_LINKS_MAX = 1_000

/** The same object where nothing is tracked and no parameter is added: most messages. `at`: when it is sent. */
export function tracked(content: Content, plan: Profiled, target: Target, n: number, at: number): Content {
  const { channel, integration } = target
  const { tracker, workspaceId } = plan
  if (!tracker) return content
  const terms = tracker.isPublic ? termsOf(plan, target) : undefined
  const utm = channel === 'email' ? utmOf(plan, target) : undefined
  if (!terms && !utm) return content
  const excluded = new Set(content.actions.flatMap(({ href, untracked }) => (untracked ? [href] : [])))
  const hasPixel = channel === 'email' && content.html !== '' && terms?.open === true
  const delivery = { workspaceId, messageId: plan.messageId || UNSENT, n, at, hasPixel }
  const change: LinkChange = { tracker, terms: terms ?? {}, utm, excluded, delivery }
  if (channel === 'email') return trackedMail(content, change)
  return channel === 'push' ? content : trackedText(content, integration.provider.dialect, change)
}

/** A preview has no message: its addresses are as long as those of one. */
export const UNSENT = `1-${'0'.repeat(8)}-${'0'.repeat(24)}`

/** Where the app of a push reports its later events. */
export function pushEventUrl(plan: Profiled, target: Target, n: number, at: number): string | undefined {
  const { tracker, workspaceId, messageId } = plan
  if (target.channel !== 'push' || !tracker?.isPublic || !termsOf(plan, target)) return undefined
  return tracker.event({ workspaceId, messageId, n, at })
}

/** The message takes precedence over the notification, the integration and the workspace, switch by switch. */
function termsOf(plan: Profiled, { channel, integration }: Target): TrackingTerms | undefined {
  const { facts, notification, input } = plan
  const ofMessage = trackingOverride(input.override, channel)
  if (!facts.tracking && !notification.tracking && !integration.tracking && ofMessage === undefined) return undefined
  return trackingTerms([facts.tracking?.[channel], integration.tracking, notification.tracking?.[channel], ofMessage])
}

function trackingOverride(override: JsonObject | undefined, channel: string): unknown {
  const byChannel = override?.channel
  const ofChannel = isObject(byChannel) ? byChannel[channel] : undefined
  return isObject(ofChannel) ? ofChannel.tracking : undefined
}

/** Parameters of the provider take precedence over those of the channel and of the message, name by name. */
function utmOf({ input }: Profiled, { channel, integration: { provider } }: Target): Utm | undefined {
  const { metadata, channels, providers } = input
  if (!metadata?.utm && !channels && !providers) return undefined
  return readUtm([metadata?.utm, channels?.[channel]?.utm, valueFor(provider, providers)?.utm])
}

interface LinkChange {
  tracker: Tracker
  terms: TrackingTerms
  utm: Utm | undefined
  /** Addresses whose author excludes them: neither tracked nor with parameters. */
  excluded: Set<string>
  delivery: TrackedDelivery
}

/** Each address is rewritten once, however often it stands in the content. */
function linksOf({ tracker, utm, excluded, delivery }: LinkChange, isTracked: boolean | undefined) {
  const rewritten = new Map<string, string | undefined>()
  return (url: string): string | undefined => {
    if (rewritten.has(url)) return rewritten.get(url)
    if (excluded.has(url) || rewritten.size >= TRACKED_LINKS_MAX) return undefined
    const target = utm && /^https?:\/\//i.test(url) && !tracker.isOwn(url) ? withUtm(url, utm) : url
    const address = (isTracked ? tracker.link(delivery, target) : undefined) ?? target
    const change = address === url ? undefined : address
    rewritten.set(url, change)
    return change
  }
}

function trackedMail(content: Content, change: LinkChange): Content {
  const { terms, utm, tracker, delivery } = change
  const pixel = terms.open ? tracker.pixel(delivery) : undefined
  const changesHtml = terms.click || utm !== undefined
  const after = { ...content }
  if (content.html !== '' && (changesHtml || pixel !== undefined))
    after.html = rewriteHtml(content.html, {
      ...(changesHtml && { link: linksOf(change, terms.click) }),
      excluded: (url) => change.excluded.add(url),
      pixel,
    })
  const isTextTracked = terms.click && terms.text
  if (isTextTracked || utm) after.text = rewriteText(content.text, { link: linksOf(change, isTextTracked) })
  return after
}

/** An SMS, a chat message: its texts, and the addresses of its buttons. */
function trackedText(content: Content, dialect: Dialect, change: LinkChange): Content {
  if (!change.terms.click) return content
  const link = linksOf(change, true)
  const text = (value: string) => rewriteText(value, { link, dialect })
  const address = (url: string) => link(url) ?? url
  const { elements } = content
  return {
    ...content,
    text: text(content.text),
    body: text(content.body),
    blocks: content.blocks.map((block) => ({ ...block, text: text(block.text) })),
    actions: content.actions.map((action) => ({ ...action, href: address(action.href) })),
    ...(elements && { elements: elements.map((element) => trackedElement(element, text, address)) }),
  }
}

function trackedElement(
  element: ContentElement,
  text: (value: string) => string,
  address: (url: string) => string,
): ContentElement {
  const after = { ...element, text: text(element.text) }
  if (after.type === 'heading' || after.type === 'quote') return { ...after, inner: text(after.inner) }
  if (after.type === 'button') return { ...after, url: address(after.url) }
  if (after.type === 'image' && after.href !== undefined) return { ...after, href: address(after.href) }
  return after
}
