/** Mails of the mail servers in use, as the files in `test/bounces`, have the effect that the guide of bounces says; answers of people and programs have none. */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { secretKey } from '../base/secret.ts'
import { bounceAddress } from './bounce-address.ts'
import { type InboundMail, readInboundMail } from './inbound-mail.ts'

const FILES = new URL('../../../test/bounces/', import.meta.url)
const key = secretKey(Buffer.alloc(32, 7))
const delivery = { workspaceId: 1, deliveryId: '1-691f0000-00a1b2c3d4e5f60718293aff-0', addressee: 'ada@example.com' }
const BOUNCE = bounceAddress(key, 'bounces@example.org', { ...delivery, ofCopies: false })
const COPIES = bounceAddress(key, 'bounces@example.org', { ...delivery, ofCopies: true })
const NOW = Date.UTC(2026, 10, 26)

/** Byte by byte: some files have no charset. */
const filled = (text: string, bounce = BOUNCE) =>
  Buffer.from(
    text
      .replaceAll('@@BOUNCE@@', bounce)
      .replaceAll('@@RCPT@@', delivery.addressee)
      .replaceAll('@@COPY@@', 'bob@example.net'),
    'latin1',
  )
const fileText = (name: string) => readFileSync(new URL(`${name}.eml`, FILES), 'latin1')
const read = (text: string, recipients = [BOUNCE]) => readInboundMail(key, filled(text), { recipients }, NOW)

/** `HARD` and `COMPLAINED` suppress the addressee. */
function outcomeOf(mail: InboundMail): string {
  if (mail.kind === 'ignored') return `ignored: ${mail.reason}`
  return mail.receipts
    .map(({ receipt: { kind, gone, address } }) => {
      if (kind === 'bounced') return gone === undefined ? 'SOFT' : 'HARD'
      return kind === 'complained' && address === undefined ? 'COMPLAINED, no address' : kind.toUpperCase()
    })
    .join(', ')
}

/** The file, the outcome, and words of the error. */
const files: [name: string, outcome: string, error?: string][] = [
  ['abusix-two-recipients', 'COMPLAINED'],
  ['amazon-ses-action-first', 'HARD'],
  ['apache-james', 'SOFT', '550 - Requested action not taken'],
  ['boundary-lost', 'HARD'],
  ['courier', 'HARD', '<<< 550 5.1.1 no such mailbox'],
  ['domino-in-words', 'SOFT', 'not listed in Domino Directory'],
  ['domino-iso-2022-jp', 'SOFT', 'ユーザーAda (ada@example.com) は Domino ディレクトリには見つかりません。'],
  ['dragonfly-empty-from', 'HARD', 'did not like our RCPT TO: 550 5.1.1'],
  ['exchange-2007-nested-alternative', 'HARD'],
  ['exchange-5.5', 'SOFT', 'The recipient name is not recognized'],
  ['exchange-online-5.1.10', 'HARD'],
  ['exchange-online-5.1.351', 'SOFT'],
  ['exchange-online-5.1.351-with-code-behind', 'HARD'],
  ['exim-550-without-enhanced-code', 'SOFT', '550 No such user here'],
  ['exim-delay-warning', 'ignored: delay_warning'],
  ['exim-forwarded', 'SOFT'],
  ['exim-retry-timeout', 'SOFT', 'retry timeout exceeded'],
  ['exim-sender-refused', 'SOFT', 'after MAIL FROM:<bounces+********@example.org>'],
  ['exim-two-recipients', 'HARD', '550 5.1.1 no such mailbox'],
  ['exim-unrouteable', 'SOFT', 'Unrouteable address'],
  ['german', 'SOFT', 'Unbekannter Empfänger'],
  ['gmail-nxdomain-4.0.0', 'SOFT'],
  ['gmail-of-old-5.1.1', 'HARD'],
  ['gmail-of-old-delay', 'ignored: delay_warning'],
  ['gmail-of-old-dns-error', 'SOFT', 'DNS Error: Domain name not found'],
  ['gmx', 'HARD'],
  ['groupwise', 'SOFT', 'user not found'],
  ['guard-answer-of-a-person', 'ignored: no_report'],
  ['guard-challenge', 'ignored: auto_reply'],
  ['guard-complaint-forwarded-by-a-person', 'ignored: no_report'],
  ['guard-notice-forwarded-by-a-person', 'ignored: no_report'],
  ['guard-notice-of-a-quota', 'ignored: no_report'],
  ['guard-vacation-of-an-alias', 'ignored: auto_reply'],
  ['guard-vacation-of-a-postmaster', 'ignored: auto_reply'],
  ['guard-vacation-quotes-a-code', 'ignored: auto_reply'],
  ['guard-vacation-with-a-subject-of-a-notice', 'ignored: auto_reply'],
  ['hmailserver', 'HARD', 'Remote server replied: 550 5.1.1 no such mailbox'],
  ['html-only', 'HARD', "Remote Server returned '550 5.1.1"],
  ['imail', 'SOFT', 'Unknown user: ada@example.com'],
  ['kddi-full-mailbox', 'SOFT', 'As their mailbox is full.'],
  ['mailmarshal', 'HARD', '550 5.1.1 no such mailbox'],
  ['mailru-two-languages', 'HARD'],
  ['mdaemon', 'HARD'],
  ['microsoft-complaint-as-headers', 'COMPLAINED'],
  ['microsoft-complaint-posted', 'COMPLAINED'],
  ['microsoft-complaint-sparse-report', 'COMPLAINED'],
  ['microsoft-complaint-without-report', 'COMPLAINED'],
  ['mimecast', 'HARD', '5.1.1 no such mailbox'],
  ['opensmtpd-reason-in-words-only', 'HARD', '550 5.1.1 no such mailbox'],
  ['opensmtpd-warning', 'ignored: delay_warning'],
  ['postfix-delay-in-words', 'ignored: delay_warning'],
  ['postfix-forwarded-alias', 'SOFT'],
  ['postfix-in-words', 'HARD'],
  ['postfix-in-words-forwarded', 'SOFT'],
  ['postfix-in-words-sender-refused', 'SOFT', 'Sender address rejected'],
  ['postfix-sender-refused-in-report', 'SOFT', '550 5.1.1 unknown account'],
  ['postfix-verify-deliverable', 'ignored: no_result'],
  ['qmail-550-without-enhanced-code', 'SOFT', '550 No such user here'],
  ['qmail-expired-4.4.1', 'SOFT', '(#4.4.1)'],
  ['qmail-queue-too-long-4.3.0', 'SOFT', '451 4.3.0 Temporary lookup failure'],
  ['qmail-two-recipients', 'SOFT', '552 5.2.2 <ada@example.com>: mailbox is full'],
  ['report-action-bounced', 'SOFT'],
  ['report-action-failure', 'HARD'],
  ['report-action-given-up', 'SOFT', '554 5.4.7 too old'],
  ['report-action-relayed', 'ignored: no_result'],
  ['report-fields-folded-in-words', 'HARD', '550 5.1.1 no such mailbox'],
  ['report-in-another-case', 'HARD'],
  ['sendgrid-action-expired', 'SOFT', 'Connection timed out'],
  ['sendmail-8-report', 'HARD'],
  ['sendmail-actual-recipient-elsewhere', 'SOFT'],
  ['sendmail-actual-recipient-ours', 'SOFT'],
  ['sendmail-deleted-from-queue', 'SOFT', 'Message will be deleted from queue'],
  ['sendmail-of-old-transcript', 'SOFT', 'User unknown'],
  ['sendmail-ours-delayed-another-failed', 'DELAYED'],
  ['sendmail-ours-failed-another-delayed', 'HARD'],
  ['sendmail-warning', 'ignored: delay_warning'],
  ['smartermail', 'SOFT', '550 5.1.1 no such mailbox'],
  ['success-in-words', 'ignored: no_result'],
  ['forwarded-to-in-words', 'SOFT', '550 5.1.1'],
  ['report-fields-in-words-sender-refused', 'SOFT'],
  ['guard-vacation-repeats-the-subject', 'ignored: auto_reply'],
  ['guard-ticket-system', 'ignored: auto_reply'],
  ['sun-source-route', 'HARD'],
  ['workmail-5.1.1', 'HARD', '550 5.1.1 no such mailbox'],
  ['workmail-fields-in-text', 'SOFT', 'Message expired'],
  ['x1', 'SOFT', 'User unknown'],
  ['x2-given-up', 'SOFT', 'Operation timed out'],
  ['yahoo-feedback-report', 'COMPLAINED'],
  ['yahoo-in-words', 'SOFT', '550 5.2.2'],
  ['zoho', 'HARD'],
]

