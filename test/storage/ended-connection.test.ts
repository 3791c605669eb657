/** A server that ends may say so in the packet that also ends a query: the connection must have a listener by then. */
import { createLog } from '@postrider/server/internal/base/log'
import { DatabaseUnavailable } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { expect, test } from 'vitest'
import { newMigratedDatabase } from '../support/databases.ts'
import { startRelay } from '../support/peers/relay.ts'

const field = (type: string, text: string) => Buffer.from(`${type}${text}\0`)
const fields = Buffer.concat([
  ...[
    field('S', 'FATAL'),
    field('V', 'FATAL'),
    field('C', '57P01'),
    field('M', 'terminating connection'),
    Buffer.alloc(1),
  ],
])
/** An error of the protocol, as a server sends it to each connection when it is stopped. */
const ENDING = Buffer.concat([Buffer.from('E'), lengthOf(fields), fields])
const READY = Buffer.from([...Buffer.from('Z'), 0, 0, 0, 5, ...Buffer.from('I')])

function lengthOf(body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length + 4)
  return length
}

test('a batch that waits for a connection which ends at that very time is refused, and the process goes on', async () => {
  let isEnding = false
  const relay = await startRelay(await newMigratedDatabase(), {
    reply: (packet) =>
      isEnding && packet.subarray(-READY.length).equals(READY) ? Buffer.concat([packet, ENDING]) : packet,
  })
  const engine = await openPostgres({
    ...{ address: { connectionString: relay.url }, kind: 'server', connectionsMax: 1, log: createLog('silent') },
  })
  const statement = { text: 'select 1', values: [] }
  await engine.run(statement)
  const running = engine.run({ text: 'select pg_sleep(0.05)', values: [] })
  const waiting = engine.batch([statement])
  isEnding = true
  await running
  await expect(waiting).rejects.toBeInstanceOf(DatabaseUnavailable)
  isEnding = false
  expect((await engine.run(statement)).rows).toHaveLength(1)
  await engine.close()
  relay.close()
})
