/** Rows name integrations by the key of the provider, and by the title where that is not enough. */
import { expect, test } from 'vitest'
import { alikeTitles } from './alike-integrations.ts'

const integration = (id: string, provider: string, channel: 'email' | 'sms', title = `Title ${id}`) => ({
  ...{ id, provider, title, channels: [channel] },
})

test('titles tell apart the integrations of one provider on a channel, and no others', () => {
  const titles = alikeTitles([
    integration('A', 'smtp', 'email'),
    integration('B', 'smtp', 'email'),
    integration('C', 'sendgrid', 'email'),
    integration('D', 'twilio', 'sms'),
    integration('E', 'smtp', 'email', ''),
  ])
  expect([...titles]).toEqual([
    ['A', 'Title A'],
    ['B', 'Title B'],
  ])
})

test('one provider on two channels needs no title', () => {
  expect(alikeTitles([integration('A', 'twilio', 'sms'), integration('B', 'twilio', 'email')]).size).toBe(0)
})