test.each(files)('%s: %s', async (name, outcome, error) => {
  const mail = await read(fileText(name))
  expect(outcomeOf(mail)).toBe(outcome)
  const [first] = mail.kind === 'receipts' ? mail.receipts : []
  if (error !== undefined) expect(first?.receipt.error).toContain(error)
  // The same with the line ends of the wire, and with the bounce address in the mail alone.
  const same = mail.kind === 'receipts' ? mail : { kind: 'ignored', reason: mail.reason }
  expect(await read(fileText(name).replaceAll('\n', '\r\n'))).toMatchObject(same)
  if (fileText(name).includes('@@BOUNCE@@')) expect(await read(fileText(name), [])).toMatchObject(same)
  // Relays may hand over every mail with the envelope sender of their own.
  expect(await readInboundMail(key, filled(fileText(name)), { recipients: [BOUNCE], sender: '' }, NOW)).toMatchObject(
    same,
  )
})

test('every file has an outcome', () => {
  const names = readdirSync(FILES).filter((name) => name.endsWith('.eml'))
  expect(names.map((name) => name.replace('.eml', '')).sort()).toEqual(files.map(([name]) => name).sort())
})

const DAEMON = 'From: MAILER-DAEMON <>'

test.each([
  DAEMON,
  'From: MAILER-DAEMON',
  'From: MAILER-DAEMON (Mail Delivery System)',
  'From: <> (Mail Delivery System)',
  'From: "Mail Delivery Subsystem" <>',
  'From: Mail Delivery Subsystem <MAILER-DAEMON>',
  'From: MAILER_DAEMON@mx.example.org',
  'From: Mailer.Daemon@mx.example.org',
  'From: mailerdaemon@mx.example.org',
  'From: Mail.Delivery.System@mx.example.org',
  'From: post_master@mx.example.org',
  'From: Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.com>',
  'Return-Path: <>',
])('a notice is known by its sender: %j', async (sender) => {
  expect(outcomeOf(await read(fileText('dragonfly-empty-from').replace(DAEMON, sender)))).toBe('HARD')
})

test.each([
  'From: =?utf-8?Q?Mail_Delivery_System?= <info@mx.example.org>',
  'Return-Path: <>\nFrom: Info <info@mx.example.org>',
  'Auto-Submitted: auto-generated\nFrom: Info <info@mx.example.org>',
  'Return-Path: <>\nFrom: no-reply@mx.example.org',
])("a mailbox that may be a person's suppresses no address: %j", async (sender) => {
  expect(outcomeOf(await read(fileText('dragonfly-empty-from').replace(DAEMON, sender)))).toBe('SOFT')
})

test.each([
  'From: no-reply@mx.example.org',
  'Return-Path: <carl@other.example>\nFrom: Support <support@other.example>',
  'Return-Path: <carl@other.example>\nFrom: postmaster@other.example',
  'Auto-Submitted: auto-replied\nReturn-Path: <>\nFrom: mail@ada.example',
  'From: Ada <ada@example.com>',
  'From: MAILER-DAEMON fan <ada@example.com>',
  'Return-Path: <ada@example.com>\nFrom: Ada <ada@example.com>',
])('a person writes no notice: %j', async (sender) => {
  expect(outcomeOf(await read(fileText('dragonfly-empty-from').replace(DAEMON, sender)))).toMatch(
    /^ignored: (?:no_report|auto_reply)$/,
  )
})

test('the envelope sender of LMTP is as good as `Return-Path`', async () => {
  const raw = filled(fileText('dragonfly-empty-from').replace(DAEMON, 'From: Info <info@mx.example.org>'))
  const outcomes = ['', 'info@mx.example.org'].map((sender) =>
    readInboundMail(key, raw, { recipients: [BOUNCE], sender }, NOW),
  )
  expect((await Promise.all(outcomes)).map(outcomeOf)).toEqual(['SOFT', 'ignored: no_report'])
})

