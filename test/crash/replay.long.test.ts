/**
 * A replay and a release that are killed again and again: nothing is lost, nothing is replayed or released twice, no
 * provider gets a message twice but for a kill at its call, and the counts are right.
 * @module-tag safety
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Postrider } from '@postrider/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { localPlace } from './places.ts'

const REPLAYED = 1_500
/** Twenty seconds of a process that lives, on a slow machine as well: more than it does between the kills. */
const RATE = 4_500
/** Two steps of a release. */
const HELD = 1_500
/** How long a process lives that is killed at no named place, in milliseconds: drawn once. */
const LIVES = [140, 610, 1_270, 330, 890]

let crashTest: CrashTest
let client: Postrider

beforeAll(async () => {
  crashTest = await openCrashTest(await localPlace())
  client = crashTest.client
})
afterAll(() => crashTest.close())

/** Kills at each place and after a time in turn, then starts a process that lives; those that were reached. */
async function crash(places: readonly string[]): Promise<string[]> {
  const { fleet, crashAt } = crashTest
  const reached: string[] = []
  for (const [round, place] of places.entries()) {
    reached.push(...(await crashAt([place])))
    await pause(LIVES[round % LIVES.length])
    await fleet.kill(0)
  }
  await fleet.start(0)
  return reached
}

async function inBatches(count: number, send: (n: number) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < count; from += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - from) }, (_, n) => send(from + n)))
}

describe('a replay', () => {
  const filter = { event: 'crash', status: ['DELIVERED' as const] }
  let id = ''

  test('is killed between and within its steps', async () => {
    await inBatches(REPLAYED, (n) => client.send({ event: 'crash', recipient: `r-${n}` }))
    await crashTest.atRest()
    const { replayable } = await client.replays.create({ filter })
    expect(replayable).toBe(REPLAYED)
    const started = await client.replays.create({ filter, confirm: replayable, rate_per_minute: RATE })
    id = started.id ?? ''
    // These match the filter, and were not counted.
    await inBatches(100, (n) => client.send({ event: 'crash', recipient: `later-${n}` }))
    const places = ['mid-fan-out:2', 'after-fan-out-step:1', 'after-response-before-commit:3']
    expect(await crash(places)).toEqual(places)
    expect((await client.replays.get(id)).status).toBe('PROCESSING')
    const ended = await until(
      () => client.replays.get(id),
      ({ status }) => status !== 'PROCESSING',
    )
    expect(ended).toMatchObject({
      status: 'COMPLETED',
      replayable: REPLAYED,
      replayed: REPLAYED,
      failures: 0,
      excluded: [],
    })
    expect(crashTest.fleet.faults).toEqual([])
  })

  test('makes one message of each that was confirmed, and none of any other', async () => {
    const originals = Array.from({ length: REPLAYED }, (_, n) => `r-${n}`)
    const later = Array.from({ length: 100 }, (_, n) => `later-${n}`)
    const { arrivals, atRest } = crashTest
    await atRest()
    expect(originals.filter((recipient) => arrivals.get(recipient)?.size !== 2)).toEqual([])
    expect(later.filter((recipient) => arrivals.get(recipient)?.size !== 1)).toEqual([])
    const ofReplay = await client.replays.create({ filter: { ...filter, traceId: id } })
    const copies = { reason: 'already_replayed', count: REPLAYED }
    expect(ofReplay).toMatchObject({ replayable: 0, excluded: [copies] })
    expect(crashTest.needlessRepeats()).toEqual([])
    const again = await client.replays.create({ filter: { event: 'crash', enqueued_before: String(Date.now()) } })
    expect(again.excluded).toMatchObject([{ ...copies, count: 2 * REPLAYED }])
  })
})

describe('a release', () => {
  let isRepaired = false
  let ids: string[] = []
  const accepted = new Set<string>()

  test('is killed between and within its steps', async () => {
    const { provider, fleet, atRest, receive } = crashTest
    provider.answer('/v3/mail/send', ({ body, at }) => {
      if (!isRepaired) return { status: 401, body: { errors: [{ message: 'The key is invalid' }] } }
      const { personalizations } = JSON.parse(body) as { personalizations: { to: { email: string }[] }[] }
      for (const { to } of personalizations)
        for (const { email } of to) {
          accepted.add(email)
          // One message for each address.
          receive({ recipient: email, messageId: email }, at, 200)
        }
      return { status: 202 }
    })
    await client.settings.update({ hold_misconfigured: true })
    const settings = { apiKey: 'SG.x', fromAddress: 'hello@example.com', baseUrl: provider.url }
    const mail = await client.providers.create({ provider: 'sendgrid', settings })
    const sent: string[] = []
    await inBatches(HELD, async (n) => {
      const to = { user_id: `h-${n}`, email: `h-${n}@example.com` }
      const content = { title: 'Hello', body: 'Hello' }
      const { requestId } = await client.send({
        message: { to, content, routing: { method: 'single', channels: ['email'] } },
      })
      sent.push(requestId)
    })
    ids = sent
    await until(
      () => client.metrics.summary(),
      (summary) => summary.held === summary.waiting,
    )
    expect((await client.messages.release({ dry_run: true })).releasable).toBe(HELD)
    // Its creation was a repair, too: what it could release is released.
    isRepaired = true
    await client.providers.update(mail.id, { provider: 'sendgrid', settings: { apiKey: 'SG.y' } })
    const places = ['after-release-step:1', 'before-release-step:1']
    expect(await crash(places)).toEqual(places)
    await atRest()
    expect(accepted.size).toBe(HELD)
    expect(fleet.faults).toEqual([])
  })

  test('sends every message, and each was released as often as it was held', async () => {
    await crashTest.atRest()
    const wrong: string[] = []
    await inBatches(ids.length, async (n) => {
      const { results } = await client.messages.history(ids[n] ?? '')
      const types = results.map(({ type }) => type)
      const heldCount = types.filter((type) => type === 'HELD').length
      const released = types.filter((type) => type === 'RELEASED').length
      if (heldCount !== released || heldCount === 0 || types.at(-1) !== 'SENT')
        wrong.push(`${ids[n]}: ${types.join(' ')}`)
    })
    expect(wrong).toEqual([])
    expect(crashTest.needlessRepeats()).toEqual([])
  })
})
