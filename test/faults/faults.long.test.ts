/**
 * Every fault of a server leads to the right outcome in time, with a representative of each transport, and leaves
 * nothing behind.
 * @module-tag safety
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { casesOf, checkFault, deliver, faults, openTransport } from './check-fault.ts'
import type { Fault, FaultServer } from './fault.ts'

/** In bytes; the collector and compiler keep some of the first ones. */
const GROWTH_MAX = 10_000_000

const isFlood = ({ name }: Fault) => name.startsWith('floods')

test.concurrent.each(casesOf(faults.filter((fault) => !isFlood(fault))))(
  '%s: a server that %s',
  (adapter, _name, fault) => checkFault(adapter, fault),
)

// One after the other: the server of a flood takes the time of this process.
test.each(casesOf(faults.filter(isFlood)))('%s: a server that %s', (adapter, _name, fault) =>
  checkFault(adapter, fault),
)

test('many of them leave no connection, no timer and no memory', async () => {
  expect(faults.length).toBeGreaterThanOrEqual(40)
  const idle = activeResources()
  const transports = { trusted: openTransport({}), untrusted: openTransport({ trusted: false }) }
  // A flood over HTTP/2 goes on as long as its connection is open, and would take all the time.
  const cases = casesOf(faults.filter((fault) => !isFlood(fault)))
  const servers: FaultServer[] = []
  const runs = await Promise.all(
    cases.map(async ([adapter, , fault]) => {
      const server = await fault.start()
      servers.push(server)
      const transport = fault.trusted === false ? transports.untrusted : transports.trusted
      return () => deliver(transport, adapter, fault, server.port)
    }),
  )
  const round = () => Promise.all(runs.map((run) => run()))
  for (let count = 0; count < 3; count += 1) await round()
  // Eight hundred deliveries each time, some of them with a reply of a megabyte.
  let growth = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 3 && growth >= GROWTH_MAX; tries += 1) {
    const before = heapBytes()
    for (let count = 0; count < 6; count += 1) await round()
    growth = Math.min(growth, heapBytes() - before)
  }
  expect(growth).toBeLessThan(GROWTH_MAX)

  await Promise.all([transports.trusted.close(), transports.untrusted.close()])
  for (const server of servers) {
    await until(
      async () => server.openConnections(),
      (count) => count === 0,
    )
    server.close()
  }
  await until(
    async () => activeResources(),
    (active) => active.length <= idle.length,
  )
})

/** Connections, servers and timers. */
const activeResources = () => process.getActiveResourcesInfo().filter((name) => /TCP|TLS|Timeout/.test(name))

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

function heapBytes(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