/** A report with these fields about the addressee. */
const withFields = (...fields: string[]) =>
  fileText('sendgrid-action-expired').replace(/Original-Recipient[\s\S]*?Connection timed out/, fields.join('\n'))

test.each([
  ['expired', '', 'SOFT'],
  ['expired', '4.4.7', 'SOFT'],
  ['failure', '5.1.1', 'HARD'],
  ['Bounced', '5.2.2', 'SOFT'],
  ['undeliverable', '5.1.1', 'HARD'],
  ['failed (permanently)', '5.1.1', 'HARD'],
  ['permanent-failure', '', 'SOFT'],
  ['hard bounce', '5.1.1', 'HARD'],
  ['not delivered', '', 'ignored: no_result'],
  ['exploded', '5.1.1', 'HARD'],
  ['exploded', '', 'ignored: no_result'],
  ['exploded', '4.4.1', 'ignored: no_result'],
  ['relayed', '5.1.1', 'ignored: no_result'],
  ['expanded', '2.0.0', 'ignored: no_result'],
  ['deliverable', '2.1.5', 'ignored: no_result'],
  ['delayed', '4.4.1', 'DELAYED'],
  ['', '4.4.1', 'DELAYED'],
  ['', '5.1.1', 'HARD'],
])('Action: %s with the status %j: %s', async (action, status, outcome) => {
  expect(outcomeOf(await read(withFields(`Action: ${action}`, `Status: ${status}`)))).toBe(outcome)
})

test('recipients without an empty line between them', async () => {
  const full = ['Action: failed', 'Status: 5.2.2', 'Final-Recipient: rfc822; bob@example.net']
  const gone = ['Action: failed', 'Status: 5.1.1', 'Final-Recipient: rfc822; ada@example.com']
  const text = fileText('sendgrid-action-expired').replace(/Final-Recipient[\s\S]*?Connection timed out/, '@@FIELDS@@')
  for (const fields of [
    [...full, ...gone],
    [...gone, ...full],
  ])
    expect(outcomeOf(await read(text.replace('@@FIELDS@@', fields.join('\n'))))).toBe('HARD')
})

test.each([
  '550 5.1.1 Sender address rejected: not owned by user',
  '550 5.1.1 Domain is not protected by SPF',
  '550 5.1.2 Message refused by DMARC policy',
  '554 5.1.1 Service unavailable; client host [192.0.2.1] blocked using Spamhaus',
  '550 5.1.1 your IP is on our blocklist',
  '550 5.1.1 this looks like spam',
  '550 5.1.1 Mailbox full, try later',
  '552 5.1.1 user is over quota',
])('a rejection of the sender, or for now, suppresses no address: %s', async (reason) => {
  const fields = ['Action: failed', `Status: ${reason.slice(4, 9)}`, `Diagnostic-Code: smtp; ${reason}`]
  expect(outcomeOf(await read(withFields(...fields)))).toBe('SOFT')
})

test.each(['5.7.1', '5.7.26', '5.7.606'])('%s is no reason to suppress an address', async (status) => {
  expect(outcomeOf(await read(withFields('Action: failed', `Status: ${status}`)))).toBe('SOFT')
})

/** Sentences of a mail system. */
const notice = (...sentences: string[]) =>
  ['From: MAILER-DAEMON@mx.example.org', 'To: @@BOUNCE@@', 'Subject: Undelivered mail', '', ...sentences, ''].join('\n')

test.each<[what: string, outcome: string, error: string, sentences: string[]]>([
  [
    'a last notice may speak of the attempts before',
    'SOFT',
    '<ada@example.com>: connection timed out',
    ['I have given up. The warnings before said that it will be retried.', '', '<@@RCPT@@>: connection timed out'],
  ],
  [
    'the words of the address that the mail went on to, and not those of another recipient',
    'SOFT',
    '550 5.1.1 gone',
    ['<@@COPY@@>: 552 5.2.2 full', '', '<ada@gone.example.net> (expanded from <@@RCPT@@>): 550 5.1.1 gone'],
  ],
  [
    'the same over two lines',
    'SOFT',
    '550 5.1.1 gone',
    ['<@@COPY@@>: 552 5.2.2 full', '', '  ada@gone.example.net', '    (generated from @@RCPT@@)', '    550 5.1.1 gone'],
  ],
  ['one reason for a list of addresses', 'HARD', '550 5.1.1 gone', ['<@@RCPT@@>', '<@@COPY@@>', '   550 5.1.1 gone']],
  [
    'a reason behind a line of hyphens is about all, where they have none',
    'HARD',
    '550 5.1.1 gone',
    ['The mail to @@RCPT@@ failed.', 'The mail to @@COPY@@ failed.', '----- Reason -----', '550 5.1.1 gone'],
  ],
  [
    'the name of a server is no reason',
    'HARD',
    '550 5.1.1 gone',
    ['<@@RCPT@@>: host d1.ess.barracudanetworks.com[192.0.2.7] said: 550 5.1.1 gone'],
  ],
  [
    'a version of a program is no code',
    'SOFT',
    'could not be delivered to ada@example.com',
    ['The mail could not be delivered to @@RCPT@@ by relay 5.1.1 of host.'],
  ],
  [
    'an address for questions is no recipient',
    'HARD',
    '550 5.1.1 gone',
    ['@@RCPT@@', '', 'Please contact <help@example.org>.', '', '550 5.1.1 gone'],
  ],
])('a notice in words: %s', async (_what, outcome, error, sentences) => {
  const mail = await read(notice(...sentences))
  expect(outcomeOf(mail)).toBe(outcome)
  expect(mail.kind === 'receipts' ? mail.receipts[0]?.receipt.error : '').toContain(error)
})

test('a warning may speak of the error to come', async () => {
  const warning = fileText('exim-delay-warning')
    .replace(/Subject: .*/, 'Subject: Mail delivery')
    .concat('Eventually the software will give up, with a permanent error.\n')
  expect(outcomeOf(await read(warning))).toBe('ignored: delay_warning')
})

