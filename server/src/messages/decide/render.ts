/** RENDERED: the content for one candidate as the draft of its provider, with the overrides of the send merged in. */
import type { Channel } from '@postrider/contract'
import { type Budget, budgetOf } from '../../base/budget.ts'
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { extended } from '../../base/perf/copy-with.ts'
import type { Content } from '../../base/rendered-content.ts'
import { maskTokens } from '../../base/secret.ts'
import type { EmailOptions, MessageView, Provider } from '../../providers/provider.ts'
import { render as renderTemplate } from '../../templates/render.ts'
import { deliveryId } from '../delivery.ts'
import { brandingOf } from './brand.ts'
import { CONDITIONS_SHARE, scopeOf } from './condition.ts'
import type { Profiled, RouteCandidate, Routed } from './decision.ts'

export interface Rendered {
  content: Content
  draft: JsonObject
  /** The message as the provider may read it. */
  message: MessageView
}

/** Throws `RenderFailed` and `DraftInvalid`; the same input fails again. */
export function render(plan: Routed, candidate: RouteCandidate, deliveryNumber: number): Rendered {
  const { provider, publicSettings } = candidate.integration
  const content = contentOf(plan, candidate.channel, provider, contentBudget(plan.candidates.length))
  const message = messageView(plan, deliveryNumber)
  const draft = provider.compose({
    content,
    channel: candidate.channel,
    email: emailOptions(plan, candidate),
    to: candidate.to,
    settings: publicSettings,
    message,
  })
  const { config: _secret, ...over } = providerOverride(plan, provider.key)
  return { content, draft: merge(draft, over), message }
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
    context: Object.assign(scopeOf(plan), { brand: extended(settings, { id: version?.id, name: version?.name }) }),
    onMissing: plan.notification.failOnMissing ? 'fail' : 'keep',
    ...(brand && { brand }),
    ...localeOf(plan),
  })
  return overridden(content, channelOverride(plan, channel))
}

function localeOf({ profile, input }: Profiled): { locale?: string } {
  const locale = input.locale ?? profile.merged.locale
  return typeof locale === 'string' ? { locale } : {}
}

/** `override.<provider>`: its `config` belongs to the settings, the rest to the draft. */
export function providerOverride({ input }: Pick<Routed, 'input'>, key: string): JsonObject {
  const over = input.override?.[key]
  return isObject(over) ? over : {}
}

function channelOverride({ input }: Profiled, channel: string): JsonObject {
  const byChannel = input.override?.channel
  const over = isObject(byChannel) ? byChannel[channel] : undefined
  return isObject(over) ? over : {}
}

const WORDS = ['subject', 'title', 'html', 'text', 'body'] as const

function overridden(content: Content, over: JsonObject): Content {
  let said = content
  for (const word of WORDS) {
    const value = over[word]
    if (typeof value === 'string') said = { ...said, [word]: value }
  }
  return said
}

function emailOptions(plan: Routed, candidate: RouteCandidate): EmailOptions {
  if (candidate.channel !== 'email') return {}
  const { from, replyTo, reply_to, cc, bcc, headers, attachments } = channelOverride(plan, 'email')
  return { from, replyTo: replyTo ?? reply_to, cc, bcc, headers, attachments }
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
