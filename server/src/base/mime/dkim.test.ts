/** Signatures cover what readers see and what they unsubscribe with. That they verify is shown in test/conformance/providers. */
import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { signedMail } from './dkim.ts'

const ed25519 = generateKeyPairSync('ed25519').privateKey
const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 }).privateKey
const domain = { domain: 'example.com', keys: [{ selector: 's1', key: ed25519 }] }

/** RFC 8463, appendix A.2. */
const mail = [
  'From: Joe SixPack <joe@football.example.com>',
  'To: Suzie Q <suzie@shopping.example.net>',
  'Subject: Is dinner ready?',
  'Date: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)',
  'Message-ID: <20030712040037.46341.5F8J@football.example.com>',
  'X-Team: blue',
  'List-Unsubscribe: <https://example.com/u/1>',
  'List-Unsubscribe-Post: List-Unsubscribe=One-Click',
  '',
  'Hi.',
  '',
  'We lost the game.  Are you hungry yet?',
  '',
  'Joe.',
  '',
].join('\r\n')

/** The signatures of a signed mail, by their tags, without folding blanks. */
function signaturesOf(text: string): Record<string, string>[] {
  const fields = text.split(/\r\n(?![ \t])/).filter((field) => field.startsWith('DKIM-Signature:'))
  return fields.map((field) =>
    Object.fromEntries(
      field
        .slice(field.indexOf(':') + 1)
        .replace(/\s/g, '')
        .split(';')
        .map((tag) => [tag.slice(0, tag.indexOf('=')), tag.slice(tag.indexOf('=') + 1)]),
    ),
  )
}

test('a signature says by whom, over what, and has the body hash of the example of RFC 8463', async () => {
  const text = await signedMail(mail, domain, 1_528_637_909_999)
  expect(text.endsWith(mail)).toBe(true)
  expect(signaturesOf(text)).toEqual([
    {
      v: '1',
      a: 'ed25519-sha256',
      c: 'relaxed/relaxed',
      d: 'example.com',
      s: 's1',
      t: '1528637909',
      h: 'from:from:to:to:cc:reply-to:subject:subject:date:date:content-type:message-id:list-unsubscribe:list-unsubscribe-post',
      bh: '2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=',
      b: expect.stringMatching(/^[\w+/]{86}==$/),
    },
  ])
  for (const line of text.split('\r\n')) expect(line.length).toBeLessThanOrEqual(78)
})

test('each key has a signature of its own, the same for the same mail', async () => {
  const both = { domain: 'example.com', keys: [...domain.keys, { selector: 's2', key: rsa }] }
  const text = await signedMail(mail, both, 0)
  expect(signaturesOf(text).map(({ a, s }) => [a, s])).toEqual([
    ['ed25519-sha256', 's1'],
    ['rsa-sha256', 's2'],
  ])
  expect(await signedMail(mail, both, 0)).toBe(text)
})

const bodyHash = async (body: string) =>
  signaturesOf(await signedMail(`From: a@example.com\r\n\r\n${body}`, domain, 0))[0]?.bh

test('blanks that mail servers change are not signed', async () => {
  const hash = await bodyHash('a b\r\n\r\nc\r\n')
  for (const body of ['a  b\r\n\r\nc\r\n', 'a\tb \r\n \r\nc', 'a b\r\n\r\nc \t\r\n\r\n \r\n'])
    expect(await bodyHash(body)).toBe(hash)
  for (const body of ['ab\r\n\r\nc\r\n', ' a b\r\n\r\nc\r\n', 'a b\r\nc\r\n'])
    expect(await bodyHash(body)).not.toBe(hash)
  // RFC 6376 §3.4.4: the hash of nothing.
  for (const body of ['', '\r\n\r\n', ' \r\n'])
    expect(await bodyHash(body)).toBe('47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=')
})

test('a large body is hashed as a whole, and other work has its turn meanwhile', async () => {
  const lines = 'Lorem ipsum  dolor sit amet\r\n'.repeat(40_000)
  let turns = 0
  let isHashed = false
  const count = () => {
    turns += 1
    if (!isHashed) setImmediate(count)
  }
  setImmediate(count)
  const hash = await bodyHash(lines)
  isHashed = true
  expect(turns).toBeGreaterThanOrEqual(3)
  expect(hash).toBe(await bodyHash(lines.replaceAll('  ', ' ')))
  expect(hash).not.toBe(await bodyHash(`${lines}x`))
})
