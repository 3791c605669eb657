/** The timeline and the rendered content of a message, computed again from its inputs and its decision snapshot. */
import type { Channel, MessageExplanation, RenderedContent } from '@postrider/contract'
import type { Budget } from '../../base/budget.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { MASK, maskTokens } from '../../base/secret.ts'
import { messageEvents, readTimelineRow, type TimelineRow } from '../../database/tables/messages/timelines.ts'
import type { Provider } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { decide } from '../decide/decide.ts'
import type { Profiled } from '../decide/decision.ts'
import { mergeProfiles } from '../decide/profile.ts'
import { contentBudget, contentOf } from '../decide/render.ts'
import { passedOver, unresolvedBrands, unresolvedSnippets, unresolvedTenant } from '../decide/unresolved-references.ts'
import { parseDeliveries, type StoredDelivery } from '../delivery.ts'
import type { StoredEvent } from '../history-events.ts'
import { type Pinned, parsePinned } from '../leased-message.ts'
import { type LoadOptions, load } from '../load/load.ts'
import type { HistoryEvent, MessageOutput, OwnInput, SendInput } from '../send.ts'
import type { SharedInputs } from '../shared-inputs.ts'
import { explainMessage, words } from './explain.ts'

export interface Stories {
  history(workspaceId: number, id: string): Promise<HistoryEvent[] | undefined>
  output(workspaceId: number, id: string): Promise<MessageOutput[] | undefined>
  explain(workspaceId: number, id: string): Promise<MessageExplanation | undefined>
}

interface Story {
  message: TimelineRow
  input: SendInput
  pinned: Pinned | undefined
  deliveries: StoredDelivery[]
  events: StoredEvent[]
}

export interface StoryOptions extends LoadOptions {
  sharedInputs: SharedInputs
  providers: ReadonlyMap<string, Provider>
}

export function createStories(options: StoryOptions): Stories {
  return {
    async history(workspaceId, id) {
      const story = await read(options, workspaceId, id)
      if (!story) return undefined
      const outputs = story.events.some(({ type }) => type === 'RENDERED') ? await renderedOf(story, options) : []
      return [...beginning(story), ...story.events.map((event) => complete(event, story, outputs))]
    },
    async output(workspaceId, id) {
      const story = await read(options, workspaceId, id)
      return story && (await renderedOf(story, options)).map(({ output }) => output)
    },
    async explain(workspaceId, id) {
      const story = await read(options, workspaceId, id)
      if (!story) return undefined
      const [question] = await load([{ ...story, asThen: true }], options)
      // What has been decided is explained as of then.
      const now = story.pinned ? story.message.first_due : options.now()
      return question && explainMessage({ ...question, now }, story.message, story.pinned, story.deliveries)
    },
  }
}

async function read(
  { engine, sharedInputs }: StoryOptions,
  workspaceId: number,
  id: string,
): Promise<Story | undefined> {
  const message = await readTimelineRow(engine, workspaceId, id)
  if (!message) return undefined
  const [flushes, [input]] = await Promise.all([
    messageEvents(engine, workspaceId, id),
    sharedInputs.complete([{ requestId: message.request_id, own: JSON.parse(message.input) as OwnInput }]),
  ])
  if (!input) throw new Error('One part has one input')
  return {
    message,
    input,
    pinned: message.pinned ? parsePinned(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    events: [message.events ?? '[]', ...flushes].flatMap((text) => JSON.parse(text) as StoredEvent[]),
  }
}

/** What accepting left behind is in the row itself. */
function beginning({ message, input }: Story): HistoryEvent[] {
  const { enqueued, first_due: until } = message
  const { event, recipient, data = {}, profile = {}, override = {} } = input
  const events: HistoryEvent[] = [
    {
      type: 'ENQUEUED',
      ts: enqueued,
      event,
      recipient,
      data,
      profile: maskTokens(profile),
      override: maskOverride(override),
    },
  ]
  if (until > enqueued) events.push({ type: 'DELAYED', ts: enqueued, until })
  return events
}

/** `config` of an override holds credentials of any name. */
function maskOverride(override: Record<string, unknown>): Record<string, unknown> {
  const masked = maskTokens(override)
  return Object.fromEntries(
    Object.entries(masked).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null && 'config' in value ? { ...value, config: MASK } : value,
    ]),
  )
}

