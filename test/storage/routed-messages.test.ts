/** Messages that an integration could have sent are searched in parts, newest first. */
import type { Engine } from '@postrider/server/internal/database/engine'
import { decidedWith, routedMessages } from '@postrider/server/internal/database/tables/messages/messages'
import { beforeAll, expect, test } from 'vitest'
import { withEngine } from '../support/engine.ts'
import { insertMessage, start } from '../support/rows.ts'

const MINUTE = 60_000

withEngine((open) => {
  let engine: Engine
  const candidates: string[] = []
  const pinned = (integration: string) =>
    JSON.stringify({ considered: [{ channel: 'email', provider: 'smtp', integration, order: 0, selected: true }] })

  beforeAll(async () => {
    engine = await open()
    await engine.run({ text: `insert into workspaces values (1, 'production') on conflict do nothing`, values: [] })
    for (let n = 0; n < 30; n += 1) {
      const integration = n % 3 === 0 ? 'first' : 'second'
      const id = await insertMessage(engine, start + n * MINUTE, { pinned: pinned(integration) })
      if (integration === 'first') candidates.unshift(id)
    }
    const later = start + 40 * MINUTE
    await insertMessage(engine, later)
    await insertMessage(engine, later, { pinned: pinned('first'), mode: 'mock' })
    await insertMessage(engine, later, { pinned: pinned('first'), recipient: `erased-${'0'.repeat(32)}` })
    await insertMessage(engine, later, { pinned: pinned('first_2') })
  })

  const search = async (integrationId: string, limit: number) => {
    const matching: string[] = []
    let before: string | undefined
    for (;;) {
      const part = await decidedWith(engine, 1, { integrationId, before, limit })
      matching.push(...part.flatMap(({ id, matches }) => (matches ? [id] : [])))
      before = part.at(-1)?.id
      if (part.length < limit) return matching
    }
  }

  test.each([7, 10, 100])('in parts of %i each is there once', async (limit) => {
    expect(await search('first', limit)).toEqual(candidates)
  })

  test('an id is no pattern, and another environment has other messages', async () => {
    expect(await search('f%', 100)).toEqual([])
    expect(await search('first_', 100)).toEqual([])
    expect(await decidedWith(engine, 2, { integrationId: 'first', before: undefined, limit: 100 })).toEqual([])
  })

  test('the messages are read newest first', async () => {
    const read = await routedMessages(engine, 1, candidates.toReversed())
    expect(read.map(({ id }) => id)).toEqual(candidates)
  })
})
