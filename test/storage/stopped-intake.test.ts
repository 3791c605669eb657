/**
 * A message that is leased to a node while it stops is released at once: no other node waits for the end of its lease.
 * @module-tag safety
 */
import { createLog } from '@postrider/server/internal/base/log'
import { createMetrics } from '@postrider/server/internal/base/metrics'
import { messageQueue } from '@postrider/server/internal/database/tables/messages/live-messages'
import { tokenCipher } from '@postrider/server/internal/database/token-cipher'
import { startPipeline } from '@postrider/server/internal/messages/pipeline'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { createTransport } from '@postrider/server/internal/transport/transport'
import { expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { appSecretKey } from '../support/recording-app.ts'
import { insertMessage, start } from '../support/rows.ts'
import { until } from '../support/until.ts'

withEngine((open) => {
  test('a message of a step that is committed after the stop', async () => {
    const engine = { ...(await open()), tokens: tokenCipher(appSecretKey) }
    await engine.run({ text: `insert into workspaces (id, name) values (1, 'production') on conflict do nothing` })
    const clock = { now: () => start }
    const transport = createTransport({ addresses: addressGuard(true, []), clock })
    const pipeline = await startPipeline({
      ...{ engine, clock, transport, log: createLog('silent'), metrics: createMetrics(), secretKey: appSecretKey },
      ...{ providers: new Map(), works: true, leaseMs: 45_000, workspaceName: () => 'production' },
    })
    await pipeline.stop(1_000)

    const id = await insertMessage(engine, start, { due_at: start })
    const expires = start + 45_000
    const [message] = await messageQueue.claim(engine, { now: start, until: expires, lease: 'L', shares: [1, 1, 1] })
    if (!message) throw new Error('The message was not claimed')
    pipeline.intake.start([{ message }], expires)

    const state = async () => {
      const text = 'select lease, due_at, claims, status from messages where id = $1'
      return (await engine.run<{ lease: string | null }>({ text, values: [id] })).rows[0]
    }
    const released = await until(state, (row) => row?.lease === null)
    expect(released).toEqual({ lease: null, due_at: start, claims: 0, status: 'ENQUEUED' })
    await transport.close()
  })
})