test.each([
  'Re: Undelivered mail',
  'Fwd: Undelivered mail',
  'AW: Undelivered mail',
  'Automatic reply: Undelivered mail',
])('the subject %j is that of a person or of a program for one', async (subject) => {
  const mail = notice('<@@RCPT@@>: 550 5.1.1 gone')
    .replace('MAILER-DAEMON@mx.example.org', 'Info <info@mx.example.org>\nReturn-Path: <>')
    .replace('Undelivered mail', subject)
  expect(outcomeOf(await read(mail))).toBe('ignored: no_report')
})

test('an actual recipient at a host of the domain is the same mailbox', async () => {
  const fields = (actual: string) =>
    withFields(`X-Actual-Recipient: rfc822; ${actual}`, 'Action: failed', 'Status: 5.1.1')
  expect(outcomeOf(await read(fields('Ada@mx.example.com')))).toBe('HARD')
  expect(outcomeOf(await read(fields('bob@mx.example.com')))).toBe('SOFT')
})

const OF_MICROSOFT = 'complaint about message from 192.0.2.222'

test.each([
  ['staff@hotmail.com', 'Complaint About Message From 192.0.2.222', 'COMPLAINED'],
  ['STAFF@HOTMAIL.COM', OF_MICROSOFT, 'COMPLAINED'],
  ['staff@hotmail.com', 'Order', 'ignored: no_report'],
  ['staff@hotmail.com', `Fwd: ${OF_MICROSOFT}`, 'ignored: no_report'],
  ['staff@live.com', OF_MICROSOFT, 'ignored: no_report'],
  ['staff@msn.com', OF_MICROSOFT, 'ignored: no_report'],
  ['staff@outlook.com', OF_MICROSOFT, 'ignored: no_report'],
  ['staff@hotmail.com.example.net', OF_MICROSOFT, 'ignored: no_report'],
])('a complaint of Microsoft without a report from %s with the subject %j: %s', async (from, subject, outcome) => {
  const text = fileText('microsoft-complaint-without-report')
    .replace('From: staff@hotmail.com', `From: ${from}`)
    .replace(`Subject: ${OF_MICROSOFT}`, `Subject: ${subject}`)
  expect(outcomeOf(await read(text))).toBe(outcome)
})

test('a report about copies, and one for another installation, are ignored with the reason', async () => {
  const raw = fileText('sendmail-8-report')
  expect(await readInboundMail(key, filled(raw, COPIES), { recipients: [COPIES] }, NOW)).toEqual({
    kind: 'ignored',
    reason: 'copy',
  })
  expect(await readInboundMail(key, filled(raw, 'a@example.org'), { recipients: [] }, NOW)).toEqual({
    kind: 'ignored',
    reason: 'unknown',
  })
})

const mailOf = (header: readonly string[], ...sentences: string[]) =>
  [...header, 'To: @@BOUNCE@@', '', ...sentences, ''].join('\n')
const daemon = (subject: string) => ['Return-Path: <>', 'From: MAILER-DAEMON@mx.example.com', `Subject: ${subject}`]
const returned = daemon('Undelivered mail')

test.each<[what: string, outcome: string, mail: string]>([
  // The address that failed.
  [
    'passed on in a sentence',
    'SOFT',
    mailOf(returned, 'The mail to @@RCPT@@ was forwarded by the recipient to bob@gone.example: 550 5.1.1 User unknown'),
  ],
  [
    'passed on without an address',
    'SOFT',
    mailOf(returned, '@@RCPT@@: the forwarding address does not exist. 550 5.1.1 User unknown'),
  ],
  ['an arrow', 'SOFT', mailOf(returned, '@@RCPT@@ -> bob@gone.example: 550 5.1.1 User unknown')],
  [
    'a child address that is hidden',
    'SOFT',
    mailOf(
      ['X-Failed-Recipients: @@RCPT@@', ...returned],
      'This is a permanent error.',
      '',
      '  an undisclosed address',
      '    (generated from @@RCPT@@)',
      '    550 5.1.1 User unknown',
    ),
  ],
  // Codes that are none.
  [
    'a version',
    'SOFT',
    mailOf(
      returned,
      'Could not be delivered to:',
      '',
      '<@@RCPT@@>',
      'The mailbox is closed.',
      '',
      'Mail server version: 5.1.2',
    ),
  ],
  ['a subject', 'SOFT', mailOf(returned, 'Delivery failed.', 'To: @@RCPT@@', 'Subject: 5.1.1 is out')],
  [
    'another code beside it',
    'SOFT',
    mailOf(returned, '<@@RCPT@@>: 550 5.1.1 - 192.0.2.1 has sent to too many recipients this hour'),
  ],
  // For good, or for now.
  [
    'a failure that has not been delivered',
    'SOFT',
    mailOf(returned, 'The message to @@RCPT@@ has not been delivered: mailbox unavailable'),
  ],
  [
    'a failure with the subject of a warning',
    'HARD',
    mailOf(
      daemon('Warning: low balance'),
      'The mail could not be delivered.',
      '',
      '<@@RCPT@@>: 550 5.1.1 User unknown',
    ),
  ],
  [
    'an end after attempts',
    'SOFT',
    mailOf(
      returned,
      'The notice before said that attempts will continue. We now give up.',
      '<@@RCPT@@>: connection refused',
    ),
  ],
  [
    'a delay with the answer of before',
    'ignored: delay_warning',
    mailOf(
      daemon('Delivery delayed'),
      'The mail to @@RCPT@@ has not yet been delivered. It will be retried for 2 days.',
      '',
      'The answer was: 550 5.1.1 User unknown',
    ),
  ],
  [
    'a delay by its code',
    'ignored: delay_warning',
    mailOf(daemon('Delivery problem'), '<@@RCPT@@>: 451 4.3.0 temporary lookup failure'),
  ],
  [
    'a delay behind a failure in the subject',
    'ignored: delay_warning',
    mailOf(
      daemon('Delayed: Delivery failed: your parcel'),
      'The mail to @@RCPT@@ waits in our queue (450 4.2.0 later).',
    ),
  ],
  [
    'ours failed, another one delayed',
    'HARD',
    mailOf(returned, '<@@COPY@@>: 452 4.2.2 full; it will be retried', '', '<@@RCPT@@>: 550 5.1.1 User unknown'),
  ],
  [
    'ours delivered, another one failed',
    'ignored: copy',
    mailOf(
      returned,
      '----- Successful delivery notifications -----',
      '<@@RCPT@@> (relayed)',
      '----- Permanent fatal errors -----',
      '<@@COPY@@>',
      '    (reason: 550 5.1.1 User unknown)',
    ),
  ],
  // The writer.
  [
    'the subject of a holiday that is returned',
    'HARD',
    mailOf(daemon('Undeliverable: Your vacation booking'), '<@@RCPT@@>: 550 5.1.1 User unknown'),
  ],
  [
    'a support mailbox',
    'ignored: no_report',
    mailOf(
      ['Return-Path: <carl@other.example>', 'From: support@other.example', 'Subject: Delivery problem with order 7'],
      'The parcel for @@RCPT@@ was returned: error 5.1.1.',
    ),
  ],
  [
    'an answer of a postmaster',
    'ignored: auto_reply',
    mailOf(
      ['Return-Path: <>', 'Auto-Submitted: auto-replied', 'From: postmaster@other.example', 'Subject: Away'],
      'Mails to @@RCPT@@ come back with 550 5.1.1.',
    ),
  ],
  [
    'a challenge',
    'ignored: no_report',
    mailOf(returned, 'The mail was not delivered. Please click here to confirm your address.'),
  ],
  [
    'a recall',
    'ignored: no_report',
    mailOf(
      ['Return-Path: <>', 'From: postmaster@other.example', 'Subject: Recall: Delivery failed'],
      'Ada would like to recall the message.',
    ),
  ],
])('in words: %s', async (_what, outcome, text) => {
  expect(outcomeOf(await read(text))).toBe(outcome)
})

