/** The commands that import a file: rows a second, the start of the command included, and the memory that it takes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Bench, Figures } from './measure.ts'
import { groupMemory, watchMemory } from './processes.ts'
import { apiKey, events, withProduct } from './product.ts'
import { sendBody } from './sample.ts'

const WATCHED_EVERY_MS = 250

/** One file for all of them: each command reads its own columns. */
const COLUMNS = ['id', 'email', 'phone_number', 'given_name', 'family_name', 'locale'] as const

export async function importedRows(bench: Bench): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-bench-'))
  const file = join(folder, 'users.csv')
  try {
    await pipeline(Readable.from(lines(bench.users)), createWriteStream(file))
    return await withProduct(bench, async ({ port, processes }) => {
      const run = (...args: string[]) => command(bench, port, args)
      const created = await run('profiles', 'import', file)
      const merged = await run('profiles', 'import', file)
      const memoryAfter = groupMemory(processes)
      const subscribed = await run('lists', 'subscribe', 'bench', '--csv', file, '--id', 'id')
      const suppressed = await run('suppressions', 'import', file, '--address', 'email')
      // Last, because its messages are sent beside whatever follows.
      const bulk = ['bulk', 'send', events.webhook, '--csv', file, '--other-columns', 'ignore', '--no-wait']
      const users = await run(...bulk)
      return {
        rows: bench.users,
        createdPerSecond: bench.users / created.seconds,
        mergedPerSecond: bench.users / merged.seconds,
        subscribedPerSecond: bench.users / subscribed.seconds,
        suppressedPerSecond: bench.users / suppressed.seconds,
        usersPerSecond: bench.users / users.seconds,
        commandMemory: Math.max(created.memory, merged.memory),
        memoryAfter,
      }
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function* lines(count: number): Generator<string> {
  yield `${COLUMNS.join(',')}\n`
  for (let n = 0; n < count; n += 1) {
    const { profile } = sendBody({ event: '', n })
    const { email, phone_number, given_name, family_name, locale } = profile
    yield `user-${n},${email},${phone_number},${given_name},${family_name},${locale}\n`
  }
}

/** A command of the measured version; throws when it fails. */
async function command(
  { version }: Bench,
  port: number,
  args: readonly string[],
): Promise<{ seconds: number; memory: number }> {
  const begin = performance.now()
  const child = spawn(process.execPath, [version.command, ...args], {
    env: { PATH: process.env.PATH, POSTRIDER_URL: `http://127.0.0.1:${port}`, POSTRIDER_API_KEY: apiKey },
    stdio: 'ignore',
  })
  const watch = watchMemory({ pid: child.pid ?? 0 }, WATCHED_EVERY_MS)
  const [code] = await once(child, 'exit')
  const seconds = (performance.now() - begin) / 1_000
  const memory = watch.stop()
  if (code !== 0) throw new Error(`postrider ${args.slice(0, 2).join(' ')} ended with ${code}`)
  return { seconds, memory }
}
