/** The timeline and the rendered content of a message, computed again from its inputs and its decision snapshot. */
import type { MessageExplanation, RenderedContent } from '@postrider/contract'
import type { Budget } from '../../base/budget.ts'
import { type Finding, textsOf } from '../../base/finding.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Content } from '../../base/rendered-content.ts'
import { MASK, maskTokens } from '../../base/secret.ts'
import type { Engine, Reader } from '../../database/engine.ts'
import {
  messageEvents,
  messageInput,
  readTimelineRow,
  type TimelineRow,
} from '../../database/tables/messages/messages.ts'
import type { Provider } from '../../providers/provider.ts'
import { RenderFailed } from '../../templates/failure.ts'
import { decide } from '../decide/decide.ts'
import type { DecisionInput, PartialPlan, Profiled } from '../decide/decision.ts'
import { contentFindings, decisionFindings } from '../decide/message-findings.ts'
import { mergeProfiles } from '../decide/profile.ts'
import { contentBudget, contentOf } from '../decide/render.ts'
import { type DecisionSnapshot, parseSnapshot } from '../decision-snapshot.ts'
import { type AttemptExchange, parseDeliveries, type StoredDelivery, type StoredHistoryEvent } from '../delivery.ts'
import type { CallInProgress } from '../leased-message.ts'
import type { Loader } from '../load/load.ts'
import { createSharedInputs, type SharedInputs } from '../load/shared-inputs.ts'
import type { HistoryEvent, Marks, MessageOutput, OwnInput, Send, SendInput } from '../send.ts'
import { explainMessage, sentText, withIntegrationsOf, words } from './explain.ts'

/** With the data as of the decision, or with that of now. */
export type ExplainedTime = 'decision' | 'now'

export interface Timelines {
  history(workspaceId: number, id: string): Promise<HistoryEvent[] | undefined>
  output(workspaceId: number, id: string): Promise<MessageOutput[] | undefined>
  explain(workspaceId: number, id: string, asOf: ExplainedTime): Promise<MessageExplanation | undefined>
}

interface StoredMessage {
  message: TimelineRow
  input: SendInput
  snapshot: DecisionSnapshot | undefined
  deliveries: StoredDelivery[]
  events: StoredHistoryEvent[]
}

export interface TimelineOptions {
  engine: Engine
  loader: Loader
  sharedInputs: SharedInputs
  providers: ReadonlyMap<string, Provider>
  now(): number
  /** The calls of this process that have not ended. */
  callsOf(id: string): readonly CallInProgress[]
}

export function createTimelines(options: TimelineOptions): Timelines {
  return {
    async history(workspaceId, id) {
      const record = await read(options, workspaceId, id)
      if (!record) return undefined
      const { events } = record
      if (events.length === 0) return acceptEvents(record)
      const plan = await planOf(record, options)
      const computed: Computed = {
        outputs: renderedOf(record, plan, options),
        decisionEvent: decisionEventOf(events),
        decisionFindings: decisionFindings(plan),
      }
      return [...acceptEvents(record), ...events.map((event) => complete(event, record, computed))]
    },
    async output(workspaceId, id) {
      const record = await read(options, workspaceId, id)
      return record && renderedOf(record, await planOf(record, options), options).map(({ output }) => output)
    },
    async explain(workspaceId, id, asOf) {
      const record = await read(options, workspaceId, id)
      if (!record) return undefined
      if (asOf === 'now') return explainNow(options, record)
      const loaded = await options.loader.loadOne({ ...record, asOfSnapshot: true })
      const decisionInput = withoutItsSuppression(
        record,
        withIntegrationsOf(record.snapshot, record.deliveries, loaded),
      )
      // A decision that was made is explained as of its time.
      const now = record.snapshot ? decidedAt(record) : options.now()
      return explainMessage({ ...decisionInput, now }, record.message, record.snapshot, attemptsOf(record, options))
    },
  }
}

/** A message whose time was over before any delivery, perhaps after a hold, was decided when it ended. */
function decidedAt({ message, deliveries, events }: StoredMessage): number {
  const end = deliveries.length === 0 ? events.findLast(({ type }) => type === 'UNDELIVERABLE') : undefined
  return end && 'reason' in end && end.reason === 'EXPIRED' ? Math.max(end.ts, message.first_due) : message.first_due
}