function complete(event: StoredEvent, story: Story, outputs: readonly RenderedOutput[]): HistoryEvent {
  const { n, ...stored } = event
  const delivery = n === undefined ? undefined : story.deliveries[n]
  return {
    ...stored,
    ...(delivery && via(delivery)),
    ...computed(event, story, delivery, outputs),
  } as unknown as HistoryEvent
}

function via({ channel, integration, provider }: StoredDelivery) {
  return { channel: { id: channel }, integration: { id: integration, provider } }
}

/** The fields that are not stored with the event. */
function computed(
  { type }: StoredEvent,
  { message, input, pinned }: Story,
  delivery: StoredDelivery | undefined,
  outputs: readonly RenderedOutput[],
): Record<string, unknown> {
  switch (type) {
    case 'MAPPED':
    case 'UNMAPPED':
      return { event_id: input.event }
    case 'PROFILE_LOADED':
      return {
        ...profiles(input.profile ?? {}, pinned?.profile ?? {}),
        ...withFindings(unresolvedTenant(input, pinned?.tenant).map(passedOver)),
      }
    case 'SENT':
    case 'DELIVERED':
      return { reference: delivery?.reference ?? {} }
    case 'RENDERED': {
      const rendered = outputs.find(({ output }) => output.renderId === String(delivery?.n))
      const parts = rendered ? Object.entries(rendered.output.content).filter(([, part]) => part.length > 0) : []
      const base = `/messages/${message.id}/output/${delivery?.n}`
      return {
        output: Object.fromEntries(parts.map(([part]) => [part, `${base}/${part}`])),
        ...withFindings([
          ...unresolvedBrands(pinned?.missingBrands ?? []).map(passedOver),
          ...(rendered?.findings ?? []),
        ]),
      }
    }
    default:
      return {}
  }
}

const withFindings = (findings: readonly string[]) => (findings.length > 0 ? { findings } : {})

function profiles(received: JsonObject, stored: JsonObject) {
  return {
    received_profile: maskTokens(received),
    stored_profile: maskTokens(stored),
    merged_profile: maskTokens(mergeProfiles(stored, received)),
  }
}

interface RenderedOutput {
  output: MessageOutput
  /** Snippets that the brand does not have, and content that is not shown as it was written. */
  findings: readonly string[]
}

async function renderedOf(story: Story, options: StoryOptions): Promise<RenderedOutput[]> {
  const [question] = await load([{ ...story, asThen: true }], options)
  const decision = question && decide({ ...question, now: story.message.first_due })
  const known = decision && (decision.kind === 'routed' ? decision.plan : decision.known)
  if (!known?.notification || !known.profile) return []
  const plan = { ...known, notification: known.notification, profile: known.profile }
  const budgetEach = contentBudget(story.events.filter(({ type }) => type === 'RENDERED').length)
  return story.events.flatMap((event): RenderedOutput[] => {
    const delivery = event.type === 'RENDERED' && event.n !== undefined ? story.deliveries[event.n] : undefined
    const provider = delivery && options.providers.get(delivery.provider)
    const content = provider && wordsOf(plan, delivery.channel, provider, budgetEach)
    if (!content) return []
    const { channel, n } = delivery
    const output = { channel, channelId: channel, renderId: String(n), content }
    const snippets = unresolvedSnippets(plan, [channel]).map(passedOver)
    return [{ output, findings: [...snippets, ...plan.notification.template.findings] }]
  })
}

function wordsOf(plan: Profiled, channel: Channel, provider: Provider, budget: Budget): RenderedContent | undefined {
  try {
    return words(contentOf(plan, channel, provider, { ...budget }))
  } catch (error) {
    if (error instanceof RenderFailed) return undefined
    throw error
  }
}