const reportOf = (...groups: string[][]) =>
  fileText('sendgrid-action-expired').replace(
    /(?:Original|Final)-Recipient[\s\S]*?Connection timed out/,
    groups.map((fields) => fields.join('\n')).join('\n\n'),
  )

test.each<[what: string, fields: string[]]>([
  [
    'another address in the answer',
    ['Final-Recipient: rfc822; @@RCPT@@', 'Diagnostic-Code: smtp; 550 5.1.1 <bob@gone.example>: User unknown'],
  ],
  [
    'our bounce address in the answer',
    ['Final-Recipient: rfc822; @@RCPT@@', 'Diagnostic-Code: smtp; 550 5.1.1 <@@BOUNCE@@>: Callout verification failed'],
  ],
  [
    'another code in the answer',
    ['Final-Recipient: rfc822; @@RCPT@@', 'Diagnostic-Code: smtp; 452 4.2.2 out of storage'],
  ],
  ['a mailbox of another server', ['Original-Recipient: rfc822; @@RCPT@@', 'Final-Recipient: rfc822; bob']],
  ['a program', ['Final-Recipient: rfc822; @@RCPT@@', 'X-Actual-Recipient: X-Unix; |/usr/bin/forward']],
])('a report that may be about something else is SOFT: %s', async (_what, fields) => {
  const group = ['Action: failed', 'Status: 5.1.1', ...fields]
  expect(outcomeOf(await read(reportOf(group)))).toBe('SOFT')
})

test('a report that ours was passed on says nothing of it, whatever happened to another one', async () => {
  const ours = ['Final-Recipient: rfc822; @@RCPT@@', 'Action: relayed', 'Status: 2.1.5']
  const other = ['Final-Recipient: rfc822; @@COPY@@', 'Action: failed', 'Status: 5.1.1']
  expect(await read(reportOf(ours, other))).toMatchObject({ kind: 'ignored', reason: 'copy' })
})

test.each([
  ['HARD', '<@@RCPT@@>: 550 5.1.1 User unknown'],
  ['SOFT', '<@@RCPT@@> -> <bob@gone.example>: 550 5.1.1 User unknown'],
])('a code in the words beside a general one in the fields is judged as in words: %s', async (outcome, words) => {
  const group = ['Final-Recipient: rfc822; @@RCPT@@', 'Action: failed', 'Status: 5.0.0']
  const mail = await read(reportOf(group).replace('The mail could not be delivered.', words))
  expect(outcomeOf(mail)).toBe(outcome)
})

const EVE = 'Return-Path: <eve@example.com>\nFrom: Eve <eve@example.com>\n'

test.each([
  ['From: MAILER-DAEMON@mx.example.org\n', 'HARD'],
  ['From: Mail Delivery System <>\n', 'HARD'],
  ['From: <>\n', 'HARD'],
  ['From: postmaster@mx.example.org\n', 'HARD'],
  ['Return-Path: <>\nFrom: gateway@mx.example.org\n', 'HARD'],
  // The pipe of Postfix writes its name for the empty one.
  ['Return-Path: <MAILER-DAEMON>\nFrom: gateway@mx.example.org\n', 'HARD'],
  ['From: gateway@mx.example.org\n', 'ignored: no_report'],
  [EVE, 'ignored: no_report'],
  ['Return-Path: <eve@example.com>\nFrom: postmaster@example.com\n', 'ignored: no_report'],
  ['From: postmaster@example.com\nSubject: Fwd: Delivery report\n', 'ignored: no_report'],
])('parts of a report in a mail of another type count from a mail system: %j', async (sender, outcome) => {
  const inReport = fileText('report-action-failure').replace(/^Return-Path.*\n|From: .*\n/gm, '')
  const attached = inReport.replace(/multipart\/report; report-type=delivery-status/, 'multipart/mixed')
  const body = sender.includes('Subject') ? attached.replace(/Subject: .*\n/, '') : attached
  expect(outcomeOf(await read(`${sender}${body}`))).toBe(outcome)
  // A report is one, from any author.
  expect(outcomeOf(await read(`${sender}${inReport}`))).toBe('HARD')
})

