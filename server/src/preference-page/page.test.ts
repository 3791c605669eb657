/** Forms of the page become choices, the page is the same in every language, and names in it are never markup. */
import { describe, expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { secretKey } from '../base/secret.ts'
import { DAY } from '../base/time/duration.ts'
import type { SectionRow, TopicRow } from '../database/tables/preferences/topics.ts'
import { offeredSections } from './choices.ts'
import { earlierText, formToken, readSubmission } from './form.ts'
import { preferencePage } from './page.ts'
import type { PageData } from './page-data.ts'
import { submitted } from './submit.ts'
import { textsFor } from './texts.ts'

const authored = { created: 0, updated: 0, creator: '', updater: '' }
const section: SectionRow = {
  ...authored,
  ...{ id: 's', name: 'Shop', routingOptions: ['email', 'sms'], hasCustomRouting: true },
}
const topic = (id: string, defaultStatus: string, settings: TopicRow['settings'] = {}): TopicRow => ({
  ...authored,
  ...{ id, sectionId: 's', name: `<b>${id}`, defaultStatus, settings },
})
const topics = [
  topic('news', 'OPTED_IN', { allowed_preferences: ['channel_preferences'] }),
  topic('offers', 'OPTED_OUT'),
  topic('security', 'REQUIRED'),
]
type Preference = Parameters<typeof offeredSections>[2][number]
const preferences = (over: Record<string, Partial<Preference>> = {}) =>
  topics.map(({ id, name, defaultStatus }) => {
    const status = defaultStatus as Preference['status']
    const none = { has_custom_routing: false, custom_routing: [] }
    const named = { topic_id: id, topic_name: name, section_id: 's', section_name: 'Shop' }
    return { ...named, default_status: status, status, ...none, ...over[id] }
  })
const dataOf = (
  over: Record<string, Partial<Preference>> = {},
  storedChoices: PageData['storedChoices'] = new Map(),
): PageData => ({
  sections: offeredSections([section], topics, preferences(over)),
  ...{ storedChoices, brand: undefined, name: '', locale: undefined },
})
const link = { workspaceId: 1, userId: 'ada', tenantId: '', topicId: 'news', messageId: 'm' }

const key = secretKey(Buffer.alloc(32, 7))
const now = 1_700_000_000_000
const read = (fields: [string, string][], more: { at?: number; link?: string; contentType?: string } = {}) => {
  const body = Buffer.from(new URLSearchParams(fields).toString())
  return readSubmission(key, {
    ...{ link: more.link ?? 'link', body, now: more.at ?? now },
    contentType: more.contentType ?? 'application/x-www-form-urlencoded',
  })
}
const form = (action: string, ...fields: [string, string][]): [string, string][] => [
  ['action', action],
  ['form', formToken(key, 'link', now)],
  ...fields,
]
const off = { hasCustomRouting: false, customRouting: [] }

describe('a form', () => {
  test('is one click with one field, and nothing without an action', () => {
    expect(read([['List-Unsubscribe', 'One-Click']])).toEqual({ kind: 'one_click' })
    expect(read([['List-Unsubscribe', 'Two-Clicks']])).toEqual({ kind: 'unknown' })
    expect(read([])).toEqual({ kind: 'unknown' })
  })

  test('needs a token of the same link, for a day', () => {
    expect(read(form('unsubscribe'))).toEqual({ kind: 'unsubscribe' })
    expect(read(form('unsubscribe'), { at: now + DAY - 1 })).toEqual({ kind: 'unsubscribe' })
    expect(read(form('unsubscribe'), { at: now + DAY })).toEqual({ kind: 'expired' })
    expect(read(form('unsubscribe'), { link: 'other' })).toEqual({ kind: 'expired' })
    expect(read([['action', 'unsubscribe']])).toEqual({ kind: 'expired' })
  })

  test('a multipart body of a megabyte is not searched to its end', async () => {
    const body = Buffer.from('name=List-Unsubscribe\r\n'.repeat(40_000))
    const contentType = 'multipart/form-data; boundary=x'
    const submission = { link: 'link', body, contentType, now }
    await withinWork(250, () => expect(readSubmission(key, submission)).toEqual({ kind: 'unknown' }))
  })
})

describe('a submission', () => {
  const result = (fields: [string, string][], data = dataOf()) => submitted(read(fields), link, data)

  test('unsubscribes from the topic of the link; a repeated one writes nothing', () => {
    const out = { topicId: 'news', status: 'OPTED_OUT', ...off }
    const first = result(form('unsubscribe'))
    expect(first).toMatchObject({ put: [out], remove: [], notice: { kind: 'unsubscribed' } })
    expect(first.earlier).toEqual([{ topicId: 'news', status: null, ...off }])
    const pageData = dataOf({ news: { status: 'OPTED_OUT' } }, new Map([['news', out]]))
    expect(result(form('unsubscribe'), pageData)).toMatchObject({ put: [], notice: { kind: 'unsubscribed' } })
    // Archived since: the choice counts when it is offered again.
    expect(submitted({ kind: 'one_click' }, { ...link, topicId: 'gone' }, dataOf()).put).toMatchObject([
      { topicId: 'gone', status: 'OPTED_OUT' },
    ])
    expect(submitted({ kind: 'one_click' }, { ...link, topicId: '' }, dataOf()).put).toEqual([])
  })

  test.each([
    ['the same', ['news', 'security'], ['email', 'sms'], []],
    ['one more topic', ['news', 'offers'], ['email', 'sms'], [{ topicId: 'offers', status: 'OPTED_IN', ...off }]],
    ['a required one that is left out', ['news'], ['email', 'sms'], []],
    [
      'fewer channels',
      ['news'],
      ['sms'],
      [{ topicId: 'news', status: 'OPTED_IN', hasCustomRouting: true, customRouting: ['sms'] }],
    ],
    ['no channel, which is none of it', ['news'], [], [{ topicId: 'news', status: 'OPTED_OUT', ...off }]],
  ] as [string, string[], string[], unknown[]][])('saves what has changed: %s', (_case, on, channels, put) => {
    const shown = topics.map(({ id }): [string, string] => ['topic', id])
    const checked = on.map((id): [string, string] => ['on', id])
    const byChannel = channels.map((name): [string, string] => ['channel', `news ${name}`])
    expect(result(form('save', ...shown, ...checked, ...byChannel)).put).toEqual(put)
  })

  test('leaves topics alone that the page did not show', () => expect(result(form('save')).put).toEqual([]))

  test('switches everything off, and an undo restores what was stored', () => {
    const storedChoice = { topicId: 'news', status: 'OPTED_IN', hasCustomRouting: true, customRouting: ['sms'] }
    const data = dataOf(
      { news: { has_custom_routing: true, custom_routing: ['sms'] }, offers: { status: 'OPTED_IN' } },
      new Map([['news', storedChoice]]),
    )
    const all = result(form('unsubscribe_all'), data)
    expect(all.put.map(({ topicId, status }) => [topicId, status])).toEqual([
      ['news', 'OPTED_OUT'],
      ['offers', 'OPTED_OUT'],
    ])
    const before = all.earlier.map((choice): [string, string] => ['before', earlierText(choice)])
    const after = dataOf({}, new Map(all.put.map((choice) => [choice.topicId, choice])))
    const undoForm = (...fields: [string, string][]): [string, string][] => [
      ['action', 'undo'],
      ['form', formToken(key, 'link', now, all.earlier)],
      ...fields,
    ]
    const undo = result(undoForm(...before), after)
    expect([undo.put, undo.remove, undo.earlier]).toEqual([[storedChoice], ['offers'], []])
    // Changed, added, repeated and left out, and without the token of this undo: nothing is written.
    const evil: [string, string] = ['before', 'OPTED_IN evil,channel news']
    for (const fields of [
      undoForm(evil),
      undoForm(...before, evil),
      undoForm(...before, ...before),
      undoForm(...before.slice(1)),
      form('undo', evil),
      form('undo', ...before),
    ])
      expect(result(fields, after)).toMatchObject({ put: [], remove: [], notice: { kind: 'expired' } })
  })

  test('a topic that is named twice is saved once', () => {
    const twice: [string, string] = ['topic', 'news']
    expect(result(form('save', twice, twice)).put).toEqual([{ topicId: 'news', status: 'OPTED_OUT', ...off }])
  })
})

test.each(['en', 'de', 'fr', 'es', 'ar', 'it', 'xx'])(
  'in %s the page has every text, and names are no markup',
  (locale) => {
    const texts = textsFor(locale, undefined)
    const { html, policy } = preferencePage({
      ...{ texts, brand: undefined, name: '<i>Acme', earlier: [], formToken: 'token', undoToken: 'undo' },
      sections: dataOf().sections,
      notice: { kind: 'unsubscribed', topic: '<u>' },
      focus: dataOf().sections[0]?.topics[0],
    })
    expect(html).toContain(`<html lang="${texts.lang}" dir="${texts.dir}">`)
    expect(html).not.toMatch(/<script|<b>|<i>|<u>|\{topic\}|undefined/)
    expect(policy).toContain("default-src 'none'")
  },
)

const pageWithLogo = (src: string, dark?: string) =>
  preferencePage({
    ...{ texts: textsFor('en', undefined), name: 'Acme', earlier: [], formToken: 'token', undoToken: 'undo' },
    ...{ sections: [], notice: undefined, focus: undefined },
    brand: { logo: { src, dark, width: 160, href: undefined, alt: 'Acme' } },
  })
const imagesIn = (policy: string) => policy.split('; ').filter((directive) => directive.startsWith('img-src'))

test('the policy names the origins of the logo, without the rest of their addresses', () => {
  const { html, policy } = pageWithLogo('https://me:secret@CDN.example:8443/a;b,c.png?d', 'http://bücher.example/e')
  expect(html).toContain('<img src=')
  expect(imagesIn(policy)).toEqual(['img-src data: https://cdn.example:8443 http://xn--bcher-kva.example'])
})

test.each([
  ...['https://a;sandbox/', 'https://a;script-src/', 'https://a,b/', "https://'self'/", 'https://*/', 'https://*.a/'],
  ...[
    'https://a"b/',
    'https://a&b/',
    'https://a%3Bb/',
    'https://a b/',
    'https://[::1]/',
    'javascript:alert(1)',
    'a.png',
  ],
])('a logo of %s is not shown, and is not in the policy', (src) => {
  const plain = pageWithLogo('').policy
  const { html, policy } = pageWithLogo(src, src)
  expect(html).not.toContain('<picture>')
  expect(policy).toBe(plain)
  expect(pageWithLogo('https://cdn.example/a.png', src).policy).toBe(
    plain.replace('img-src data:', 'img-src data: https://cdn.example'),
  )
})

test.each([
  ['de-AT', 'fr', 'de'],
  [undefined, 'xx, fr;q=0.5, es;q=0.9', 'es'],
  ['xx', 'pt-BR,ar;q=0.1', 'ar'],
  [5, undefined, 'en'],
  [undefined, '*;q=0, ,;', 'en'],
])('the profile has %s, the browser %s: %s', (locale, accepted, lang) =>
  expect(textsFor(locale, accepted).lang).toBe(lang),
)
