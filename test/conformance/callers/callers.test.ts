/** Requests of callers that exist: accepted as they are, and what they mean to deliver is delivered. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { withApp } from '../../support/app.ts'
import { settableClock } from '../../support/clock.ts'
import { isLong } from '../../support/run/long.ts'
import { corpus, type Entry } from './corpus.ts'
import { connect } from './deliveries.ts'
import { type Replayer, replay } from './replay.ts'

const entries = corpus.flatMap(({ entries }) => entries)
/** One of so many is replayed, of one of so many sources with a service each; all of them in the project `long`. */
const EVERY = isLong ? 1 : 3
const replayed = corpus.filter((_, n) => n % EVERY === 0)

test('the corpus holds at least a hundred requests of named sources, and a reason for every rejected one', () => {
  expect(entries.length).toBeGreaterThan(100)
  for (const entry of entries) {
    expect(entry.source, entry.shows).toMatch(/^https:\/\/\S+\.\S+$|^[\w.-]+\/[\w.-]+ \S+$/)
    expect([entry.shows, entry.refused !== undefined]).toEqual([entry.shows, entry.expect.status >= 400])
  }
})

test('no entry is held twice', () => {
  const texts = entries.map(({ request, needs, at }: Entry) => JSON.stringify([request, needs, at]))
  expect(texts.filter((text, index) => texts.indexOf(text) !== index)).toEqual([])
})

describe.each(replayed)('$name', ({ clock: start = '2026-03-02T12:00:00Z', integrations, entries }) => {
  withApp((open) => {
    let replayer: Replayer
    beforeAll(async () => {
      const clock = settableClock(start)
      const app = await open({ clock })
      replayer = { app, clock, sinks: await connect(app, integrations) }
    })
    afterAll(() => replayer.sinks.close())

    test.each(
      entries.filter((_, n) => n % EVERY === 0).map((entry) => [`${entry.shows} (${entry.source})`, entry] as const),
    )('%s', (_title, entry) => replay(replayer, entry))
  })
})
