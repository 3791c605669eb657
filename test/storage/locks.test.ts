/** Statements that meet on the same rows wait for each other; none is rolled back to break a deadlock. */
import type { Engine } from '@postrider/server/internal/database/engine'
import { insertMessages, messageQueue } from '@postrider/server/internal/database/tables/messages/live-messages'
import { recordMessages } from '@postrider/server/internal/database/tables/messages/records'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const ids = Array.from({ length: 200 }, (_, n) => `1-6b000000-${n.toString(16).padStart(24, '0')}`)
const now = 1_795_000_000_000

async function leased(engine: Engine): Promise<void> {
  await insertMessages(
    engine,
    ids.map((id) => ({
      id,
      workspace_id: 1,
      lane: 0,
      due_at: now,
      lease: null,
      claims: 0,
      status: 'ENQUEUED',
      event: 'e',
      recipient: 'r',
      mode: 'live',
      enqueued: now,
      first_due: now,
      input: '{}',
    })),
    now,
  )
  await messageQueue.claim(engine, { now, until: now + 60_000, lease: 'L', shares: [200, 1, 1] })
}

const leases = ids.map((id) => ({ id, lease: 'L' }))
const record =
  (flushes: number) =>
  ({ id, lease }: { id: string; lease: string }) => ({
    id,
    lease,
    flushes,
    next_lease: lease,
    due_at: null,
    status: 'ROUTED',
    notification_id: null,
    sent: null,
    delivered: null,
    canceled_at: null,
    error: null,
    reason: null,
    pinned: null,
    deliveries: null,
    events: '[]',
  })

withEngine((open) => {
  test('renewals and records of the same messages in opposite orders all succeed', async () => {
    const engine = await open()
    await leased(engine)
    for (let round = 0; round < 10; round += 1) {
      const until = now + 60_000 + round
      const results = await Promise.all([
        messageQueue.renew(engine, leases, until),
        recordMessages(engine, { records: [...leases].reverse().map(record(round)) }),
        messageQueue.renew(engine, [...leases].reverse(), until),
      ])
      for (const written of results) expect(written.size).toBe(ids.length)
    }
  })

  test('a result that was written and taken for failed changes nothing when it is written again', async () => {
    const engine = await open()
    await leased(engine)
    const records = leases.slice(0, 3).map(record(0))
    expect((await recordMessages(engine, { records })).size).toBe(3)
    expect((await recordMessages(engine, { records })).size).toBe(0)
  })
})
