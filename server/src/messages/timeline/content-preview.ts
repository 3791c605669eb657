/** The content of a notification for each channel, as a recipient would get it: nothing that stops a message stops a preview. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Channel, type ChannelPreview, channels, type NotificationPreview } from '@postrider/contract'
import { type Finding, textsOf } from '../../base/finding.ts'
import { quoted } from '../../base/quote.ts'
import { isNamed, isSandbox, type Provider } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { renderChannels } from '../../templates/render.ts'
import { decide } from '../decide/decide.ts'
import type { DecisionInput, Profiled } from '../decide/decision.ts'
import { contentFindings, planFindings } from '../decide/message-findings.ts'
import { contentBudget, contentOf, localeOf, onMissingOf } from '../decide/render.ts'
import type { Integration, RoutingEntry } from '../facts.ts'
import { emptyContent, sentText, words } from './explain.ts'

/** Recipient of a preview that names none: no user has this id. */
export const SAMPLE_RECIPIENT = ''

export type ContentPreview = Omit<NotificationPreview, 'notification'>

/** A channel, with the provider whose markup its text has. */
interface Target {
  channel: Channel
  provider: Provider
  /** Absent for a provider that the workspace does not use. */
  integration: Integration | undefined
}

/** `names`: channels and providers; absent for those that the notification can go by. */
export async function previewContent(
  decisionInput: DecisionInput,
  names: readonly string[] | undefined,
  providers: ReadonlyMap<string, Provider>,
): Promise<ContentPreview> {
  const plan = profiledPlan(decisionInput)
  const all = [...providers.values()]
  const targets = different((names ?? channelsOf(plan)).flatMap((name) => targetsNamed(name, plan, all)))
  const renderings: Rendering[] = []
  for (const target of targets) {
    // Other work has its turn in between.
    if (renderings.length > 0) await nextTurn()
    renderings.push(renderFor(target, plan))
  }
  const findings = [...planFindings(plan), ...renderings.flatMap((rendering) => rendering.findings)]
  return {
    ...localeOf(plan),
    results: renderings.map(({ preview }) => preview),
    missing: [...new Set(renderings.flatMap(({ missing }) => missing))],
    warnings: [...profileWarnings(plan), ...new Set(textsOf(findings))],
  }
}

/** As far as the profile, which no decision about a stored notification ends before. */
function profiledPlan(decisionInput: DecisionInput): Profiled {
  const { plan } = decide(decisionInput)
  const { notification, profile } = plan
  if (!notification || !profile) throw new Error('A preview has a notification')
  return { ...plan, notification, profile }
}

function profileWarnings({ input: { recipient }, facts }: Profiled): string[] {
  if (recipient === SAMPLE_RECIPIENT || facts.storedProfile) return []
  return [`No profile is stored for ${quoted(recipient)}.`]
}

/** Shown of a notification that can go by every channel: those that most of its messages take. */
const usualChannels: readonly Channel[] = ['email', 'sms', 'push']

function channelsOf({ notification, facts }: Profiled): readonly string[] {
  const named = notification.routing
    ? notification.routing.channels.flatMap(entryNames)
    : renderChannels(notification.template)
  if (named && named.length > 0) return named
  const isUsed = (channel: Channel) =>
    facts.integrations.some((each) => canServe(each, channel) && !isSandbox(each.provider))
  return channels.filter((channel) => usualChannels.includes(channel) || isUsed(channel))
}

const entryNames = (entry: RoutingEntry): string[] =>
  typeof entry === 'string' ? [entry] : 'channels' in entry ? entry.channels.flatMap(entryNames) : [entry.channel]

const canServe = ({ enabled, readable, channels: served }: Integration, channel: Channel) =>
  enabled && readable && served.includes(channel)

/** A channel has the markup of the first integration that would serve it. Empty for a name of nothing, which is a finding. */
function targetsNamed(name: string, { facts }: Profiled, providers: readonly Provider[]): Target[] {
  const channel = channels.find((each) => each === name)
  if (!channel) {
    const provider = providers.find((each) => !isSandbox(each) && isNamed(each, name))
    if (!provider) return []
    return provider.channels.map((served) => ({
      channel: served,
      provider,
      integration: facts.integrations.find((each) => canServe(each, served) && each.provider === provider),
    }))
  }
  const serving = facts.integrations.filter((each) => canServe(each, channel))
  const integration = serving.find((each) => !isSandbox(each.provider)) ?? serving[0]
  const provider = integration?.provider ?? providers.find(isSandbox)
  return provider ? [{ channel, provider, integration }] : []
}

/** A channel and its provider may both be named. */
function different(targets: readonly Target[]): Target[] {
  return [...new Map(targets.map((target) => [`${target.channel} ${target.provider.key}`, target])).values()]
}

interface Rendering {
  preview: ChannelPreview
  findings: readonly Finding[]
  missing: readonly string[]
}

/** With the budget of a message that goes by this channel alone. Content that fails for want of a value is shown without it. */
function renderFor(target: Target, plan: Profiled): Rendering {
  const { channel, provider, integration } = target
  const named = { channel, ...(!isSandbox(provider) && { provider: provider.key }) }
  try {
    const content = contentOf(plan, channel, provider, contentBudget(1))
    const sent = integration ? sentText(content, plan, { channel, integration }, 0) : content
    return {
      preview: { ...named, content: words(content, channel, sent) },
      findings: contentFindings(plan, channel, content),
      missing: content.missing ?? [],
    }
  } catch (error) {
    if (!(error instanceof RenderFailed)) throw error
    const { preview, findings, missing }: Rendering =
      onMissingOf(plan) === 'fail'
        ? renderFor(target, keepingMissing(plan))
        : { preview: { ...named, content: emptyContent }, findings: [], missing: [] }
    // The error says it of the first; these sentences would say that the variable stands in the message.
    const others = findings.filter(({ code }) => code !== 'variable_missing')
    return { preview: { ...preview, error: error.message }, findings: others, missing }
  }
}

const keepingMissing = (plan: Profiled): Profiled => ({
  ...plan,
  notification: { ...plan.notification, onMissing: 'keep' },
})
