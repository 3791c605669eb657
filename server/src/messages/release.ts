/** Releases messages that wait for a repair of an integration: held ones, those that an open circuit breaker refused, and those whose retry is minutes away. */
import { failpoint } from '../base/failpoint.ts'
import { timedId } from '../base/ids.ts'
import { MINUTE, SECOND } from '../base/time/duration.ts'
import type { Engine } from '../database/engine.ts'
import {
  CONFIG_AGE_MS,
  claimRepair,
  HOLD_ENDED_PASS,
  messagesAfter,
  type ReleasedMessage,
  type ReleasePosition,
  type Repair,
  releaseStep,
  type WaitingForRepair,
  type WaitingMessage,
} from '../database/tables/messages/held-messages.ts'
import { providers } from '../providers/catalog.ts'
import { deliveriesText, parseDeliveries, type StoredDelivery, type StoredHistoryEvent } from './delivery.ts'

/** Why messages go on; the reason of their event. */
type ReleaseCause = { cause: 'call' | 'settings' } | { cause: 'repair'; integration_id: string }

/** Messages that are released together start one after the other. */
const SPACING_MS = 5

/** Held messages that a call releases. */
export const releasedByCall = (heldRows: readonly WaitingMessage[], now: number): ReleasedMessage[] =>
  spaced(heldRows, now, now, (message) => ({
    ...{ status: message.status, deliveries: parseDeliveries(message.deliveries), cause: { cause: 'call' } as const },
  }))

/** The messages that wait for the repair; the first is due after `from`. */
const releasedByRepair = (
  waiting: readonly WaitingForRepair[],
  repair: Repair,
  { now, from }: { now: number; from: number },
): ReleasedMessage[] =>
  spaced(waiting, now, from, ({ status, deliveries: text, considered, due_at }) => {
    const deliveries = parseDeliveries(text)
    if (endsHold(repair))
      return status === 'HELD' && wasHeldBefore(deliveries, repair)
        ? { status, deliveries, cause: { cause: 'settings' } }
        : undefined
    const cause = { cause: 'repair', integration_id: repair.id } as const
    if (status === 'HELD')
      return isHeldFor({ deliveries, considered: considered ?? [] }, repair) ? { status, deliveries, cause } : undefined
    const isLate = due_at > now + SOON_MS && !isInDoubt(deliveries)
    const continues = (delivery: StoredDelivery) =>
      isRefusedFor(delivery, repair) || (isLate && hasFailedFor(delivery, repair))
    return deliveries.some(continues) ? { status, deliveries, cause, continues } : undefined
  })

interface Released {
  status: string
  deliveries: readonly StoredDelivery[]
  cause: ReleaseCause
  /** For a message that is not held: the deliveries that continue. */
  continues?(delivery: StoredDelivery): boolean
}

function spaced<Message extends WaitingMessage>(
  messages: readonly Message[],
  now: number,
  from: number,
  releasedOf: (message: Message) => Released | undefined,
): ReleasedMessage[] {
  const released: ReleasedMessage[] = []
  for (const message of messages) {
    const waitEnd = releasedOf(message)
    if (waitEnd) released.push(releasedMessage(message, waitEnd, now, from + (released.length + 1) * SPACING_MS))
  }
  return released
}

function releasedMessage(
  { id, flushes, due_at }: WaitingMessage,
  { status, deliveries, cause, continues }: Released,
  now: number,
  dueAt: number,
): ReleasedMessage {
  const next = status === 'HELD' ? (deliveries.length > 0 ? 'ROUTED' : 'ENQUEUED') : status
  const after = continues
    ? waitReleased(deliveries, continues, now)
    : deliveries.map((delivery) => heldReleased(delivery, now))
  const event: StoredHistoryEvent = { type: 'RELEASED', ts: now, ...cause }
  return {
    ...{ id, flushes, status: next, due_at: continues ? Math.min(due_at, dueAt) : dueAt },
    outbox_id: next === status ? null : timedId(now),
    deliveries: after.length > 0 ? deliveriesText(after) : null,
    events: JSON.stringify([event]),
  }
}

/** The wait of a held delivery is that of its message: it ends in both, so that nodes of the release before go on with it. */
function heldReleased(delivery: StoredDelivery, now: number): StoredDelivery {
  if (delivery.state !== 'waiting' || delivery.heldSince === undefined) return delivery
  // The next pass must not take it for one that is still refused.
  const { refusedAt: _, ...rest } = delivery
  return { ...rest, nextAt: now }
}

/** A message that a provider may have accepted is not sent a second time sooner. */
const isInDoubt = (deliveries: readonly StoredDelivery[]) =>
  deliveries.some(({ state, log }) => state === 'waiting' && log.at(-1)?.outcome === 'in_doubt')

function waitReleased(
  deliveries: readonly StoredDelivery[],
  continues: (delivery: StoredDelivery) => boolean,
  now: number,
): StoredDelivery[] {
  const mayHaveArrived = isInDoubt(deliveries)
  return deliveries.map((delivery) => {
    if (!continues(delivery)) return delivery
    const { refusedAt: _, failedOver, ...rest } = delivery
    // It has its turn again, before those that took over from it.
    const turn = mayHaveArrived && failedOver ? { failedOver } : {}
    const heldDuration = delivery.attempts === 0 ? { heldMs: Math.max(0, now - delivery.firstAt) } : {}
    return { ...rest, ...turn, ...heldDuration, nextAt: now }
  })
}

/** Calls that began earlier than this may have used the integration as it was before the repair. */
const repairedAt = ({ release_held }: Repair) => release_held + CONFIG_AGE_MS

const isNew = ({ created, release_held }: Repair) => created >= release_held - MINUTE

