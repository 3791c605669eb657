/** A leased message while this process works on it. */
import type { MessageStatus } from '@postrider/contract'
import { isObject, type JsonObject } from '../base/json/json.ts'
import type { NewDigestEvent } from '../database/tables/digests/digest-events.ts'
import type { LiveMessage } from '../database/tables/messages/live-messages.ts'
import type { KeptMessage, MessageRecord } from '../database/tables/messages/records.ts'
import type { TokenCipher } from '../database/token-cipher.ts'
import type { Held } from '../queue/lease.ts'
import type { Considered, Way } from './decide/candidates.ts'
import { wayKey } from './decide/candidates.ts'
import { parseDeliveries, type StoredDelivery } from './delivery.ts'
import type { DigestFacts, PreferenceLayer, TenantFacts } from './facts.ts'
import type { StoredEvent } from './history-events.ts'
import type { SendInput } from './send.ts'

/** What a decision leaves for every later look at the message. */
export interface Pinned {
  /** Absent: the event led nowhere. Without a version: nothing was published. */
  notification?: { id: string; version?: number }
  /** As stored for the recipient, with what its tenant says of it merged in: what every later look begins with. */
  profile?: JsonObject
  tenant?: PinnedTenant
  considered?: readonly Considered[]
  /** Opening hours let it go at this moment; deadlines count from here. */
  released?: number
  /** As they were when it was decided last; absent: none applied. */
  preferences?: readonly PreferenceLayer[]
  missingTopic?: string
  /** Where it was kept. */
  digest?: DigestFacts
  /** Only where words depend on one. */
  brand?: PinnedBrand
  channelBrands?: Readonly<Record<string, PinnedBrand>>
  missingBrands?: readonly string[]
}

export interface PinnedBrand {
  id: string
  version: number
}

export type PinnedTenant = Pick<TenantFacts, 'id' | 'name' | 'properties' | 'brandId'>

export interface Job extends Held {
  readonly message: LiveMessage
  /** Of a message of many only its own part, until the shared one is read. */
  input: SendInput
  pinned: Pinned | undefined
  deliveries: StoredDelivery[]
  /** Not yet on disk. */
  events: StoredEvent[]
  kept: KeptMessage[]
  /** What a digest keeps of it, from the commit that records it so. */
  digested?: NewDigestEvent
  /** Those that are under way or wait for a slot, by the key of their way. */
  readonly attempts: Map<string, Promise<void>>
  /** Provider calls at this moment. */
  calling: number
  /** No slot was free: look again at this moment. */
  postponedUntil: number | undefined
  canceled: boolean
  /** Of all messages under one lease; aborted when it can no longer be renewed. */
  readonly signal: AbortSignal
  /** The latest write; the next one waits for it. */
  saving?: Promise<unknown>
  /** Told when the work on it has ended here; `over` when it has. */
  waiting?: (() => void)[]
  over: boolean
}

export interface Begun {
  message: LiveMessage
  /** Given when it is at hand anyway. */
  input?: SendInput
}

/** `until`: when its lease runs out. */
export function createJob({ message, input }: Begun, signal: AbortSignal, until: number): Job {
  return {
    id: message.id,
    lease: message.lease,
    until,
    lost: false,
    message,
    input: input ?? (JSON.parse(message.input) as SendInput),
    pinned: message.pinned ? parsePinned(message.pinned) : undefined,
    deliveries: parseDeliveries(message.deliveries),
    events: [],
    kept: [],
    attempts: new Map(),
    calling: 0,
    postponedUntil: undefined,
    canceled: message.cancel_requested,
    signal,
    over: false,
  }
}

/** Resolves when the work on it has ended here. */
export function ended(job: Job): Promise<void> {
  if (job.over) return Promise.resolve()
  return new Promise((resolve) => {
    job.waiting ??= []
    job.waiting.push(resolve)
  })
}

export function endJob(job: Job): void {
  job.over = true
  for (const tell of job.waiting ?? []) tell()
}

export function parsePinned(text: string): Pinned {
  const parsed: unknown = JSON.parse(text)
  return isObject(parsed) ? parsed : {}
}

/** The delivery of a way: the one there is, or the first attempt of a new one. */
export function deliveryOf(job: Job, way: Way, now: number): StoredDelivery {
  const known = job.deliveries.find((one) => wayKey(one.channel, one.integration) === way.key)
  if (known) return known
  const delivery: StoredDelivery = {
    n: job.deliveries.length,
    channel: way.channel,
    provider: way.integration.provider.key,
    integration: way.integration.id,
    state: 'waiting',
    attempts: 0,
    firstAt: now,
    log: [],
  }
  job.deliveries.push(delivery)
  return delivery
}

/** Takes over what an attempt, or its absence, came to. */
export function apply(job: Job, { delivery, events }: { delivery: StoredDelivery; events: StoredEvent[] }): void {
  job.deliveries = job.deliveries.map((one) => (one.n === delivery.n ? delivery : one))
  job.events.push(...events)
}

export interface State {
  status: MessageStatus
  /** Null when it is final. */
  dueAt: number | null
  keepLease: boolean
  error?: string | undefined
  reason?: string | undefined
  canceledAt?: number
}

/** What is written now. Takes the events and the kept content along: they are written once. */
export function snapshot(job: Job, state: State, tokens: TokenCipher): { record: MessageRecord; kept: KeptMessage[] } {
  const { message, deliveries } = job
  const kept = job.kept.splice(0)
  const record: MessageRecord = {
    id: message.id,
    lease: message.lease,
    flushes: message.flushes,
    next_lease: state.keepLease ? message.lease : null,
    due_at: state.dueAt,
    status: state.status,
    notification_id: job.pinned?.notification?.id ?? message.notification_id,
    sent: earliest(deliveries, 'sentAt') ?? message.sent,
    delivered: earliest(deliveries, 'deliveredAt') ?? message.delivered,
    canceled_at: state.canceledAt ?? null,
    error: state.error ?? null,
    reason: state.reason ?? null,
    pinned: job.pinned ? pinnedText(job.pinned, message.workspace_id, tokens) : null,
    deliveries: deliveries.length > 0 ? JSON.stringify(deliveries) : null,
    events: JSON.stringify(job.events.splice(0)),
  }
  return { record, kept }
}

/** A copy of the stored profile is in it. */
function pinnedText(pinned: Pinned, workspaceId: number, tokens: TokenCipher): string {
  const { profile } = pinned
  const sealed = profile && tokens.encrypt(workspaceId, profile)
  return JSON.stringify(sealed === profile ? pinned : { ...pinned, ...(sealed && { profile: sealed }) })
}

function earliest(deliveries: readonly StoredDelivery[], stage: 'sentAt' | 'deliveredAt'): number | undefined {
  let first: number | undefined
  for (const { [stage]: time } of deliveries)
    if (time !== undefined && (first === undefined || time < first)) first = time
  return first
}
