/** A call with a key is done once, also when its process crashes while it commits or before it replies. */
import { afterEach, expect, test } from 'vitest'
import { databaseEnvironment } from '../support/databases.ts'
import { type ServerProcess, startServer } from '../support/process.ts'

const apiKey = 'a-key-for-the-crash-tests-0123456789'
const running: ServerProcess[] = []
afterEach(() => {
  for (const server of running.splice(0)) server.kill('SIGKILL')
})

async function start(database: Record<string, string>, failpoint?: string): Promise<ServerProcess> {
  const env = { ...database, POSTRIDER_API_KEY: apiKey }
  const server = await startServer({ env: failpoint ? { ...env, POSTRIDER_FAILPOINT: failpoint } : env })
  running.push(server)
  return server
}

const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

const create = ({ url }: ServerProcess) =>
  fetch(`${url}/keys`, {
    method: 'POST',
    headers: { ...headers, 'idempotency-key': 'once' },
    body: JSON.stringify({ name: 'of the dead' }),
  })

async function made({ url }: ServerProcess): Promise<number> {
  const { results } = (await (await fetch(`${url}/keys`, { headers })).json()) as { results: { name: string }[] }
  return results.filter(({ name }) => name === 'of the dead').length
}

test.each([
  ['before-keep', 0, null],
  ['after-keep-before-reply', 1, 'true'],
])(
  'killed at %s, %i were made; a retry gets its reply, and there is one',
  async (place, count, replayed) => {
    const database = await databaseEnvironment()
    const doomed = await start(database, place)
    await expect(create(doomed)).rejects.toThrow()
    expect(await doomed.exited).toBe('SIGKILL')
    const next = await start(database)
    expect(await made(next)).toBe(count)
    const answer = await create(next)
    expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, replayed])
    expect(await made(next)).toBe(1)
  },
  60_000,
)