/** A refused address is suppressed: an effect of the message, which a later attempt reads, and no cause of its decision. */
function withoutItsSuppression({ deliveries, events }: StoredMessage, decisionInput: DecisionInput): DecisionInput {
  const { suppressions } = decisionInput.facts
  const [decided] = events
  if (!suppressions || !decided || !deliveries.some(({ recipientAtFault }) => recipientAtFault)) return decisionInput
  const before = suppressions.filter(({ created }) => created <= decided.ts)
  return { ...decisionInput, facts: { ...decisionInput.facts, suppressions: before } }
}

/** Without the snapshot, and due now: as a resend of the message would be decided. */
async function explainNow(options: TimelineOptions, record: StoredMessage): Promise<MessageExplanation> {
  const message = { ...record.message, first_due: options.now() }
  const decisionInput = await options.loader.loadOne({ ...record, message, snapshot: undefined })
  return explainMessage(decisionInput, record.message, undefined, attemptsOf(record, options))
}

/** The deliveries, each attempt with the request and the reply that its event keeps. */
function attemptsOf({ message, ...record }: StoredMessage, { callsOf }: TimelineOptions): StoredDelivery[] {
  const { events } = record
  const deliveries = withCalls(record.deliveries, callsOf(message.id))
  const exchanges = new Map<string, AttemptExchange>()
  for (const { n, exchange } of events) if (exchange) exchanges.set(`${n} ${exchange.attempt}`, exchange)
  if (exchanges.size === 0) return deliveries
  return deliveries.map((delivery) => ({
    ...delivery,
    log: delivery.log.map((record) => {
      const { request, reply } = exchanges.get(`${delivery.n} ${record.number}`) ?? {}
      return { ...record, ...(request && { request }), ...(reply && { reply }) }
    }),
  }))
}

/** With the attempts in progress, which are stored when they have ended. */
function withCalls(deliveries: readonly StoredDelivery[], calls: readonly CallInProgress[]): StoredDelivery[] {
  const called = calls.map(({ delivery: { nextAt: _, ...delivery }, startedAt }): StoredDelivery => {
    const number = delivery.attempts + 1
    return { ...delivery, attempts: number, log: [...delivery.log, { number, started: startedAt }] }
  })
  const others = deliveries.filter(({ n }) => called.every((delivery) => delivery.n !== n))
  return [...others, ...called].toSorted((a, b) => a.n - b.n)
}

