/** The sentence above the integrations says the way of each channel. */
import type { Integration } from '@postrider/client'
import { expect, test } from 'vitest'
import { channelRoutes } from './channel-routes.ts'

const integration = (
  title: string,
  channels: Integration['channels'],
  more: Partial<Integration> = {},
): Integration => ({
  ...{ id: title as Integration['id'], title, channels, channel: channels[0] ?? 'email', provider: 'smtp' },
  ...{ settings: {}, enabled: true, priority: 0, created: 0 },
  ...more,
})
const mailbox = integration('Mailbox', ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'], {
  provider: 'mailbox',
})

test('a channel goes by its integrations in their order, and the others stay in the mailbox', () => {
  const rows = [
    mailbox,
    integration('SMTP', ['email'], { priority: 9 }),
    integration('SES', ['email'], { priority: 1 }),
  ]
  expect(channelRoutes([...rows, integration('Twilio', ['sms'])])).toEqual([
    { channels: ['email'], kind: 'sent', turns: [['SES'], ['SMTP']] },
    { channels: ['sms'], kind: 'sent', turns: [['Twilio']] },
    { channels: ['push', 'direct_message', 'inbox', 'webhook'], kind: 'mailbox', turns: [] },
  ])
})

test('integrations with a weight share the first turn', () => {
  const rows = ['A', 'B', 'C'].map((title) => integration(title, ['email'], title === 'B' ? {} : { weight: 1 }))
  expect(channelRoutes(rows)[0]?.turns).toEqual([['A', 'C'], ['B']])
})

test('a channel whose integrations are switched off goes nowhere', () => {
  const routes = channelRoutes([integration('SES', ['email'], { enabled: false })])
  expect(routes).toEqual([
    { channels: ['email', 'sms', 'push', 'direct_message', 'inbox', 'webhook'], kind: 'none', turns: [] },
  ])
})
