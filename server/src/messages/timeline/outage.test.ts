/** The result of a message in an outage: the route it took, compared with those that are left. */
import type { Channel, OutageResult, OutageRoute } from '@postrider/contract'
import { expect, test } from 'vitest'
import { outageResult } from './outage.ts'

const by = (channel: Channel, integration: string): OutageRoute => ({ channel, provider: 'p', integration })
const first = by('email', 'first')
const second = by('email', 'second')
const third = by('email', 'third')
const text = by('sms', 'text')

test.each<[string, OutageRoute[], OutageRoute[], boolean, OutageResult]>([
  ['an integration that is up has sent it', [second], [second], false, 'same'],
  ['it failed over before, and is called without that now', [text, second], [second], false, 'same'],
  ['the next integration of the channel takes over', [first], [second], false, 'other_integration'],
  ['another integration is the next one since', [second], [third], false, 'other_integration'],
  ['another channel takes over', [first], [text], false, 'other_channel'],
  ['both channels were used, and one is left', [first, text], [text], false, 'fewer_channels'],
  ['both channels are used, one by its next integration', [first, text], [second, text], false, 'other_integration'],
  ['the recipient has another address since', [second], [text], false, 'other_channel'],
  ['nothing else could deliver it', [first], [], true, 'waits'],
  ['the recipient has opted out since', [first], [], false, 'not_delivered'],
])('%s', (_case, before, during, waits, expected) =>
  expect(outageResult({ before, during, waits, integrationId: 'first', down: new Set(['first']) })).toBe(expected),
)
