/** Held and retried messages are counted at the integrations that they wait for. */
import type { Message } from '@postrider/client'
import { expect, test } from 'vitest'
import { waitingOf } from './waiting.ts'

const messageOf = (fields: object) => fields as Message

test('a held message counts at each integration that refused it', () => {
  const results = [
    messageOf({ id: 'a', heldFor: ['ses', 'smtp'] }),
    messageOf({ id: 'b', heldFor: ['ses'] }),
    messageOf({}),
  ]
  const { heldBy, heldCount, hasMore } = waitingOf(
    { results, paging: { more: true } },
    { results: [], paging: { more: false } },
  )
  expect([...heldBy]).toEqual([
    ['ses', ['a', 'b']],
    ['smtp', ['a']],
  ])
  expect([heldCount, hasMore]).toEqual([3, { held: true, retried: false }])
})

test('a message that is tried again waits for the integration of its next attempt', () => {
  const results = [messageOf({ retry: { integration: 'ses' } }), messageOf({ retry: { integration: 'ses' } })]
  const none = { results: [], paging: { more: false } }
  expect([...waitingOf(none, { results, paging: { more: false } }).retriedBy]).toEqual([['ses', 2]])
})

test('the total of held messages is that of the server where there are more than were read', () => {
  const none = { results: [], paging: { more: false } }
  const page = { results: [messageOf({ id: 'a' })], paging: { more: true } }
  expect(waitingOf(page, none, 1_207).heldCount).toBe(1_207)
})

test('several pages are many', () => {
  const none = { results: [], paging: { more: false } }
  const messages = (count: number) => ({ ...none, results: Array.from({ length: count }, () => messageOf({})) })
  expect([100, 101].map((count) => waitingOf(none, messages(count)).isMany)).toEqual([false, true])
})
