/** The mailbox serves a channel until an integration sends there; in production for ever after. */
import { channels } from '@postrider/contract'
import { expect, test } from 'vitest'
import { providers } from '../providers/catalog.ts'
import { mailboxChannels } from './mailbox-channels.ts'

const row = (provider: string, channel: string | null = null, enabled = true) => ({ provider, channel, enabled })
const served = (integrations: ReturnType<typeof row>[], integrated: string[] = []) =>
  mailboxChannels({ integrations, integrated, providers })
const withoutEmail = channels.filter((channel) => channel !== 'email')

test('alone it serves every channel', () => {
  expect(served([row('mailbox')])).toEqual(channels)
})

test('a channel leaves it with an integration, and returns when that is switched off', () => {
  expect(served([row('mailbox'), row('smtp')])).toEqual(withoutEmail)
  expect(served([row('mailbox'), row('smtp', null, false)])).toEqual(channels)
})

test('a channel that ever had an integration does not return, where that counts', () => {
  expect(served([row('mailbox')], ['email'])).toEqual(withoutEmail)
})

test('switched off, deleted or for one channel it serves no other', () => {
  expect(served([row('mailbox', null, false)])).toEqual([])
  expect(served([row('smtp')])).toEqual([])
  expect(served([row('mailbox', 'sms'), row('smtp')])).toEqual(['sms'])
})