test('a person at postmaster can attach a report, too', async () => {
  const report = fileText('report-action-failure').replace('Return-Path: <>\n', '')
  const ofPerson = report
    .replace('MAILER-DAEMON@mx.example.org', 'Eve <postmaster@mx.example.org>')
    .replace('Subject: Delivery report', 'Subject: the report of last week')
  expect(outcomeOf(await read(ofPerson))).toBe('HARD')
  expect(outcomeOf(await read(ofPerson.replace('multipart/report', 'multipart/mixed')))).toBe('ignored: no_report')
  const mixed = report.replace('multipart/report', 'multipart/mixed')
  expect(outcomeOf(await read(mixed))).toBe('HARD')
})

test('a complaint that a person forwards is none', async () => {
  const text = fileText('yahoo-feedback-report').replace(/^(?:Return-Path|From): .*\n/gm, '')
  expect(outcomeOf(await read(`${EVE}${text}`))).toBe('COMPLAINED')
  expect(outcomeOf(await read(`${EVE}${text.replace('multipart/report', 'multipart/mixed')}`))).toBe(
    'ignored: no_report',
  )
})

test.each([
  ['abuse', 'COMPLAINED'],
  ['abuse (button)', 'COMPLAINED'],
  ['other', 'COMPLAINED'],
  ['opt-out', 'UNSUBSCRIBED'],
  ['not-spam', 'ignored: other_report'],
  ['not-spam (button)', 'ignored: other_report'],
  ['auth-failure', 'ignored: other_report'],
  ['', 'ignored: other_report'],
])('a feedback report of the type %j: %s', async (type, outcome) => {
  const text = fileText('yahoo-feedback-report').replace('Feedback-Type: abuse', `Feedback-Type: ${type}`)
  expect(outcomeOf(await read(text))).toBe(outcome)
})

test.each([
  ['', [], 'SOFT'],
  ['Return-Path: <postmaster@example.com>', [], 'SOFT'],
  ['Return-Path: <>', [], 'HARD'],
  ['Return-Path: <MAILER-DAEMON>', [], 'HARD'],
  ['Auto-Submitted: auto-generated', [], 'HARD'],
  ['X-Mailer: none', ['Reporting-MTA: <mx.example.com>'], 'HARD'],
  ['X-Mailer: none', ['--- The original mail ---', 'Subject: Order'], 'HARD'],
])('words of a postmaster, who may be a person, with %j and %j: %s', async (header, end, outcome) => {
  const headers = ['From: postmaster@example.com', 'Subject: Undeliverable mail', ...(header === '' ? [] : [header])]
  const text = mailOf(headers, 'Mails to @@RCPT@@ come back: 550 5.1.1 User unknown', '', ...end)
  expect(outcomeOf(await read(text))).toBe(outcome)
})

const GONE = '550 5.1.1 User unknown'

test.each([
  ['Your mail to @@RCPT@@ was forwarded to the owner of this alias and did not arrive there.'],
  ['@@RCPT@@ is an alias, and the final recipient rejected the mail:'],
  ['The redirect of @@RCPT@@ failed:'],
  ['The mail for @@RCPT@@ did not reach its forwarding target:'],
  ['Die Weiterleitung von @@RCPT@@ ist gescheitert:'],
  ["Le transfert automatique de @@RCPT@@ n'a pas abouti :"],
  ['El reenvío de @@RCPT@@ ha fallado:'],
  ["L'inoltro da @@RCPT@@ non è riuscito:"],
  ['O encaminhamento de @@RCPT@@ falhou:'],
  ['Het doorsturen van @@RCPT@@ is mislukt:'],
  ['@@RCPT@@ の転送先へ配信できませんでした。'],
])('a forwarding in another paragraph counts, in a notice and in a report: %s', async (sentence) => {
  const utf8 = (text: string) => Buffer.from(text).toString('latin1')
  const header = [...returned, 'Content-Type: text/plain; charset=utf-8']
  const words = utf8(sentence)
  expect(outcomeOf(await read(mailOf(header, words, '', GONE)))).toBe('SOFT')
  expect(outcomeOf(await read(mailOf(header, words.replace('@@RCPT@@', '@@COPY@@'), '', `@@RCPT@@: ${GONE}`)))).toBe(
    'HARD',
  )
  const report = fileText('report-action-failure').replace('us-ascii', 'utf-8')
  expect(outcomeOf(await read(report.replace('A report.', words)))).toBe('SOFT')
})

test('a forwarding counts in a field, and above fields in words', async () => {
  const fields = withFields('Action: failed', 'Status: 5.1.1', `Diagnostic-Code: smtp; ${GONE}: a forwarding address`)
  expect(outcomeOf(await read(fields))).toBe('SOFT')
  const inText = (sentence: string) =>
    mailOf(returned, sentence, '', 'Final-Recipient: rfc822; @@RCPT@@', 'Action: failed', 'Status: 5.1.1')
  expect(outcomeOf(await read(inText('The mail to @@RCPT@@ failed.')))).toBe('HARD')
  expect(outcomeOf(await read(inText('The redirect of @@RCPT@@ failed.')))).toBe('SOFT')
})

test('a report whose words name the address that the mail went on to is about that one', async () => {
  const words = '  ada@home.example\n    (generated from @@RCPT@@)\n    550 5.1.1 User unknown'
  const mail = await read(fileText('report-action-failure').replace('A report.', words))
  expect(mail).toMatchObject({ receipts: [{ receipt: { kind: 'bounced' } }] })
  expect(outcomeOf(mail)).toBe('SOFT')
  const same = words.replace('ada@home.example', 'Ada@example.com')
  expect(outcomeOf(await read(fileText('report-action-failure').replace('A report.', same)))).toBe('HARD')
  expect(outcomeOf(await read(mailOf(returned, same)))).toBe('HARD')
})

test.each([
  ['The recipient may have set up forwarding to an incorrect address. Ask them to check the forwarding of @@RCPT@@.'],
  ['If this goes on, forward this message about @@RCPT@@ to your administrator.'],
  ['Der Empfänger hat möglicherweise eine Weiterleitung an eine falsche Adresse eingerichtet.'],
  ['Subject: Your parcel was forwarded to you'],
])('advice about forwarding says nothing of it: %s', async (sentence) => {
  const words = ['The mail could not be delivered.', `<@@RCPT@@>: ${GONE}`, '', sentence]
  expect(outcomeOf(await read(mailOf(returned, ...words)))).toBe('HARD')
  expect(outcomeOf(await read(fileText('report-action-failure').replace('A report.', words.join('\n'))))).toBe('HARD')
})

