/**
 * A call with a key is done once, also when its process crashes while it commits or before it replies.
 * @module-tag safety
 */
import { afterEach, expect, test } from 'vitest'
import { apiCaller, mustCall } from '../support/api-client.ts'
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

const create = ({ url }: ServerProcess) =>
  apiCaller(url, apiKey).call('POST', '/keys', {
    headers: { 'idempotency-key': 'once' },
    body: { name: 'of the crash' },
  })

async function made({ url }: ServerProcess): Promise<number> {
  const { results } = await mustCall(apiCaller(url, apiKey), 'GET', '/keys')
  return results.filter(({ name }: { name: string }) => name === 'of the crash').length
}

test.each([
  ['before-reply-stored', 0, null],
  ['after-reply-stored', 1, 'true'],
])('killed at %s, %i were made; a retry gets its reply, and there is one', async (place, count, replayed) => {
  const database = await databaseEnvironment()
  const doomed = await start(database, place)
  await expect(create(doomed)).rejects.toThrow()
  expect(await doomed.exited).toBe('SIGKILL')
  const next = await start(database)
  expect(await made(next)).toBe(count)
  const answer = await create(next)
  expect([answer.status, answer.headers.get('idempotent-replayed')]).toEqual([201, replayed])
  expect(await made(next)).toBe(1)
})
