/** Events of mail promise: a rejection of the sender or of the content suppresses no address, and only complaints are complaints. */
import { expect, test } from 'vitest'
import * as phrases from './bounce-phrases.ts'
import { blamesSender, complaintKind, isAboutAddress, saysMailboxStays, saysUnknownAddress } from './mail-events.ts'

test.each([
  ['550 5.1.1 <ada@example.com>: user unknown'],
  ['5.1.1'],
  ['smtp; 550-5.1.1 The email account does not exist. https://support.google.com/mail/?p=NoSuchUser'],
  ['550 5.1.10 RESOLVER.ADR.RecipientNotFound'],
  ['550 5.2.1 The email account is disabled'],
  ['550 5.4.1 Recipient address rejected: Access denied'],
  ['550 5.4.310 DNS domain example.com does not exist'],
  ['550 5.5.0 Requested action not taken: mailbox unavailable'],
  ['550 No such user here'],
  ['550 5.1.1 No such user; see https://www.spamhaus.org/faq'],
  ['552 1.2.3.4 user unknown'],
  ['Amazon SES has suppressed sending to this address because it has a recent history of bouncing'],
  ['550-5.1.1 The email account that you tried to reach does not exist'],
  ['550 <policy@example.com>: no such user'],
  ['550 5.1.1 <postmaster@relay.example>: Recipient address rejected: User unknown'],
  ['550 No such recipient here (mx1.barracudanetworks.com)'],
  ['host mx.proofpoint.com said: 550 Recipient unknown'],
  ['550 User unknown in relay recipient table'],
  ['550 No such user (Exim 4.94.2)'],
  ['Your mail from news@example.org to ada@example.com was rejected: 550 5.1.1 user unknown'],
  ['550 5.1.1 the server at 192.0.2.3 rejected it: no such user'],
  [''],
])('about the address: %s', (words) => expect(isAboutAddress(words)).toBe(true))

test.each([
  ['550 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using bl.example.net'],
  ['550 5.7.26 This mail is unauthenticated'],
  ['550 5.7.509 Access denied, sending domain does not pass DMARC verification'],
  ['550 5.1.8 Access denied, bad outbound sender'],
  ['553 5.1.7 The sender address is invalid'],
  ['552 5.2.2 The mailbox is full'],
  ['552 5.3.4 Message too big'],
  ['550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages'],
  ['554 5.6.0 Corrupt message content'],
  ['451 4.7.1 Greylisted'],
  ['554 4.4.7 Message expired'],
  ['550 5.0.0 rejected because of SPF'],
  ['550 SPF check failed'],
  ["552-5.2.2 The recipient's inbox is out of storage space"],
  ['550-5.7.26 This mail'],
  ['421-4.7.0 x'],
  ['550 5.1.1 [192.0.2.1] listed at spamhaus'],
  ['550 5.1.1 sender rejected'],
  ['553 5.1.1 http://www.spamhaus.org/query/bl?ip=192.0.2.222'],
  ['550 Rejected, see https://www.spamhaus.org/sbl/query'],
  ['550 Message rejected due to DMARC policy'],
  ['554 Your IP (192.0.2.1) is listed by zen.spamhaus.org'],
  ['550 Sender address rejected: not owned'],
  ['550 relay not permitted'],
  ['554 Message content was rejected'],
  ['550 This message looks like spam'],
  ['550 Rejected, see http://spf.example.net/why.html'],
  ["550 The sender's address is not one of ours"],
])('not about the address: %s', (words) => expect(isAboutAddress(words)).toBe(false))

test('a field and the words of the server are read together', () => {
  expect(isAboutAddress('5.0.0', '550 5.7.1 blocked')).toBe(false)
  expect(isAboutAddress('5.1.1', undefined, 7, '550 rejected by policy')).toBe(false)
  expect(isAboutAddress('5.1.1', undefined, 7, '550 user unknown')).toBe(true)
})

test.each([
  ['abuse', 'complained'],
  ['fraud', 'complained'],
  ['virus', 'complained'],
  ['other', 'complained'],
  ['', 'complained'],
  [null, 'complained'],
  ['not-spam', undefined],
  ['Not-Spam', undefined],
  ['auth-failure', undefined],
  ['opt-out', 'unsubscribed'],
])('a complaint of the type %j is %s', (type, kind) => expect(complaintKind(type)).toBe(kind))

test.each(Object.entries(phrases))(
  'the expressions of %s take time that grows no faster than the text',
  (_name, { source }) => {
    // A repetition without an end reads the whole text from each place where it begins.
    expect(source.match(/.{0,20}(?<!\\)(?:[*+]|\{\d+,\})/)?.[0]).toBeUndefined()
    // Two that fit the same letters are tried with each length of the one and each of the other.
    expect(source.match(/\\[wWsSdD]\{[^}]+\}(?:\.|\[\^[^\]]+\])\{.{0,10}/)?.[0]).toBeUndefined()
  },
)

test('only the beginning of an answer is read', () => {
  const after = (blanks: number, words: string) => `550 5.1.1 x${' '.repeat(blanks)}${words}`
  for (const [judge, words] of [
    [blamesSender, 'blocked using zen.spamhaus.org'],
    [blamesSender, 'in reply to MAIL FROM'],
    [blamesSender, 'https://www.spamhaus.org/query/ip/192.0.2.1'],
    [saysMailboxStays, 'mailbox is full'],
    [saysUnknownAddress, 'user unknown'],
    [(text: string) => !isAboutAddress(text), 'relay denied'],
    [(text: string) => !isAboutAddress(text), '550 5.7.1 x'],
  ] as const) {
    expect(judge(after(3_900, words))).toBe(true)
    expect(judge(after(4_000, words))).toBe(false)
  }
})
