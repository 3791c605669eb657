/** POST /send/:event/routing: the decision for several recipients, channel by channel. */
import type { Candidate, Explanation, RoutingResult, routingReasons } from '@postrider/contract'
import { textsOf } from '../../../base/finding.ts'
import { merge } from '../../../base/json/json.ts'
import { zoneFindings } from '../../../base/time/zone-findings.ts'
import { storedRecipients } from '../../../database/tables/messages/facts.ts'
import { documentOf, type PreferenceDocument } from '../../../database/tables/preferences/preferences.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'
import { warn } from '../../warnings.ts'

export const routing = {
  'events.routing': async ({ params: { event }, body: { recipients } }, ctx) => {
    const { app, caller } = ctx
    const { workspaceId, mode } = caller
    const requests = recipients.map(({ recipient }, n) => ({ n, workspaceId, recipient, needsProfile: false }))
    const storedRouting = new Map(
      (await storedRecipients(app.database, requests)).map((row) => [row.n, row.preferences ?? {}]),
    )
    const results: RoutingResult[] = []
    for (const [n, { recipient, data, profile, preferences }] of recipients.entries()) {
      if (profile) warn(ctx, ...textsOf(zoneFindings(profile, `recipients.${n}`)))
      const input = {
        event,
        recipient,
        ...(data && { data }),
        ...(profile && { profile }),
        ...(preferences && { preferences }),
      }
      const { explanation } = await app.pipeline.explain(workspaceId, mode, input)
      results.push({
        recipient,
        routing: summary(explanation, documentOf(merge(storedRouting.get(n) ?? {}, preferences ?? {}))),
      })
    }
    return success('events.routing', { results: [results] })
  },
} satisfies Pick<ResourceHandlers<'events'>, 'events.routing'>

type Reason = (typeof routingReasons)[number]

function summary(explanation: Explanation, preferences: PreferenceDocument): RoutingResult['routing'] {
  const { decision, candidates, steps } = explanation
  if (decision.status === 'UNMAPPED') return { reason: 'UNMAPPED', selected: false }
  if (decision.reason === 'UNPUBLISHED') return { reason: 'UNPUBLISHED', selected: false }
  const isStopped = steps.some(({ step, outcome }) => step !== 'route' && outcome === 'stopped')
  if (isStopped) return { reason: 'FILTERED', selected: false }
  const { method } = steps.find(({ step }) => step === 'route')?.facts ?? {}
  const type = method === 'all' ? 'always' : 'bestOf'
  const channels = [...new Set(candidates.map(({ channel }) => channel))]
  return {
    channelsSummary: channels.map((channel) => {
      const ofChannel = candidates.filter((candidate) => candidate.channel === channel)
      const selected = ofChannel.some((candidate) => candidate.selected)
      return { channel, selected, type, ...(!selected && { reason: reasonOf(ofChannel) }) }
    }),
    preferences,
  }
}

/** The one of the real integrations, where there are any. */
function reasonOf(candidates: readonly Candidate[]): Reason {
  const { reason } = candidates.find((candidate) => candidate.reason !== 'SANDBOX') ?? {}
  switch (reason) {
    case 'CHANNEL_DISABLED':
    case 'INCOMPLETE_PROFILE_DATA':
    case 'MISSING_CONFIGURATION':
    case 'NO_PROVIDERS':
      return reason
    case undefined:
      return 'MISSING_CONFIGURATION'
    default:
      return 'FILTERED'
  }
}
