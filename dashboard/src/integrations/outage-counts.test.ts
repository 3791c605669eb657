/** Messages of an outage are counted by the route that is left to them, and those that are not sent come last. */
import type { Channel, OutageMessage } from '@postrider/client'
import { expect, test } from 'vitest'
import { lostChannels, outageCounts } from './outage-counts.ts'

const by = (channel: Channel, integration: string) => ({ channel, provider: 'p', integration, title: integration })
const message = (result: OutageMessage['result'], ...during: OutageMessage['during']) => ({ result, during })

test('messages with one route are one count, whatever it replaces', () => {
  const counts = outageCounts([
    message('not_delivered'),
    message('not_delivered'),
    message('not_delivered'),
    message('waits'),
    message('fewer_channels', by('sms', 'texts')),
    message('other_channel', by('sms', 'texts')),
    message('same', by('email', 'second')),
    message('other_integration', by('email', 'second')),
    message('other_channel', by('email', 'second'), by('sms', 'texts')),
  ])
  expect(counts.map(({ key, count }) => [key, count])).toEqual([
    ['email second', 2],
    ['fewer_channels sms texts', 1],
    ['sms texts', 1],
    ['email second, sms texts', 1],
    ['waits', 1],
    ['not_delivered', 3],
  ])
})

test('no messages have no counts', () => expect(outageCounts([])).toEqual([]))

test('a channel is lost when none of its integrations is left', () => {
  const before = [by('email', 'first'), by('sms', 'texts'), by('inbox', 'inbox')]
  expect(lostChannels(before, [by('email', 'second'), by('inbox', 'inbox')])).toEqual(['sms'])
})
