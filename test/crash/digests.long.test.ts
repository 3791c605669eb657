/**
 * Every event that a run was to keep is in exactly one digest, and every digest is one message, though the process is
 * killed again and again.
 * @module-tag safety
 */
import type { AutomationStep, Postrider } from '@postrider/client'
import { beforeAll, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { type CrashTest, openCrashTest } from './crash-test.ts'
import { serverPlace } from './places.ts'

/** More than two steps release. */
const RECIPIENTS = 250
const EVENTS = 2
const KEEPING = ['before-run-step-commit:60', 'after-run-step-commit:60']
const RELEASING = ['before-digest-release:1', 'after-digest-release:1', 'before-digest-release:2']

const names = Array.from({ length: RECIPIENTS }, (_, n) => `reader-${n}`)

async function makeTopic(client: Postrider): Promise<{ topicId: string; scheduleId: string }> {
  const section = await client.sections.create({ name: 'Activity' })
  const { id: topicId, digest } = await client.topics.create(section.id, {
    name: 'Comments',
    default_status: 'OPTED_IN',
    digest: { template_id: 'crash', schedules: [{ frequency: 'monthly', time: '09:00', day_of_month: 1 }] },
  })
  return { topicId, scheduleId: String(digest?.schedules[0]?.schedule_id) }
}

async function keptOf(client: Postrider, scheduleId: string): Promise<number> {
  let kept = 0
  let cursor: string | null = null
  do {
    const page: Awaited<ReturnType<Postrider['digests']['instances']>> = await client.digests.instances(scheduleId, {
      limit: 100,
      ...(cursor !== null && { cursor }),
    })
    for (const { event_count } of page.items) kept += event_count
    cursor = page.cursor
  } while (cursor !== null)
  return kept
}

let arrivals: CrashTest['arrivals']
/** The number of events in the messages of each recipient. */
const digestsByRecipient = new Map<string, number>()

beforeAll(async () => {
  const { fleet, client, crashAt, atRest, close, ...test } = await openCrashTest(await serverPlace())
  arrivals = test.arrivals
  try {
    const { topicId, scheduleId } = await makeTopic(client)
    const steps: AutomationStep[] = [{ action: 'add-to-digest', subscription_topic_id: topicId }]
    // Runs are only accepted, so that each failpoint has enough of them.
    await fleet.kill(0)
    await fleet.start(0, { role: 'api' })
    for (let n = 0; n < EVENTS; n += 1)
      await Promise.all(
        names.map((recipient) => client.automations.invoke({ automation: { steps }, recipient, data: { n } })),
      )
    expect(await crashAt(KEEPING)).toEqual(KEEPING)
    await until(
      async () => [
        ...(await client.automations.runs({ status: 'PROCESSING', limit: 1 })).runs,
        ...(await client.automations.runs({ status: 'WAITING', limit: 1 })).runs,
      ],
      (unfinished) => unfinished.length === 0,
    )
    expect(await keptOf(client, scheduleId)).toBe(RECIPIENTS * EVENTS)
    await fleet.kill(0)
    await fleet.start(0, { role: 'api' })
    await client.digests.release(scheduleId)
    expect(await crashAt(RELEASING)).toEqual(RELEASING)
    await until(
      () => keptOf(client, scheduleId),
      (kept) => kept === 0,
    )
    await atRest()
    for (const [recipient, [id = '']] of arrivals) {
      const { results } = await client.messages.history(id, { type: 'ENQUEUED' })
      const [{ data } = { data: {} }] = results as { data: { digest?: { count: number } } }[]
      digestsByRecipient.set(recipient, data.digest?.count ?? 0)
    }
    expect(fleet.faults).toEqual([])
  } finally {
    await close()
  }
})

test('every recipient got one and the same message, however often it came', () => {
  expect(names.filter((name) => arrivals.get(name)?.size !== 1)).toEqual([])
})

test('its messages have every event', () => {
  expect(names.filter((name) => digestsByRecipient.get(name) !== EVENTS)).toEqual([])
})
