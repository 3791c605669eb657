/** A server under test: a process of its own that reaches no external host and prints its memory on a signal. */
import { randomBytes } from 'node:crypto'
import { runQueueMs } from '../support/pings.ts'
import { startServer } from '../support/process.ts'
import { until } from '../support/until.ts'

export interface TestedServer {
  url: string
  apiKey: string
  /** Aborted when the process has ended: later results mean nothing. */
  ended: AbortSignal
  /** The bytes of live objects after a garbage collection. */
  heldBytes(): Promise<number>
  /** How long its main thread has waited for a processor so far, in milliseconds; 0 where the system does not count it. */
  runQueueMs(): number
  /** Ends it; the unexpected lines of its log and an unexpected end. */
  stop(): Promise<string[]>
}

// Processes run what is compiled, also when this file runs from its source.
const probe = new URL(import.meta.url.endsWith('.js') ? './probe.js' : '../dist/fuzz/probe.js', import.meta.url)
const STOP_MS = 45_000

export async function startTestedServer(env: Record<string, string>): Promise<TestedServer> {
  const apiKey = `pk_prod_${randomBytes(24).toString('base64url')}`
  const server = await startServer({
    env: {
      NODE_OPTIONS: `--import=${probe}`,
      POSTRIDER_API_KEY: apiKey,
      POSTRIDER_LOG_LEVEL: 'error',
      ...env,
    },
  })
  let ended: number | NodeJS.Signals | undefined
  const end = new AbortController()
  // An early end of this process must not leave a server behind.
  const reap = () => server.kill('SIGKILL')
  process.once('exit', reap)
  void server.exited.then((how) => {
    ended = how
    end.abort()
  })
  const heldBytesLines = () =>
    [...server.output().matchAll(/^\{"heldBytes":(\d+)\}$/gm)].map((match) => Number(match[1]))
  let requested = 0
  return {
    url: server.url,
    apiKey,
    ended: end.signal,
    runQueueMs: () => runQueueMs(server.pid),
    async heldBytes() {
      requested += 1
      server.kill('SIGUSR2')
      const all = await until(
        async () => heldBytesLines(),
        (lines) => lines.length >= requested || ended !== undefined,
      )
      return all.at(-1) ?? 0
    },
    async stop() {
      const early = ended === undefined ? [] : [`the server ended with ${ended}`]
      server.kill('SIGTERM')
      await until(
        async () => ended,
        (how) => how !== undefined,
        STOP_MS,
      ).catch(() => server.kill('SIGKILL'))
      const how = await server.exited
      process.off('exit', reap)
      const late = how === 0 || early.length > 0 ? [] : [`the server stopped with ${how}`]
      const lines = server.output().split('\n')
      return [
        ...early,
        ...late,
        ...lines.filter((line) => line.includes('"level":"error"') || /Unhandled|Uncaught|^\s*at /.test(line)),
      ]
    },
  }
}
