/** How values stand in the sentences about messages and sends. */
import type { Explanation, HistoryEvent, MessageExplanation, Postrider } from '@postrider/client'
import type { SentenceFormat } from '@postrider/client/sentence'
import { utcTime } from './plain.ts'
import { tookText } from './span.ts'

const sentenceFormat: SentenceFormat = {
  time: utcTime,
  duration: tookText,
  list: (items) => new Intl.ListFormat('en').format(items),
}

interface Mentioning {
  explanation: Explanation | MessageExplanation
  history?: readonly HistoryEvent[]
}

/** The newest templates; an older one is known by its id. */
const NAMED_MAX = 100

/** With the names of the templates, topics and providers that are mentioned by their ids: only these are loaded. */
export async function sentenceFormatOf(
  client: Postrider,
  { explanation, history = [] }: Mentioning,
): Promise<SentenceFormat> {
  const params = explanation.steps.flatMap((step) => [step, ...(step.notes ?? [])]).map((finding) => finding.params)
  const isUntitled = 'deliveries' in explanation && explanation.deliveries.some(({ title }) => title === undefined)
  const isOfTopic =
    params.some((values) => 'topic_id' in values) ||
    explanation.steps.some(({ facts }) => facts.topic_id !== undefined) ||
    history.some(({ type }) => type === 'DIGESTED')
  const [template, topic, provider] = await Promise.all([
    params.some((values) => 'notification_id' in values) ? templateNames(client) : NONE,
    isOfTopic ? topicNames(client) : NONE,
    isUntitled || params.some((values) => 'suppressions' in values) ? providerNames(client) : NONE,
  ])
  const names = { template, topic, provider }
  return { ...sentenceFormat, nameOf: (kind, id) => names[kind].get(id) }
}

const NONE: ReadonlyMap<string, string> = new Map()

async function templateNames({ notifications }: Postrider): Promise<typeof NONE> {
  const { results } = await notifications.list({ limit: NAMED_MAX })
  return new Map(results.map(({ id, name }) => [id, name]))
}

async function topicNames({ sections }: Postrider): Promise<typeof NONE> {
  const { results } = await sections.list()
  return new Map(results.flatMap(({ topics }) => topics.map(({ id, name }) => [id, name])))
}

async function providerNames({ providers }: Postrider): Promise<typeof NONE> {
  const { results } = await providers.catalog()
  return new Map(results.map(({ provider, name }) => [provider, name]))
}
