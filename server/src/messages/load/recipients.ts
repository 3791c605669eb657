/** The stored profiles and preferences of the recipients of a batch: one query for each kind that can apply. */
import type { JsonObject } from '../../base/json/json.ts'
import type { Reader } from '../../database/engine.ts'
import { listFacts, storedRecipients, type TopicFactsRow, topicFacts } from '../../database/tables/messages/facts.ts'
import { digestFacts, isTooLarge } from '../../digests/events.ts'
import { aboutOf, documentLayers, topicLayers } from '../../preferences/precedence.ts'
import type { DigestFacts, Mapping, PreferenceLayer } from '../facts.ts'
import type { LoadRequest } from '../leased-message.ts'
import type { SendInput } from '../send.ts'

export interface Recipient {
  profile?: JsonObject
  erasing?: true
  preferences: readonly PreferenceLayer[]
  /** The topic it is about, where there is none of that id. */
  missingTopic?: string
  digest?: DigestFacts
}

/** Nothing is stored of the recipient. */
const emptyRecipient: Recipient = { preferences: [] }

/** In order; the profile only where no snapshot has one. `mappings` load meanwhile. */
export async function loadRecipients(
  engine: Reader,
  requests: readonly LoadRequest[],
  mappings: Promise<readonly (Mapping | undefined)[]>,
  now: number,
): Promise<Recipient[]> {
  // An explanation of an earlier decision uses the preferences of its snapshot.
  const live = requests.flatMap((request, n) => (request.asOfSnapshot && request.snapshot ? [] : [{ request, n }]))
  const [mapped, stored, listed, topical] = await Promise.all([
    mappings,
    live.length > 0 ? storedRecipients(engine, live.map(recipientRequest)) : [],
    listsOf(engine, live),
    mappings.then((known) => topicsOf(engine, live, known)),
  ])
  const byNumber = <Row extends { n: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.n, row]))
  const [recipients, lists, topics] = [byNumber(stored), byNumber(listed), byNumber(topical)]
  return requests.map(({ input, snapshot, asOfSnapshot }, n): Recipient => {
    if (asOfSnapshot && snapshot) {
      const { preferences = [], missingTopic, digest } = snapshot
      return { preferences, ...(missingTopic !== undefined && { missingTopic }), ...(digest && { digest }) }
    }
    const recipient = recipients.get(n)
    if (!recipient && !lists.has(n) && !topics.has(n)) return emptyRecipient
    const profile = recipient?.profile ?? undefined
    const mapping = mapped[n]
    const about = aboutOf(input, { id: mapping?.notificationId, category: mapping?.notification?.category })
    const topic = topics.get(n)
    const missingTopic = topic && topic.topic === null ? topicOf(input, mapped[n]) : undefined
    // A message with a decision is not added to a digest any more.
    const digest = topic?.topic?.digest && !snapshot ? digestOf(topic, input, mapped[n], now) : undefined
    return {
      ...(profile && { profile }),
      ...(recipient?.erasing && { erasing: true }),
      preferences: [
        ...(lists.get(n)?.subscribed === false ? [unsubscribed] : []),
        ...documentLayers('subscription', lists.get(n)?.subscription, about),
        ...documentLayers('list', lists.get(n)?.list, about),
        ...documentLayers('recipient', recipient?.preferences, about),
        ...(topic ? topicLayers(topic, input.tenantId) : []),
      ],
      ...(missingTopic !== undefined && { missingTopic }),
      ...(digest && { digest }),
    }
  })
}

/** Data that are too large for a digest are sent alone. */
function digestOf(
  { topic, in_tenant, anywhere }: TopicFactsRow,
  input: SendInput,
  mapping: Mapping | undefined,
  now: number,
) {
  if (input.isDigest || isTooLarge(input.data ?? {})) return undefined
  const chosen = in_tenant?.digest_schedule_id ?? anywhere?.digest_schedule_id ?? null
  return digestFacts(topicOf(input, mapping) ?? '', topic?.digest, chosen, now)
}

/** Of a recipient who left the list, and of every recipient of a deleted list. */
const unsubscribed: PreferenceLayer = { source: 'subscription', status: 'OPTED_OUT' }

interface Numbered {
  request: LoadRequest
  n: number
}

const recipientRequest = ({ request: { message, snapshot }, n }: Numbered) => ({
  n,
  workspaceId: message.workspace_id,
  recipient: message.recipient,
  wantsProfile: snapshot === undefined,
})

async function listsOf(engine: Reader, requests: readonly Numbered[]) {
  const asked = requests.flatMap(({ request: { message }, n }) => {
    const { workspace_id: workspaceId, recipient, list_id: list } = message
    return list ? [{ n, workspaceId, recipient, list }] : []
  })
  return asked.length > 0 ? listFacts(engine, asked) : []
}

const topicOf = (input: SendInput, mapping: Mapping | undefined) => input.topic ?? mapping?.notification?.topic

async function topicsOf(engine: Reader, requests: readonly Numbered[], mapped: readonly (Mapping | undefined)[]) {
  const asked = requests.flatMap(({ request: { message, input }, n }) => {
    const topic = topicOf(input, mapped[n])
    const { tenantId: tenant } = input
    const { workspace_id: workspaceId, recipient: user } = message
    return topic === undefined ? [] : [{ n, workspaceId, user, topic, ...(tenant !== undefined && { tenant }) }]
  })
  return asked.length > 0 ? topicFacts(engine, asked) : []
}
