/** The findings of a message: what its history says in words, what it is found by, and what an explanation warns of. */
import { type Finding, noFindings } from '../../base/finding.ts'
import { closestLocale, isKnownLocale, unknownLocale } from '../../base/locale.ts'
import { quoted } from '../../base/quote.ts'
import type { Content } from '../../base/rendered-content.ts'
import { zoneFindings } from '../../base/time/zone-findings.ts'
import { sizeWarnings } from '../../templates/mail/size.ts'
import type { SendInput } from '../send.ts'
import type { PartialPlan, Profiled } from './decision.ts'
import { appliedStrategy } from './read-routing.ts'
import { emptyLinks, localeOf } from './render.ts'
import { unknownNames } from './route.ts'
import {
  describeUnresolved,
  type UnresolvedReference,
  unresolvedBrands,
  unresolvedSnippets,
  unresolvedStrategy,
  unresolvedTenant,
  unresolvedTopic,
} from './unresolved-references.ts'

/** Mistakes in the send and in what its decision came to; its content has others. */
export const planFindings = (plan: PartialPlan): readonly Finding[] =>
  joined(plan.input.findings ?? noFindings, decisionFindings(plan))

/** Mistakes that its decision came to. */
export function decisionFindings(plan: PartialPlan): readonly Finding[] {
  const { notification, profile } = plan
  return joined(
    plan.facts.mapping?.notification
      ? noFindings
      : mappingFindings({ input: plan.input, notificationId: plan.facts.mapping?.notificationId }),
    profileFindings(plan.input, plan.facts.tenant, profile?.merged),
    notification && profile ? routeFindings({ ...plan, notification, profile }) : noFindings,
  )
}

/** In one list without a copy where at most one of them has any. */
function joined(...lists: readonly (readonly Finding[])[]): readonly Finding[] {
  let all = noFindings
  for (const list of lists) if (list.length > 0) all = all.length > 0 ? [...all, ...list] : list
  return all
}

/** A send whose event or template leads to nothing that can be sent. */
function mappingFindings({
  input,
  notificationId,
}: {
  input: SendInput
  notificationId: string | undefined
}): readonly Finding[] {
  if (notificationId !== undefined)
    return [
      {
        code: 'notification_unpublished',
        text: `The notification ${quoted(notificationId)} has no published version.`,
      },
    ]
  const { template, event } = input
  return template === undefined
    ? [{ code: 'event_unknown', text: `No notification is mapped to the event ${quoted(event)}.` }]
    : [{ code: 'template_unknown', text: `Unknown template ${quoted(template)}.` }]
}

/** `profile`: the merged one. */
function profileFindings(
  input: SendInput,
  tenant: { id: string } | undefined,
  profile: Readonly<Record<string, unknown>> | undefined,
): readonly Finding[] {
  return joined(described(unresolvedTenant(input, tenant)), profile ? zoneFindings(profile) : noFindings)
}

/** Names of the message that stand for nothing, except for its tenant. */
function routeFindings(plan: Profiled): readonly Finding[] {
  const { input, notification, facts } = plan
  const namesRoute = input.routing || input.channels || notification.routing
  return joined(
    described(unresolvedTopic(facts)),
    notification.strategy ? described(unresolvedStrategy(appliedStrategy(input, notification))) : noFindings,
    namesRoute ? described(unknownNames(plan)) : noFindings,
    described(unresolvedBrands(facts.brands.missing)),
  )
}

/** Mistakes in the content for one channel, and those of its message that only the words show. */
export function contentFindings(plan: Profiled, channel: string, content: Content): readonly Finding[] {
  const links = emptyLinks(plan, [channel])
  const sizes = sizeWarnings(content.html)
  return joined(
    described(unresolvedSnippets(plan, [channel])),
    links.map((text): Finding => ({ code: 'links_empty', text })),
    plan.notification.template.findings,
    content.findings ?? noFindings,
    localeFindings(plan),
    sizes.map((text): Finding => ({ code: 'mail_large', text })),
  )
}

/** Mistakes in the profile of the recipient. */
export const recipientFindings = (plan: Profiled): readonly Finding[] =>
  joined(zoneFindings(plan.profile.merged), localeFindings(plan))

/** Any word is a locale where its notification has words for it. */
function localeFindings(plan: Profiled): readonly Finding[] {
  const { locale } = localeOf(plan)
  if (locale === undefined || locale === '' || isKnownLocale(locale)) return noFindings
  if (closestLocale(plan.notification.template.locales, locale) !== undefined) return noFindings
  return [{ code: 'locale_unknown', text: unknownLocale(locale) }]
}

const described = (references: readonly UnresolvedReference[]): readonly Finding[] =>
  references.length === 0
    ? noFindings
    : references.map((reference) => ({ code: reference.code, text: describeUnresolved(reference) }))
