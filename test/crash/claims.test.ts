/** A message is dead-lettered for crashes after it was started, and never because a crashed worker had claimed it. */
import { timedId } from '@postrider/server/internal/base/ids'
import { insertMessages, messageQueue } from '@postrider/server/internal/database/tables/messages/live-messages'
import { leasedMessage } from '@postrider/server/internal/messages/leased-message'
import { isPoisonMessage, isSuspectedMessage } from '@postrider/server/internal/messages/poison-messages'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'

const LEASE_MS = 1_000
const CLAIMS_SUSPECTED = messageQueue.poison.suspectedAfter + 1

withEngine((open) => {
  test('claims of messages that were not started stop counting; those of started messages count to the limit', async () => {
    const engine = await open()
    let now = Date.now()
    const time = { enqueued: now, first_due: now, due_at: now }
    const text = { status: 'ENQUEUED', event: 'crash', recipient: 'ada', mode: 'live', input: '{}', lease: null }
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
    await insertMessages(engine, [{ id: timedId(now), workspace_id: 1, lane: 0, claims: 0, ...time, ...text }], now)
    const claim = async (lease: string) => {
      now += LEASE_MS + 1
      const [message] = await messageQueue.claim(engine, { now, until: now + LEASE_MS, lease, shares: [5, 5, 5] })
      return message!
    }
    for (let crash = 1; crash <= 20; crash += 1)
      expect((await claim(`held-${crash}`)).claims).toBe(Math.min(crash, CLAIMS_SUSPECTED))
    // The lease of another worker is no evidence about this one.
    const startedMessage = await claim('started-0')
    await messageQueue.countStarts(engine, [{ id: startedMessage.id, lease: 'another worker' }])

    const { signal } = new AbortController()
    const leasedWith = (claims: number) =>
      leasedMessage({ message: { ...startedMessage, claims } }, { until: now + LEASE_MS, signal })
    let claims = CLAIMS_SUSPECTED
    for (let crash = 1; !isPoisonMessage(leasedWith(claims)); crash += 1) {
      expect(isSuspectedMessage(leasedWith(claims))).toBe(true)
      const message = await claim(`started-${crash}`)
      expect(message.claims).toBe(claims)
      await messageQueue.countStarts(engine, [message])
      claims += 1
    }
    // Once in the large group, once in the small one, three times alone.
    expect(claims - CLAIMS_SUSPECTED).toBe(5)
  })
})