test.each([
  '550 5.1.1 <@@RCPT@@>: User unknown in virtual alias table',
  '550 5.1.1 unknown or illegal alias: @@RCPT@@',
  '550 5.1.6 Recipient has moved, no forwarding address',
])('%s is an address that does not exist', async (answer) => {
  expect(outcomeOf(await read(mailOf(returned, `<@@RCPT@@>: ${answer}`)))).toBe('HARD')
})

test('an address beyond ASCII in the words does not shift the words of the next one', async () => {
  const words = 'J\\x{FC}rgen\\x{FC}\\x{FC}@gone.example (expanded from <@@RCPT@@>):'
  expect(outcomeOf(await read(mailOf(returned, words, GONE)))).toBe('SOFT')
})

test.each<[outcome: string, error: string, sentences: string[]]>([
  ['SOFT', '552 5.2.2 full', [`${GONE}:`, '  @@COPY@@', '552 5.2.2 full:', '  @@RCPT@@']],
  ['HARD', GONE, ['552 5.2.2 full:', '  @@COPY@@', `${GONE}:`, '  @@RCPT@@']],
  ['SOFT', '', [`Not found (${GONE}):`, '', '@@COPY@@', 'carol@example.net', '', 'Without room:', '', '@@RCPT@@']],
  ['SOFT', '', ['Without room:', '', '@@RCPT@@', '', `No such user (550 5.1.1):`, '', '@@COPY@@']],
  // The end of an answer is no title.
  ['HARD', '', ['@@RCPT@@', '  host mx.example.com: 550 5.1.1 unknown user:', '  @@RCPT@@']],
])('a line with a colon before a list of addresses is about these alone: %s, %j', async (outcome, error, sentences) => {
  const mail = await read(mailOf(returned, 'The mail could not be delivered.', '', ...sentences))
  expect(outcomeOf(mail)).toBe(outcome)
  expect(mail.kind === 'receipts' ? mail.receipts[0]?.receipt.error : '').toContain(error)
})

const rejection = (subject: string, header: string[], disposition: string, words: string, from = 'postmaster@mx.de') =>
  mailOf(
    [
      ...['Return-Path: <>', `From: Mail <${from}>`, `Subject: ${subject}`, ...header],
      'Content-Type: multipart/report; report-type=disposition-notification; boundary="b1"',
    ],
    ...['--b1', '', words, '', '--b1', 'Content-Type: message/disposition-notification', ''],
    ...['Final-Recipient: rfc822; @@RCPT@@', `Disposition: ${disposition}`, '', '--b1--'],
  )
const DELETED = 'automatic-action/MDN-sent-automatically; deleted'

test.each<[outcome: string, mail: string]>([
  ['SOFT', rejection('Automatically rejected mail', ['Auto-Submitted: auto-replied (rejected)'], DELETED, 'Full.')],
  ['SOFT', rejection('Rejected: Order', [], DELETED, 'I want no such mails.')],
  ['SOFT', rejection('Order', [], DELETED, 'Your mail was rejected by a filter: closed.')],
  ['SOFT', rejection('Rejected: Order', [], DELETED, 'Quota exceeded: 550 5.1.1 User unknown')],
  ['ignored: other_report', rejection('Order', [], DELETED, 'Your mail was deleted without being read.')],
  ['ignored: other_report', rejection('Not read: Order', [], DELETED, 'It was rejected as it has been deleted.')],
  ['ignored: other_report', rejection('Rejected: Order', [], DELETED.replaceAll('automatic', 'manual'), 'No.')],
  ['ignored: other_report', rejection('Rejected: Order', [], DELETED.replace('deleted', 'displayed'), 'No.')],
  ['ignored: auto_reply', rejection('Rejected: Order', [], DELETED, 'No.', 'ada@example.com')],
])('a notice that a mail was deleted (RFC 5429, RFC 3798): %s', async (outcome, mail) => {
  expect(outcomeOf(await read(mail))).toBe(outcome)
})

test.each([
  ['temporary failure', '4.4.1', '', 'DELAYED'],
  ['transient-failure', '4.2.0', '', 'DELAYED'],
  ['temporary failure', '5.1.1', '', 'HARD'],
  ['permanent-failure', '4.4.7', '', 'SOFT'],
  ['waiting', '4.4.1', 'Will-Retry-Until: Fri, 4 Dec 2026 00:00:00 +0000', 'DELAYED'],
  ['waiting', '4.4.1', '', 'ignored: no_result'],
  ['failed', '4.4.7', 'Will-Retry-Until: Fri, 4 Dec 2026 00:00:00 +0000', 'SOFT'],
])('Action: %s with the status %s and %j: %s', async (action, status, field, outcome) => {
  expect(outcomeOf(await read(withFields(`Action: ${action}`, `Status: ${status}`, field)))).toBe(outcome)
})

const encodedMail = (from: string, subject: string, words: string) => {
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
  const header = ['Return-Path: <>', `From: ${from}`, `Subject: ${encoded}`]
  const text = Buffer.from(words).toString('latin1')
  return mailOf([...header, 'Content-Type: text/plain; charset=utf-8'], text)
}

test.each([
  ['Delivery pending', 'The mail to @@RCPT@@ could not be delivered so far. We attempt delivery every hour.'],
  ['Undelivered', 'The mail could not be delivered to @@RCPT@@ yet.'],
  ['Undelivered', 'The mail to @@RCPT@@ could not be delivered. The server tries again; you need not do anything.'],
  ['Zustellung verzoegert', 'Die Mail an @@RCPT@@ konnte nicht zugestellt werden. Es wird weiter versucht.'],
  ['Warnung', 'Die Mail konnte noch nicht an alle zugestellt werden:\n\n@@RCPT@@\n  550 5.1.1 unbekannt'],
  ['Problème', "Le message pour @@RCPT@@ n'a pas encore été remis. Il sera réessayé."],
  ['Correo', 'El mensaje para @@RCPT@@ todavía no se ha podido entregar. El servidor volverá a intentarlo.'],
  ['Posta', 'Impossibile consegnare a @@RCPT@@: il messaggio non è ancora arrivato, il server riproverà.'],
  ['Entrega adiada', 'A mensagem para @@RCPT@@ ainda não foi entregue. O servidor vai tentar novamente.'],
  ['Bericht', 'Het bericht aan @@RCPT@@ kon nog niet worden bezorgd. De server blijft het proberen.'],
  ['Post', 'Meddelandet till @@RCPT@@ har ännu inte kunnat levereras. Servern försöker igen.'],
  ['您的邮件', '您发往 @@RCPT@@ 的邮件暂时无法投递，系统将继续尝试。'],
  ['您的郵件', '您寄給 @@RCPT@@ 的郵件無法送達，系統會再試。'],
])('a warning in the words %s: %s', async (subject, words) => {
  expect(outcomeOf(await read(encodedMail('MAILER-DAEMON@mx.example.org', subject, words)))).toBe(
    'ignored: delay_warning',
  )
})

