/** A row shows the way of a message: the hop that delivered it is never hidden behind a number. */
import type { MessageProvider } from '@postrider/client'
import { expect, test } from 'vitest'
import { hopsOf, isBeside, isSentInPart, type NameOf, shownHops } from './message-hops.ts'

const by = (
  integration: string,
  status: MessageProvider['status'],
  more: Partial<MessageProvider> = {},
): MessageProvider => ({
  ...{
    integration,
    provider: integration.toLowerCase(),
    channel: { key: 'email', name: 'Email', template: 'email' },
    status,
  },
  ...more,
})
const nameOf: NameOf = ({ integration, provider }) => integration ?? provider

const rowOf = (providers: MessageProvider[], retry?: string) => {
  const next = {
    channel: 'sms',
    provider: 'twilio',
    integration: retry ?? '',
    attempts: 1,
    next_attempt_at: 9,
  } as const
  const { before, shown, after } = shownHops(hopsOf({ providers, ...(retry && { retry: next }) }, nameOf))
  return [before.length, ...shown.map(({ name }) => name), after.length]
}

test.each<[string, unknown[], unknown[]]>([
  ['two ways are both there', rowOf([by('A', 'UNDELIVERABLE'), by('B', 'SENT')]), [0, 'A', 'B', 0]],
  [
    'the one that delivers is the last',
    rowOf([by('A', 'UNDELIVERABLE'), by('B', 'UNDELIVERABLE'), by('C', 'DELIVERED')]),
    [2, 'C', 0],
  ],
  [
    'the one that delivers is the first',
    rowOf([by('A', 'DELIVERED'), by('B', 'UNDELIVERABLE'), by('C', 'UNDELIVERABLE')]),
    [2, 'A', 0],
  ],
  [
    'it stands between two that failed',
    rowOf([by('A', 'UNDELIVERABLE'), by('B', 'SENT'), by('C', 'UNDELIVERABLE')]),
    [2, 'B', 0],
  ],
  ['of several the furthest', rowOf([by('A', 'OPENED'), by('B', 'SENT'), by('C', 'SENT')]), [0, 'A', 2]],
  [
    'none delivers: the end',
    rowOf([by('A', 'UNDELIVERABLE'), by('B', 'UNDELIVERABLE'), by('C', 'UNDELIVERABLE')]),
    [2, 'C', 0],
  ],
  ['none has delivered yet: the next', rowOf([by('A', 'UNDELIVERABLE'), by('B', 'UNDELIVERABLE')], 'C'), [2, 'C', 0]],
])('%s', (_, row, expected) => {
  expect(row).toEqual(expected)
})

test('the devices of an integration are one hop, which has failed where all of them have', () => {
  const hops = hopsOf({ providers: [by('A', 'UNDELIVERABLE'), by('A', 'SENT'), by('A', 'UNDELIVERABLE')] }, nameOf)
  expect(hops).toEqual([{ channel: 'email', name: 'A', hasFailed: false, accepted: 'SENT', branch: undefined }])
})

const parts = [
  by('A', 'SENT', { branch: 0, attempts: 1 }),
  by('B', 'UNDELIVERABLE', { branch: 1, attempts: 1 }),
  by('C', 'UNDELIVERABLE', { branch: 1, attempts: 1 }),
]

test('a part that has failed beside one that has the message is shown with it', () => {
  expect(rowOf(parts)).toEqual([1, 'C', 'A', 0])
  expect(isSentInPart({ providers: parts })).toBe(true)
  const [failed, sent] = hopsOf({ providers: parts }, nameOf).slice(-2)
  expect(sent && isBeside(failed, sent)).toBe(true)
})

test.each([
  ['a failover', [by('A', 'UNDELIVERABLE', { attempts: 1 }), by('B', 'SENT', { attempts: 1 })]],
  ['a failover in one part', [by('B', 'UNDELIVERABLE', { branch: 0 }), by('A', 'SENT', { branch: 0 })]],
  [
    'a failover in one part, and another part that has it',
    [by('B', 'UNDELIVERABLE', { branch: 0 }), by('A', 'SENT', { branch: 0 }), by('C', 'SENT', { branch: 1 })],
  ],
  ['two parts that have it', [by('A', 'SENT', { branch: 0 }), by('B', 'DELIVERED', { branch: 1 })]],
])('%s is not sent in part', (_, providers) => {
  expect(isSentInPart({ providers })).toBe(false)
})

test('one that was never called has not failed, and is no hop beside those that were called', () => {
  const never = by('A', 'UNDELIVERABLE', { attempts: 0 })
  expect(hopsOf({ providers: [never] }, nameOf)).toMatchObject([{ name: 'A', hasFailed: false }])
  expect(rowOf([never, by('B', 'SENT', { attempts: 1 })])).toEqual([0, 'B', 0])
})
