/** Releases due digests: each is replaced by one message with its events. */
import { failpoint } from '../base/failpoint.ts'
import { childId, timedIdFloor } from '../base/ids.ts'
import type { Log } from '../base/log.ts'
import type { SecretKey } from '../base/secret.ts'
import { DatabaseRefused, type Engine } from '../database/engine.ts'
import type { DeadLetter } from '../database/leased-queue.ts'
import {
  type ClosedDigest,
  type DigestEventRow,
  deadLetterDigest,
  digestQueue,
  eventsOfDigests,
  releaseDigests,
} from '../database/tables/digests/digests.ts'
import { lanes } from '../database/tables/messages/lanes.ts'
import { messageQueue, type NewMessage } from '../database/tables/messages/live-messages.ts'
import type { SendInput } from '../messages/send.ts'
import { claimsMax } from '../queue/poison.ts'
import { createQueuePoll } from '../queue/poll.ts'
import { digestInput } from './events.ts'
import { digestData, type Terms } from './terms.ts'

export interface ReleaseOptions {
  engine: Engine
  secretKey: SecretKey
  log: Log
  /** Longer than any step; nothing renews it. */
  leaseMs: number
  now(): number
  /** Called after a commit: there are messages to claim. */
  wake(): void
  /** Called with the number of new messages. */
  accepted(workspaceId: number, count: number): void
}

/** With 10 events of 1 kB each they are one message insert of a megabyte. */
const DIGESTS_A_STEP = 100

/** Releases a slice of due digests; resolves with the time until the next poll. */
export function createDigestRelease(options: ReleaseOptions): () => Promise<number> {
  const { engine, log, leaseMs, now } = options
  return createQueuePoll({
    ...{ engine, log, leaseMs, now, queue: digestQueue },
    claim: (take) => take({ limit: DIGESTS_A_STEP }),
    async start(closed) {
      failpoint('before-digest-release')
      await release(closed, options)
      failpoint('after-digest-release')
      options.wake()
    },
    deadLetter: (digest, letter) => deadLetter(digest, letter, options),
  })
}

async function release(closed: readonly ClosedDigest[], options: ReleaseOptions): Promise<void> {
  const { engine, secretKey, now } = options
  const kept = new Map<string, DigestEventRow[]>(closed.map(({ id }) => [id, []]))
  for (const event of await eventsOfDigests(engine, [...kept.keys()])) kept.get(event.digest_id)?.push(event)
  const secret = secretKey.derive('digests')
  const released = closed.map((digest) => ({
    digest,
    message: messageOf(digest, inputOf(digest, kept.get(digest.id) ?? []), secret, now()),
  }))
  try {
    count(await releaseDigests(engine, released), options)
  } catch (error) {
    if (!(error instanceof DatabaseRefused && error.isDataError)) throw error
    await oneByOne(released, options)
  }
}

const count = (workspaces: readonly number[], { accepted }: ReleaseOptions) => {
  for (const workspaceId of workspaces) accepted(workspaceId, 1)
}

/** Only the failing digest waits for the end of its lease. */
async function oneByOne(
  released: readonly { digest: ClosedDigest; message: NewMessage }[],
  options: ReleaseOptions,
): Promise<void> {
  const { engine, log } = options
  for (const release of released) {
    try {
      count(await releaseDigests(engine, [release]), options)
    } catch (error) {
      if (!(error instanceof DatabaseRefused && error.isDataError)) throw error
      log.error({ event: 'digest.not_released', err: error, digest: release.digest.id }, 'a digest cannot be released')
    }
  }
}

/** Its message counts as poison from the start: the pipeline ends it, with history and webhooks. */
async function deadLetter(digest: ClosedDigest, letter: DeadLetter, options: ReleaseOptions): Promise<void> {
  const { engine, secretKey, now, wake } = options
  const { topic_id: topic, recipient } = digest
  // Without the terms and the events: reading them may be what fails.
  const message = messageOf(digest, { event: topic, topic, recipient, data: {} }, secretKey.derive('digests'), now())
  const claims = claimsMax(messageQueue.poison) + 1
  count(await deadLetterDigest(engine, letter, { ...message, claims }), options)
  wake()
}

function inputOf(digest: ClosedDigest, kept: readonly DigestEventRow[]): SendInput {
  const terms = JSON.parse(digest.terms) as Terms
  const whose = { terms, topicId: digest.topic_id, recipient: digest.recipient, tenantId: digest.tenant_id }
  return digestInput(whose, digestData(terms, digest.counts, kept))
}

function messageOf(digest: ClosedDigest, input: SendInput, secret: Buffer, now: number): NewMessage {
  const { recipient, tenant_id: tenant } = digest
  return {
    // The id begins with the time when the digest was closed.
    id: childId(secret, `${timedIdFloor(digest.closed)}${digest.id}`, recipient),
    workspace_id: digest.workspace_id,
    lane: lanes.automation,
    due_at: now,
    lease: null,
    claims: 0,
    status: 'ENQUEUED',
    event: input.event,
    recipient,
    mode: digest.mode,
    enqueued: now,
    first_due: now,
    input: JSON.stringify(input),
    ...(tenant !== '' && { tenant_id: tenant }),
  }
}