const DAEMON_ADDRESS = 'MAILER-DAEMON@mx.example.org'

test.each([
  [DAEMON_ADDRESS, 'Erro no envio do e-mail', 'Retornou porque a caixa postal está cheia.\n\nPara: @@RCPT@@'],
  ['postmaster@mx.example.org', 'Correo', 'El mensaje no llegó a: @@RCPT@@. La dirección no existe.'],
  ['postmaster@mx.example.org', '발송이 실패한 메일', '@@RCPT@@ 님에게 메일을 보내지 못했습니다.'],
  [DAEMON_ADDRESS, 'Nedoručitelná zpráva', 'Zprávu nebylo možné doručit: @@RCPT@@'],
  [DAEMON_ADDRESS, 'Pošta', 'Zprávu se nepodařilo doručit: @@RCPT@@, neexistující schránka'],
  [DAEMON_ADDRESS, '郵件傳送失敗', '您寄給 @@RCPT@@ 的郵件無法送達。'],
  [
    'posta-certificata@pec.example',
    'AVVISO DI MANCATA CONSEGNA: Ordine',
    'Messaggio per @@RCPT@@: rilevato un errore.',
  ],
  // They speak of attempts, and say that there will be none.
  [DAEMON_ADDRESS, 'Unzustellbar', 'An @@RCPT@@ nicht zustellbar. Es wird nicht weiter versucht.'],
  [DAEMON_ADDRESS, 'Correo', 'No se pudo entregar a @@RCPT@@ y no se reintentará.'],
  [DAEMON_ADDRESS, 'Entrega', 'Não foi entregue a @@RCPT@@. O servidor não vai tentar novamente.'],
  [DAEMON_ADDRESS, 'Post', 'Meddelandet till @@RCPT@@ kunde inte levereras. Servern kommer inte att försöka igen.'],
  [DAEMON_ADDRESS, '投递失败', '发往 @@RCPT@@ 的邮件无法投递，系统不会再尝试。'],
])('a failure from %s in the words %s: %s', async (from, subject, words) => {
  expect(outcomeOf(await read(encodedMail(from, subject, words)))).toBe('SOFT')
})

test.each([
  ['We will not make further attempts to deliver it.', 'HARD'],
  ['The server will not keep trying.', 'HARD'],
  ['Aucune nouvelle tentative de remise ne sera effectuée.', 'HARD'],
  ['No se volverá a intentar la entrega.', 'HARD'],
  ['Die Zustellung wird nicht mehr weiter versucht.', 'HARD'],
  ['Il server non si riproverà.', 'HARD'],
  ['De server blijft niet proberen.', 'HARD'],
  ['系统不会继续尝试。', 'HARD'],
  ['再試行は行われません。', 'HARD'],
  ['Please verify that the address is correct.', 'HARD'],
  // Words of a warning beside an answer that does not pass.
  ['No action is required from you.', 'SOFT'],
  ['The mail is queued and will be retried.', 'SOFT'],
])('beside a code for an address that does not exist, %j: %s', async (words, outcome) => {
  const text = `The mail could not be delivered to <@@RCPT@@>. ${words}\r\n550 5.1.1 <@@RCPT@@>: User unknown`
  expect(outcomeOf(await read(encodedMail(DAEMON_ADDRESS, 'Undelivered', text)))).toBe(outcome)
})

test.each([
  ['the mailbox is full; please try again later', 'SOFT'],
  ['Your IP 192.0.2.9 is listed at zen.spamhaus.org', 'SOFT'],
  ['User unknown', 'HARD'],
  ['User unknown\r\n\r\nWhere a mailbox is full, try again later.', 'HARD'],
])('a report with a code for an address that does not exist, and the words %j: %s', async (words, outcome) => {
  const mail = fileText('report-action-failure').replace('A report.', `<@@RCPT@@>: ${words}`)
  expect(outcomeOf(await read(mail))).toBe(outcome)
})

test('references of HTML are characters, and a style is no text', async () => {
  const html = (body: string, subject = 'Bestellung') =>
    mailOf(['Return-Path: <>', `From: ${DAEMON_ADDRESS}`, `Subject: ${subject}`, 'Content-Type: text/html'], body)
  expect(outcomeOf(await read(html('<p>Konnte nicht &uuml;bermittelt werden.</p><p>@@RCPT@@</p>')))).toBe('SOFT')
  const encoded = '<p>The mail failed:</p><p>ada&#64;example&#x2e;com</p><p>550&nbsp;5.1.1 unknown&#32;user</p>'
  expect(outcomeOf(await read(html(encoded)))).toBe('HARD')
  expect(outcomeOf(await read(html('<style>p { top: 550 } /* not delivered */</style><p>Hello @@RCPT@@</p>')))).toBe(
    'ignored: no_report',
  )
})

test.each([
  ['an answer for good after one that passed', '<@@RCPT@@>: 451 4.3.0 busy, later: 550 No such person'],
  ['the same by its enhanced code', '<@@RCPT@@>: 451 4.3.0 busy, later (#5.4.4)'],
  ['an answer with no other word', 'For @@RCPT@@ the next one replied 521 go away'],
  ['an answer in a language that is not known', 'Pesan untuk @@RCPT@@ gagal 550 penerima'],
])('a reply code is read: %s', async (_what, words) => {
  expect(outcomeOf(await read(mailOf(daemon('Order'), words)))).toBe('SOFT')
})
