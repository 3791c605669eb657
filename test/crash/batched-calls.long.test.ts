/**
 * A job through calls with many messages each: nothing is lost when the process is killed in the middle of one, one message
 * in twenty is refused, and the provider answers for half of a call; nothing comes twice but what was in such a call.
 * @module-tag safety
 */
import type { Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import type { Recorded } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

const USERS = 12_000
/** The provider refuses each of these for good. */
const REFUSED_EVERY = 20
/** And of each of these calls it answers for the first half. */
const HALF_EVERY = 10
/** With the request sent or on its way, with its reply, and after what it says was written. */
const CRASH_POINTS = ['mid-batch:12', 'after-response-before-commit:8', 'mid-batch:20', 'after-result-commit:6']

interface Mail {
  To: string
  Metadata: { message_id: string }
}

const nameOf = (n: number) => `user-${String(n).padStart(5, '0')}`
const numberOf = ({ To }: Mail) => Number(To.slice('user-'.length, To.indexOf('@')))
const isRefused = (mail: Mail) => numberOf(mail) % REFUSED_EVERY === 0
const names = Array.from({ length: USERS }, (_, n) => nameOf(n))

async function runJob(client: Postrider): Promise<string> {
  const { jobId } = await client.bulk.create({ message: { event: 'news' } })
  for (let from = 0; from < USERS; from += 1_000) {
    const users = names.slice(from, from + 1_000)
    const named = users.map((recipient) => ({ recipient, profile: { email: `${recipient}@example.com` } }))
    await client.bulk.ingest(jobId, { users: named })
  }
  await client.bulk.run(jobId)
  return jobId
}

/** Takes what comes by one call or many. */
function answerLikePostmark(
  { provider, receive }: CrashTest,
  counts: { batches: number; refused: Map<string, number> },
) {
  const resultOf = (mail: Mail, at: number, isAnswered: boolean) => {
    const recipient = nameOf(numberOf(mail))
    const refused = isRefused(mail)
    if (refused) counts.refused.set(recipient, (counts.refused.get(recipient) ?? 0) + 1)
    // Without an answer, it is right that the message comes again.
    receive({ recipient, messageId: mail.Metadata.message_id }, at, refused ? 422 : isAnswered ? 200 : 500)
    return refused ? { ErrorCode: 406, Message: 'Inactive' } : { ErrorCode: 0, Message: 'OK', MessageID: recipient }
  }
  provider.answer('/email/batch', ({ body, at }: Recorded) => {
    const mails = JSON.parse(body) as Mail[]
    counts.batches += 1
    const isWhole = counts.batches % HALF_EVERY !== 0
    const results = mails.map((mail) => resultOf(mail, at, isWhole))
    return { body: JSON.stringify(isWhole ? results : results.slice(0, results.length >> 1)), delayMs: 50 }
  })
  provider.answer('/email', ({ body, at }: Recorded) => {
    const result = resultOf(JSON.parse(body) as Mail, at, true)
    return { status: result.ErrorCode === 0 ? 200 : 422, body: result }
  })
}

let arrivals: CrashTest['arrivals']
let reached: string[] = []
let needless: string[] = []
const statuses = new Map<string, string>()
const counts = { batches: 0, refused: new Map<string, number>() }

beforeAll(async () => {
  const crashTest = await openCrashTest(await serverPlace())
  const { fleet, client, provider, crashAt, atRest, close } = crashTest
  arrivals = crashTest.arrivals
  try {
    answerLikePostmark(crashTest, counts)
    const settings = { serverToken: 'token', fromAddress: 'news@example.org', baseUrl: provider.url }
    await client.providers.create({ provider: 'postmark', settings })
    const { id } = await client.notifications.create({
      notification: {
        name: 'News',
        content: { title: 'News', body: 'Hello' },
        routing: { method: 'single', channels: ['email'] },
      },
      state: 'PUBLISHED',
    })
    await client.events.put('news', { id, type: 'notification' })
    await fleet.kill(0)
    await fleet.start(0, { role: 'api' })
    const jobId = await runJob(client)
    reached = await crashAt(CRASH_POINTS, async () => (await client.requests.get(jobId)).status === 'COMPLETED')
    await until(
      () => client.requests.get(jobId),
      ({ status }) => status === 'COMPLETED',
    )
    await atRest()
    for await (const { recipient, status } of client.messages.list({ traceId: jobId, limit: 100 }))
      statuses.set(recipient, status)
    needless = crashTest.needlessRepeats()
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
})

test('it was killed in the middle of calls, before their results were written, and after', () =>
  expect(reached).toEqual(CRASH_POINTS))

test('calls had many messages', () => expect(counts.batches).toBeLessThan(USERS / 10))

test('every recipient got one and the same message', () => {
  expect(names.filter((name) => arrivals.get(name)?.size !== 1)).toEqual([])
  expect(arrivals.size).toBe(USERS)
})

test('nothing came twice but what a crash or a half answer left in doubt', () => expect(needless).toEqual([]))

test('each message has its own outcome', () => {
  const outcomes = names.map((name, n) => [name, n % REFUSED_EVERY === 0 ? 'UNDELIVERABLE' : 'SENT'])
  expect(Object.fromEntries(statuses)).toEqual(Object.fromEntries(outcomes))
})
