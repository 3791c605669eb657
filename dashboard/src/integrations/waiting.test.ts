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
