/** A message has one title from its acceptance to its end. */
import { expect, test } from 'vitest'
import { messageTitle } from './message-title.ts'

const names = {
  names: new Map([
    ['T1', 'Welcome'],
    ['T2', 'Order shipped'],
  ]),
  ids: new Map([
    ['welcome', 'T1'],
    ['order-shipped', 'T2'],
  ]),
  inline: 'Inline content',
}

test.each([
  ['decided', { notification: 'T1', event: 'welcome' }, 'Welcome'],
  ['held, by an alias or an event', { notification: '', event: 'welcome' }, 'Welcome'],
  ['held, by the id of the template', { notification: '', event: 'T2' }, 'Order shipped'],
  ['of a template that is deleted', { notification: 'T9', event: 'old' }, 'old'],
  ['of an unknown event', { notification: '', event: 'lost' }, 'lost'],
  ['with content in the send', { notification: '', event: '' }, 'Inline content'],
])('%s', (_, message, title) => {
  expect(messageTitle(message, names)).toBe(title)
})
