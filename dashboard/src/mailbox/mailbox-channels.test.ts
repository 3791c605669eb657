/** The mailbox serves a channel until an integration sends there. */
import { expect, test } from 'vitest'
import { mailboxChannels } from './mailbox-channels.ts'

const all = ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'] as const
const mailbox = { provider: 'mailbox', enabled: true, channels: [...all] }
const smtp = { provider: 'smtp', enabled: true, channels: ['email' as const] }

test('alone it serves every channel', () => {
  expect(mailboxChannels([mailbox])).toEqual(all)
})

test('a channel leaves it with an integration, and comes back when that is switched off', () => {
  expect(mailboxChannels([mailbox, smtp])).toEqual(all.filter((channel) => channel !== 'email'))
  expect(mailboxChannels([mailbox, { ...smtp, enabled: false }])).toEqual(all)
})

test('switched off or deleted it serves none', () => {
  expect(mailboxChannels([{ ...mailbox, enabled: false }])).toEqual([])
  expect(mailboxChannels([smtp])).toEqual([])
})
