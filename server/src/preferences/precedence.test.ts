/** Promises of precedence: the entries that a document makes, and the one that decides. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { PreferenceEntry, PreferenceSource } from '../messages/facts.ts'
import {
  documentEntries,
  type ResolvedPreferences,
  resolvePreferences,
  type TopicFacts,
  topicEntries,
} from './precedence.ts'

describe('entries', () => {
  const about = { event: 'shipped', notification: 'N1', category: 'news' }
  const out = { status: 'OPTED_OUT' }

  test('the notification comes before its category, its id before the event', () => {
    const document = { notifications: { N1: { status: 'OPTED_IN' }, shipped: out }, categories: { news: out } }
    expect(documentEntries('recipient', document, about)).toEqual([
      { source: 'recipient', status: 'OPTED_IN' },
      { source: 'recipient', status: 'OPTED_OUT' },
    ])
    expect(documentEntries('list', { notifications: { shipped: out } }, about)).toEqual([
      { source: 'list', status: 'OPTED_OUT' },
    ])
  })

  test('other notifications, other categories and inherited names say nothing', () => {
    const document = { notifications: { N2: out }, categories: { sport: out } }
    expect(documentEntries('recipient', document, about)).toEqual([])
    const odd = { event: 'toString', notification: 'constructor', category: '__proto__' }
    expect(documentEntries('recipient', { notifications: {}, categories: {} }, odd)).toEqual([])
  })

  test.each([undefined, null, 'text', [], { notifications: [] }, { notifications: { N1: 'OPTED_OUT' } }])(
    '%j is no document',
    (document) => {
      expect(documentEntries('list', document, about)).toEqual([])
    },
  )

  test('snoozes are read in every spelling, and left out where they cannot be', () => {
    const rules = [
      { type: 'snooze', until: '1970-01-01T00:00:05Z' },
      { until: '6000', start: 2_000 },
      { type: 'snooze', until: 7_000, start: null },
      { type: 'snooze', until: 'soon' },
      { type: 'snooze', until: 8_000, start: 'soon' },
      { type: 'status', until: 9_000 },
      { type: 'snooze' },
      'snooze',
    ]
    expect(documentEntries('recipient', { notifications: { N1: { rules } } }, about)).toEqual([
      {
        source: 'recipient',
        snoozes: [{ until: 5_000 }, { start: 2_000, until: 6_000 }, { until: 7_000 }],
        endlessSnooze: true,
      },
    ])
  })

  test('channels are the named ones in their order; an empty list and an odd status say nothing', () => {
    const entry = { status: 'MAYBE', channel_preferences: [{ channel: 'sms' }, {}, 'push', { channel: 'email' }] }
    expect(documentEntries('send', { notifications: { N1: entry } }, about)).toEqual([
      { source: 'send', channels: ['sms', 'email'] },
    ])
    expect(documentEntries('send', { notifications: { N1: { channel_preferences: [] } } }, about)).toEqual([
      { source: 'send' },
    ])
  })

  test('choices come from the user in the tenant down to the topic', () => {
    const choice = (status: string, ...custom_routing: string[]) => ({
      status,
      has_custom_routing: custom_routing.length > 0,
      custom_routing,
    })
    const facts: TopicFacts = {
      in_tenant: choice('OPTED_IN', 'sms'),
      anywhere: { ...choice('OPTED_OUT'), custom_routing: ['email'] },
      tenants: [
        { tenant: 'acme', ...choice('REQUIRED') },
        { tenant: 'group', ...choice('OPTED_OUT', 'push') },
      ],
      topic: choice('OPTED_IN', 'email', 'push'),
    }
    expect(topicEntries(facts, 'acme')).toEqual([
      { source: 'recipient', status: 'OPTED_IN', channels: ['sms'], tenant: 'acme' },
      { source: 'recipient', status: 'OPTED_OUT' },
      { source: 'tenant', status: 'REQUIRED', tenant: 'acme' },
      { source: 'tenant', status: 'OPTED_OUT', channels: ['push'], tenant: 'group' },
      { source: 'topic', status: 'OPTED_IN', channels: ['email', 'push'] },
    ])
    expect(topicEntries({ in_tenant: null, anywhere: null, tenants: null, topic: null }, undefined)).toEqual([])
  })
})

describe('resolution', () => {
  const NOW = 1_000
  const opted = (source: PreferenceSource, status: PreferenceEntry['status']): PreferenceEntry =>
    status ? { source, status } : { source }
  const snoozed = (source: PreferenceSource, until: number, start?: number): PreferenceEntry => ({
    source,
    snoozes: [{ until, ...(start !== undefined && { start }) }],
  })
  const through = (source: PreferenceSource, ...channels: string[]): PreferenceEntry => ({ source, channels })

  /** From high to low; `in`, `out` and `must` are statuses, `-` says nothing. */
  const said: Record<string, PreferenceEntry['status']> = { in: 'OPTED_IN', out: 'OPTED_OUT', must: 'REQUIRED' }
  const sources: PreferenceSource[] = [
    'send',
    'subscription',
    'list',
    'recipient',
    'recipient',
    'tenant',
    'tenant',
    'topic',
  ]

  test.each([
    // send, subscription, list, in the tenant, anywhere, tenant, tenant above, topic
    ['-', '-', '-', '-', '-', '-', '-', '-', 'allowed', undefined],
    ['-', '-', '-', '-', '-', '-', '-', 'in', 'allowed', 7],
    ['-', '-', '-', '-', '-', '-', '-', 'out', 'not_opted_in', 7],
    ['-', '-', '-', '-', '-', '-', 'in', 'out', 'allowed', 6],
    ['-', '-', '-', '-', '-', '-', 'out', 'in', 'not_opted_in', 6],
    ['-', '-', '-', '-', '-', 'in', 'out', 'in', 'allowed', 5],
    ['-', '-', '-', '-', 'in', 'out', 'out', 'out', 'allowed', 4],
    ['-', '-', '-', '-', 'out', 'in', 'in', 'in', 'opted_out', 4],
    ['-', '-', '-', 'in', 'out', '-', '-', '-', 'allowed', 3],
    ['-', '-', '-', 'out', 'in', '-', '-', '-', 'opted_out', 3],
    ['-', '-', 'in', 'out', 'out', '-', '-', '-', 'allowed', 2],
    ['-', '-', 'out', 'in', 'in', '-', '-', '-', 'opted_out', 2],
    ['-', 'in', 'out', 'out', '-', '-', '-', '-', 'allowed', 1],
    ['-', 'out', 'in', 'in', '-', '-', '-', '-', 'opted_out', 1],
    ['in', 'out', 'out', 'out', 'out', 'out', 'out', 'out', 'allowed', 0],
    ['out', 'in', 'in', 'in', 'in', 'in', 'in', 'in', 'opted_out', 0],
    // A required topic is sent, unless the send itself opts out.
    ['-', 'out', 'out', 'out', 'out', '-', '-', 'must', 'allowed', 7],
    ['-', 'out', '-', '-', '-', 'must', '-', 'out', 'allowed', 5],
    ['-', '-', '-', '-', '-', '-', 'must', 'out', 'allowed', 6],
    ['out', '-', '-', '-', '-', '-', '-', 'must', 'opted_out', 0],
    // A nearer default takes the place of a required one further away.
    ['-', '-', '-', '-', 'out', 'in', '-', 'must', 'opted_out', 4],
    ['-', '-', '-', '-', '-', 'out', '-', 'must', 'not_opted_in', 5],
    // Only a default can require.
    ['-', '-', 'out', 'must', '-', '-', '-', 'in', 'opted_out', 2],
    ['-', '-', '-', 'must', 'out', '-', '-', 'out', 'allowed', 3],
  ] as const)('%s %s %s %s %s %s %s %s is %s by number %s', (...row) => {
    const entries = row.slice(0, 8).map((word, at) => opted(sources[at]!, said[word as string]))
    const { verdict, by } = resolvePreferences(entries, NOW)
    expect([verdict, by && entries.indexOf(by)]).toEqual([row[8], row[9]])
  })

  describe('a snooze', () => {
    test.each([
      ['without a start silences until its end', snoozed('recipient', NOW + 1), 'snoozed'],
      ['that has ended does not', snoozed('recipient', NOW), 'allowed'],
      ['that has not started does not', snoozed('recipient', NOW + 9, NOW + 1), 'allowed'],
      ['that begins now does', snoozed('recipient', NOW + 9, NOW), 'snoozed'],
      [
        'counts although its owner opted in',
        { ...snoozed('recipient', NOW + 9), status: 'OPTED_IN' } as PreferenceEntry,
        'snoozed',
      ],
    ])('%s', (_what, entry, verdict) => {
      expect(resolvePreferences([entry], NOW).verdict).toBe(verdict)
    })

    test('says when it ends', () => {
      expect(resolvePreferences([snoozed('recipient', 5_000)], NOW).until).toBe(5_000)
    })

    test('does not apply to a required topic, nor to entries of higher precedence', () => {
      const snooze = snoozed('recipient', NOW + 9)
      expect(resolvePreferences([snooze, opted('topic', 'REQUIRED')], NOW).verdict).toBe('allowed')
      expect(resolvePreferences([opted('send', 'OPTED_IN'), snooze], NOW).verdict).toBe('allowed')
    })
  })

  describe('channels', () => {
    test('are those of the first entry that names any, independent of the entry that decides the status', () => {
      const entry = through('recipient', 'sms')
      const resolved = resolvePreferences([opted('send', 'OPTED_IN'), entry, through('topic', 'email')], NOW)
      expect([resolved.verdict, resolved.channelsBy, resolved.channelsYield]).toEqual(['allowed', entry, false])
    })

    test('are ignored if none works, where they are a default or the topic is required', () => {
      expect(resolvePreferences([through('tenant', 'sms')], NOW).channelsYield).toBe(true)
      expect(resolvePreferences([through('recipient', 'sms'), opted('topic', 'REQUIRED')], NOW).channelsYield).toBe(
        true,
      )
    })

    test('an entry that names only channels leaves the status to the entries after it', () => {
      expect(resolvePreferences([through('send', 'sms'), opted('recipient', 'OPTED_OUT')], NOW).verdict).toBe(
        'opted_out',
      )
    })
  })

  /** The same said the other way round: from the last to the first, each puts what it says over what was there. */
  function modeled(entries: readonly PreferenceEntry[]): Pick<ResolvedPreferences, 'verdict' | 'by' | 'channelsBy'> {
    const defaults = entries.filter(({ source }) => source === 'tenant' || source === 'topic')
    const [first] = defaults.filter(({ status }) => status)
    const mandatory = first?.status === 'REQUIRED' ? first : undefined
    const over = entries.reduceRight<Pick<ResolvedPreferences, 'verdict' | 'by'>>(
      (below, entry) => {
        if (mandatory && entry !== mandatory && entry.source !== 'send') return below
        const asleep = entry.snoozes?.some(({ start = 0, until }) => start <= NOW && until > NOW)
        if (entry.status === 'OPTED_OUT')
          return { verdict: defaults.includes(entry) ? 'not_opted_in' : 'opted_out', by: entry }
        if (asleep) return { verdict: 'snoozed', by: entry }
        return entry.status ? { verdict: 'allowed', by: entry } : below
      },
      { verdict: 'allowed' },
    )
    const channelsBy = entries.reduceRight<PreferenceEntry | undefined>(
      (below, entry) => (entry.channels?.length ? entry : below),
      undefined,
    )
    return { ...over, ...(channelsBy && { channelsBy: channelsBy as NonNullable<ResolvedPreferences['channelsBy']> }) }
  }

  const entry = fc.record(
    {
      source: fc.constantFrom<PreferenceSource>('send', 'subscription', 'list', 'recipient', 'tenant', 'topic'),
      status: fc.constantFrom<'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED'>('OPTED_IN', 'OPTED_OUT', 'REQUIRED'),
      channels: fc.array(fc.constantFrom('email', 'sms', 'push'), { maxLength: 2 }),
      snoozes: fc.array(
        fc.record(
          { start: fc.integer({ min: 0, max: 2_000 }), until: fc.integer({ min: 0, max: 2_000 }) },
          {
            requiredKeys: ['until'],
          },
        ),
        { maxLength: 1 },
      ),
    },
    { requiredKeys: ['source'] },
  ) as fc.Arbitrary<PreferenceEntry>

  test('weighing is the same as putting each over those after it', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 9 }), (entries) => {
        const { verdict, by, channelsBy } = resolvePreferences(entries, NOW)
        expect({ verdict, ...(by && { by }), ...(channelsBy && { channelsBy }) }).toEqual(modeled(entries))
      }),
      { numRuns: 2_000 },
    )
  })
})