async function read(
  { engine, sharedInputs }: TimelineOptions,
  workspaceId: number,
  id: string,
): Promise<StoredMessage | undefined> {
  const message = await readTimelineRow(engine, workspaceId, id)
  if (!message) return undefined
  const [flushes, [input]] = await Promise.all([
    messageEvents(engine, workspaceId, id),
    sharedInputs.complete([{ requestId: message.request_id, ownInput: JSON.parse(message.input) as OwnInput }]),
  ])
  if (!input) throw new Error('One part has one input')
  return {
    message,
    input,
    snapshot: message.pinned ? parseSnapshot(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    events: [message.events ?? '[]', ...flushes].flatMap((text) => JSON.parse(text) as StoredHistoryEvent[]),
  }
}

/** The events of accepting are in the row itself. */
function acceptEvents({ message, input }: StoredMessage): HistoryEvent[] {
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
      ...withFindings(input.findings),
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

/** Parts of the history that are computed and not stored with its events. */
interface Computed {
  outputs: readonly RenderedOutput[]
  /** The last event of the decision, which has the findings of all its steps. */
  decisionEvent: StoredHistoryEvent | undefined
  decisionFindings: readonly Finding[]
}

/** A message that its first decision holds has no event of the decision before it is released. */
const decisionEventOf = (events: readonly StoredHistoryEvent[]): StoredHistoryEvent | undefined =>
  events.findLast(({ type }) => type === 'PROFILE_LOADED' || type === 'MAPPED' || type === 'UNMAPPED') ??
  events.findLast(({ type }) => type === 'HELD')

function complete(event: StoredHistoryEvent, record: StoredMessage, computed: Computed): HistoryEvent {
  const { n, exchange: _exchange, ...fields } = event
  const delivery = n === undefined ? undefined : record.deliveries[n]
  return {
    ...fields,
    ...(delivery && deliveryFields(delivery)),
    ...computedFields(event, record, delivery, computed.outputs),
    ...(event === computed.decisionEvent && withFindings(computed.decisionFindings)),
  } as unknown as HistoryEvent
}

function deliveryFields({ channel, integration, provider, device }: StoredDelivery) {
  return { channel: { id: channel }, integration: { id: integration, provider }, ...(device && { device }) }
}

/** Fields that are computed and not stored with the event. */
function computedFields(
  { type }: StoredHistoryEvent,
  { message, input, snapshot }: StoredMessage,
  delivery: StoredDelivery | undefined,
  outputs: readonly RenderedOutput[],
): Record<string, unknown> {
  switch (type) {
    case 'MAPPED':
    case 'UNMAPPED':
      return { event_id: input.event }
    case 'PROFILE_LOADED':
      return profiles(input.profile ?? {}, snapshot?.profile ?? {})
    case 'SENT':
    case 'DELIVERED':
      return { reference: delivery?.reference ?? {} }
    case 'RENDERED': {
      const rendered = outputs.find(({ output }) => output.renderId === String(delivery?.n))
      const { sms, ...content } = rendered?.output.content ?? {}
      const parts = Object.entries(content).filter(([, part]) => part.length > 0)
      const base = `/messages/${message.id}/output/${delivery?.n}`
      return {
        output: Object.fromEntries(parts.map(([part]) => [part, `${base}/${part}`])),
        ...(sms && { sms }),
        ...withFindings(rendered?.findings),
      }
    }
    default:
      return {}
  }
}

const withFindings = (findings: readonly Finding[] = []) => (findings.length > 0 ? { findings: textsOf(findings) } : {})

function profiles(received: JsonObject, storedProfile: JsonObject) {
  return {
    received_profile: maskTokens(received),
    stored_profile: maskTokens(storedProfile),
    merged_profile: maskTokens(mergeProfiles(storedProfile, received)),
  }
}

interface RenderedOutput {
  output: MessageOutput
  findings: readonly Finding[]
}

/** The plan as its first decision made it. */
async function planOf(record: StoredMessage, { loader }: TimelineOptions): Promise<PartialPlan> {
  const decisionInput = await loader.loadOne({ ...record, asOfSnapshot: true })
  return decide({ ...decisionInput, now: record.message.first_due }).plan
}

function renderedOf(record: StoredMessage, partial: PartialPlan, options: TimelineOptions): RenderedOutput[] {
  if (!partial.notification || !partial.profile) return []
  const plan = { ...partial, notification: partial.notification, profile: partial.profile }
  const rendered = record.events
    .filter(({ type }) => type === 'RENDERED')
    .flatMap(({ n }) => record.deliveries[n ?? -1] ?? [])
  // The devices of an integration have one content.
  const keyOf = ({ n, device, integration }: StoredDelivery) => (device ? `integration ${integration}` : String(n))
  const budgetEach = contentBudget(new Set(rendered.map(keyOf)).size)
  const contents = new Map<string, Worded | undefined>()
  return record.events.flatMap((event): RenderedOutput[] => {
    const delivery = event.type === 'RENDERED' && event.n !== undefined ? record.deliveries[event.n] : undefined
    const provider = delivery && options.providers.get(delivery.provider)
    if (!provider) return []
    const key = keyOf(delivery)
    const content = contents.has(key) ? contents.get(key) : renderedDelivery(plan, delivery, provider, budgetEach)
    contents.set(key, content)
    if (!content) return []
    const { channel, n } = delivery
    const output = { channel, channelId: channel, renderId: String(n), content: content.words }
    return [{ output, findings: contentFindings(plan, channel, content.content) }]
  })
}

interface Worded {
  words: RenderedContent
  content: Content
}

function renderedDelivery(
  plan: Profiled,
  { channel, n, integration: id }: StoredDelivery,
  provider: Provider,
  budget: Budget,
): Worded | undefined {
  try {
    const content = contentOf(plan, channel, provider, { ...budget })
    const integration = plan.facts.integrations.find((candidate) => candidate.id === id)
    const sent = integration ? sentText(content, plan, { channel, integration }, n) : content
    return {
      words: words(content, channel, sent),
      content,
    }
  } catch (error) {
    if (error instanceof RenderFailed) return undefined
    throw error
  }
}

/** Undefined for an unknown message. The list, run or job it came from did not send the new one. */
export async function original(
  engine: Reader,
  workspaceId: number,
  id: string,
): Promise<Pick<Send, 'input' | 'marks'> | undefined> {
  const row = await messageInput(engine, workspaceId, id)
  if (!row) return undefined
  const { input: inputText, request_id: requestId, tags, trace_id: traceId, tenant_id: tenantId } = row
  const [input] = await createSharedInputs(engine).complete([
    { requestId, ownInput: JSON.parse(inputText) as OwnInput },
  ])
  const marks: Marks = {
    ...(tags && { tags }),
    ...(traceId !== null && { traceId }),
    ...(tenantId !== null && { tenantId }),
  }
  return input && { input, marks }
}
