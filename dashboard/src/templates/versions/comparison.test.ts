/** A comparison of versions shows the candidates that differ, and why a draft fails. */
import type { ChangedMessage } from '@postrider/client'
import { expect, test } from 'vitest'
import { changedParts, failureOf, routeText } from './comparison.ts'

type Side = ChangedMessage['draft']
type Part = Side['rendered'][number]

const part = (words: string, more: Partial<Part> = {}): Part => ({
  channel: 'email',
  provider: 'smtp',
  content: { subject: 'Hi', title: 'Hi', html: `<p>${words}</p>`, text: words, body: words, blocks: [] },
  ...more,
})
const side = (...rendered: Part[]): Side => ({
  status: 'ROUTED',
  route: rendered.map(({ channel, provider }) => ({ channel, provider, integration: 'I' })),
  rendered,
})

test('only the candidates that differ are shown', () => {
  const sms = part('same', { channel: 'sms', provider: 'twilio' })
  const parts = changedParts({ published: side(part('a'), sms), draft: side(part('b'), sms) })
  expect(parts.map(({ channel, published, draft }) => [channel, published?.text, draft?.text])).toEqual([
    ['email', 'a', 'b'],
  ])
})

test('a candidate that one version lacks has one side', () => {
  const parts = changedParts({ published: side(part('a')), draft: side(part('a', { channel: 'sms' })) })
  expect(parts.map(({ channel, published, draft }) => [channel, published?.text, draft?.text])).toEqual([
    ['email', 'a', undefined],
    ['sms', undefined, 'a'],
  ])
})

test('a draft that fails says why, as the API does', () => {
  const { content: _, ...bare } = part('a', { error: 'The variable `count` has no value' })
  expect(failureOf({ fails: true, draft: side(bare) })).toBe('The variable `count` has no value')
  const stopped = { ...side(), status: 'FILTERED', reason: 'FILTERED', error: 'Not so' } as Side
  expect(failureOf({ fails: true, draft: stopped })).toBe('Not so')
  expect(failureOf({ fails: false, draft: stopped })).toBeUndefined()
  expect(changedParts({ published: side(part('a')), draft: side(bare) })[0]?.error).toBe(bare.error)
})

test('a route is one line', () => {
  expect(routeText(side(part('a'), part('a', { channel: 'sms', provider: 'twilio' })))).toBe(
    'email · smtp → sms · twilio',
  )
})
