/** The rules promise: programs are distinguished from people by their requests, and by the events around them. */
import { describe, expect, test } from 'vitest'
import { automatedReason, clickReason } from './automated-requests.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'
const OUTLOOK =
  'Mozilla/4.0 (compatible; MSIE 7.0; Windows NT 10.0; Trident/7.0; Microsoft Outlook 16.0.17928; ms-office; MSOffice 16)'
const GMAIL_PROXY = 'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)'
const GMAIL_PREFETCH =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/42.0.2311.135 Safari/537.36 Edge/12.246 Mozilla/5.0'
const LATER = 60_000

test.each([
  ['a browser', CHROME, {}, undefined],
  ['Mail without its privacy proxy', IPHONE, {}, undefined],
  ['Outlook on a desktop', OUTLOOK, {}, undefined],
  ['the Gmail proxy: a person opens through it', GMAIL_PROXY, {}, undefined],
  ['the Yahoo proxy', 'YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html', {}, undefined],
  ['an Android app', 'Dalvik/2.1.0 (Linux; U; Android 14; Pixel 8) okhttp/4.12.0', {}, undefined],
  ['a phone by the name of a bot', 'Mozilla/5.0 (Linux; Android 14; CUBOT X90) Chrome/131.0.0.0', {}, undefined],
  ['Apple Mail Privacy Protection', 'Mozilla/5.0', {}, 'privacy_proxy'],
  ['Gmail, before it shows a mail', GMAIL_PREFETCH, {}, 'prefetch'],
  ['Gmail, sampling', 'Mozilla/5.0 Edge/12.246 Gmail-content-sampling', {}, 'prefetch'],
  ['a prefetch of Chrome', CHROME, { 'sec-purpose': 'prefetch;prerender' }, 'prefetch'],
  ['a prefetch of Safari', IPHONE, { purpose: 'prefetch' }, 'prefetch'],
  ['a preview of Safari', IPHONE, { 'x-purpose': 'preview' }, 'prefetch'],
  ['a prefetch of Firefox', CHROME, { 'x-moz': 'prefetch' }, 'prefetch'],
  ['Barracuda', 'Barracuda Sentinel (EE)', {}, 'scanner'],
  ['Mimecast', 'Mozilla/5.0 (compatible; Mimecast-URL-Protect)', {}, 'scanner'],
  ['Proofpoint', 'Mozilla/5.0 (Proofpoint URL Defense)', {}, 'scanner'],
  ['Safe Links', `${CHROME} BingPreview/1.0b`, {}, 'scanner'],
  ['a crawler', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', {}, 'program'],
  ['a preview of a chat', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)', {}, 'program'],
  ['WhatsApp', 'WhatsApp/2.24.20', {}, 'program'],
  ['a script', 'curl/8.9.1', {}, 'program'],
  ['a library', 'python-requests/2.32.3', {}, 'program'],
  ['a headless browser', 'Mozilla/5.0 (X11; Linux x86_64) HeadlessChrome/131.0.0.0', {}, 'program'],
  ['no name', undefined, {}, 'program'],
] as const)('%s', (_, agent, headers, reason) => {
  expect(automatedReason({ method: 'GET', headers: { 'user-agent': agent, ...headers }, afterMs: LATER })).toBe(reason)
})

test('a request for the headers only, and one within two seconds of sending', () => {
  const headers = { 'user-agent': CHROME }
  expect(automatedReason({ method: 'HEAD', headers, afterMs: LATER })).toBe('head')
  expect(automatedReason({ method: 'GET', headers, afterMs: 1_999 })).toBe('instant')
  // The clock of another node.
  expect(automatedReason({ method: 'GET', headers, afterMs: -50 })).toBe('instant')
  expect(automatedReason({ method: 'GET', headers, afterMs: 2_000 })).toBeUndefined()
})

describe('a click, with what is around it', () => {
  const click = { link: 'a', at: 10_000, isEarly: false }
  const none = { clicks: [], isOpened: false, autoClickedAt: undefined }
  const clicks = [
    { link: 'a', at: 10_000 },
    { link: 'b', at: 10_400 },
    { link: 'c', at: 10_900 },
  ]
  test.each([
    ['one alone', click, none, undefined],
    ['two links', click, { ...none, clicks: clicks.slice(0, 2) }, undefined],
    [
      'one link three times',
      click,
      { ...none, clicks: [10_000, 10_300, 10_600].map((at) => ({ link: 'a', at })) },
      undefined,
    ],
    ['three links within a second', click, { ...none, clicks }, 'burst'],
    ['the last of three', { ...click, link: 'c', at: 10_900 }, { ...none, clicks }, 'burst'],
    [
      'three links within two seconds',
      click,
      { ...none, clicks: clicks.with(2, { link: 'c', at: 11_500 }) },
      undefined,
    ],
    ['beside a click of a program', click, { ...none, autoClickedAt: 9_500 }, 'burst'],
    ['long after a click of a program', click, { ...none, autoClickedAt: 1_000 }, undefined],
    ['early, and not opened', { ...click, isEarly: true }, none, 'unopened'],
    ['early, and opened', { ...click, isEarly: true }, { ...none, isOpened: true }, undefined],
  ] as const)('%s', (_, use, context, reason) => {
    expect(clickReason(use, context)).toBe(reason)
  })
})