/** An adapter that is gone carries nothing. */
const carries = ({ provider, channel: only }: Repair, channel: string): boolean =>
  only === null ? (providers.get(provider)?.channels.some((each) => each === channel) ?? false) : only === channel

interface HeldMessage {
  deliveries: readonly StoredDelivery[]
  considered: NonNullable<WaitingForRepair['considered']>
}

function isHeldFor(message: HeldMessage, repair: Repair): boolean {
  const { deliveries, considered } = message
  if (!wasHeldBefore(deliveries, repair)) return false
  if (isNew(repair) || deliveries.length === 0) return isAlternative(message, repair)
  return (
    deliveries.some(({ heldSince, integration }) => heldSince !== undefined && integration === repair.id) ||
    // Another one holds it, and this one could not be used: it was switched off, or its secrets could not be read.
    considered.some(({ integration, reason }) => integration === repair.id && lacksIntegration.has(reason))
  )
}

/** A message without a delivery is held because no integration of its channels could be used: the first pass has all of them. */
const wasHeldBefore = (deliveries: readonly StoredDelivery[], repair: Repair): boolean =>
  deliveries.length === 0
    ? repair.release_pass === firstPass(repair)
    : deliveries.some(
        (delivery) => delivery.heldSince !== undefined && triedAt(delivery, delivery.heldSince) < repairedAt(repair),
      )

/** An integration of the channel would end these; the mailbox leaves a channel to one. */
const lacksIntegration: ReadonlySet<string | undefined> = new Set(['MISSING_CONFIGURATION', 'NO_PROVIDERS', 'SANDBOX'])

/** It carries a channel for which the message is held; of an old message without candidates these are not known. */
function isAlternative({ deliveries, considered }: HeldMessage, repair: Repair): boolean {
  const channels = [
    ...deliveries.filter(({ heldSince }) => heldSince !== undefined).map(({ channel }) => channel),
    ...considered.filter(({ reason }) => lacksIntegration.has(reason)).map(({ channel }) => channel),
  ]
  return channels.length === 0 || channels.some((channel) => carries(repair, channel))
}

type Pass = Pick<Repair, 'release_pass'>
const endsHold = ({ release_pass }: Pass) => release_pass >= HOLD_ENDED_PASS
const firstPass = (repair: Pass) => (endsHold(repair) ? HOLD_ENDED_PASS : 0)

/** A call that ended after the repair may have started before it. */
const triedAt = ({ refusedAt, log }: StoredDelivery, heldSince: number) => refusedAt ?? log.at(-1)?.started ?? heldSince

const isRefusedFor = (delivery: StoredDelivery, repair: Repair): boolean =>
  delivery.state === 'waiting' &&
  delivery.refusedAt !== undefined &&
  delivery.refusedAt < repairedAt(repair) &&
  concerns(repair, delivery)

/** A message that goes on by itself sooner than this is left to its retry. */
const SOON_MS = 30 * SECOND

/** It waits for its retry, or for its turn, because its integration failed; not for a limit, and it did not arrive. */
function hasFailedFor(delivery: StoredDelivery, repair: Repair): boolean {
  const { state, error, log } = delivery
  const last = log.at(-1)
  return (
    state === 'waiting' &&
    last?.outcome === 'retry' &&
    last.error === error &&
    last.started < repairedAt(repair) &&
    concerns(repair, delivery)
  )
}

const concerns = (repair: Repair, { integration, channel }: StoredDelivery): boolean =>
  integration === repair.id || (isNew(repair) && carries(repair, channel))

export interface RepairReleaseOptions {
  engine: Engine
  leaseMs: number
  now(): number
  /** Called after a commit: there are messages to claim. */
  wake(): void
}

/** Live messages that a step reads, and releases at most. */
const MESSAGES_A_STEP = 1_000
/** Longer than any step; it is not renewed. */
const STEP_LEASE_MS = 15 * SECOND
/** The longest call, and as long again for what surrounds it: its message is held after the repair. */
const CALL_MS = MINUTE
const PASS_MS = 3 * SECOND

/** Executes one step of a release; resolves with whether there is more to do immediately. */
export function createHeldRelease({ engine, leaseMs, now, wake }: RepairReleaseOptions): () => Promise<boolean> {
  // When the last released message is due: steps follow each other.
  let releasedUntil = 0
  return async () => {
    const repair = await claimRepair(engine, now(), now() + STEP_LEASE_MS)
    if (!repair) return false
    const { waiting, last } = await messagesAfter(engine, repair, MESSAGES_A_STEP)
    const time = now()
    const from = Math.max(time, releasedUntil)
    const released = releasedByRepair(waiting, repair, { now: time, from })
    const next = positionAfter(repair, last, time, CALL_MS + leaseMs)
    failpoint('before-release-step')
    const count = await releaseStep(engine, repair, released, next, time)
    failpoint('after-release-step')
    releasedUntil = from + count * SPACING_MS
    if (count > 0) wake()
    return true
  }
}

/** Passes follow in growing intervals, until no call is left that began before the repair; the last begins after that. */
function positionAfter(
  { release_held, release_pass }: Repair,
  last: string | undefined,
  now: number,
  keptMs: number,
): ReleasePosition | undefined {
  if (last !== undefined) return { release_after: last, release_due: now, release_pass }
  const first = firstPass({ release_pass })
  if (release_pass === first + 2) return undefined
  const end = release_held + keptMs
  const next = now + Math.max(PASS_MS, now - release_held)
  return next < end
    ? { release_after: null, release_due: next, release_pass: first + 1 }
    : { release_after: null, release_due: Math.max(now, end), release_pass: first + 2 }
}
