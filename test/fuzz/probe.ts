/** Loaded into a server under test: external host names do not resolve, and a signal makes it print its memory. */
import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

// Requests make integrations and webhooks with any address; none of them is to be called.
const lookup = dns.lookup as (...all: unknown[]) => Promise<unknown>
dns.lookup = (async (host: string, ...rest: unknown[]) => {
  if (host === 'localhost') return lookup(host, ...rest)
  throw new Error(`${host} is not resolved here`)
}) as typeof dns.lookup
syncBuiltinESMExports()

if (isMainThread) {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  process.on('SIGUSR2', () => {
    // Objects that the first collection finalizes are freed by the second.
    collect()
    collect()
    const { heapUsed, external } = process.memoryUsage()
    process.stderr.write(`${JSON.stringify({ heldBytes: heapUsed + external })}\n`)
  })
}
