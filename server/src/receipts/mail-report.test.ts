/** Reports of the mail servers in use are read, whatever their form; answers of people and programs are none. */
import { expect, test } from 'vitest'
import { withinWork } from '../base/processor-time.harness.ts'
import { type MailReport, readMailReport } from './mail-report.ts'
import { parseMail, REPORT_BYTES_MAX } from './parsed-mail.ts'

const TO = 'bounces+token@example.org'
const lines = (...all: string[]) => all.join('\r\n')

interface Sample {
  from?: string
  header?: string[]
  text?: string
  report: string[]
  returned?: string[]
  type?: 'delivery-status' | 'feedback-report'
}

/** A multipart/report as most servers make it. */
function report({ from = 'MAILER-DAEMON@mx.example.net', header = [], text = 'Sorry.', ...rest }: Sample): string {
  const { report: fields, returned = ['Message-ID: <1@example.org>'], type = 'delivery-status' } = rest
  return lines(
    `From: Mail System <${from}>`,
    `To: ${TO}`,
    'Subject: Undelivered Mail Returned to Sender',
    ...header,
    'MIME-Version: 1.0',
    `Content-Type: multipart/report; report-type=${type};`,
    '\tboundary="=_b/1"',
    '',
    'This is a MIME-encapsulated message.',
    '',
    '--=_b/1',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    text,
    '',
    '--=_b/1',
    `Content-Type: message/${type}`,
    '',
    ...fields,
    '',
    '--=_b/1',
    'Content-Type: message/rfc822',
    '',
    'Return-Path: <bounces+returned@example.org>',
    'From: News <news@example.org>',
    'To: Ada <ada@example.com>',
    ...returned,
    '',
    'Hello Ada',
    '',
    '--=_b/1--',
    '',
  )
}

const read = async (mail: string) => readMailReport(await parseMail(Buffer.from(mail)))
const recipientsOf = (report: MailReport) => (report.kind === 'delivery' ? report.recipients : report)

const servers: Record<string, [mail: string, recipients: object[]]> = {
  Postfix: [
    report({
      header: ['Auto-Submitted: auto-replied'],
      report: [
        'Reporting-MTA: dns; mail.example.org',
        'X-Postfix-Queue-ID: 4F1C21A0',
        'X-Postfix-Sender: rfc822; bounces+token@example.org',
        'Arrival-Date: Mon, 23 Nov 2026 09:00:00 +0000 (UTC)',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Original-Recipient: rfc822;Ada@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Remote-MTA: dns; mx.example.com',
        'Diagnostic-Code: smtp; 550 5.1.1 <ada@example.com>: Recipient address rejected:',
        '    User unknown in virtual mailbox table',
      ],
    }),
    [
      {
        action: 'failed',
        status: '5.1.1',
        error: '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table',
        addresses: ['Ada@example.com', 'ada@example.com'],
      },
    ],
  ],
  'Postfix, still trying': [
    report({
      report: [
        'Reporting-MTA: dns; mail.example.org',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Action: delayed',
        'Status: 4.4.1',
        'Diagnostic-Code: X-Postfix; connect to mx.example.com[192.0.2.7]:25: Connection timed out',
        'Will-Retry-Until: Sat, 28 Nov 2026 09:00:00 +0000 (UTC)',
      ],
    }),
    [{ action: 'delayed', status: '4.4.1', error: 'connect to mx.example.com[192.0.2.7]:25: Connection timed out' }],
  ],
  'Postfix, given up': [
    report({
      report: [
        'Reporting-MTA: dns; a',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Action: failed',
        'Status: 4.4.7',
      ],
    }),
    [{ action: 'failed', status: '4.4.7', error: 'The mail server reported 4.4.7' }],
  ],
  Exim: [
    report({
      from: 'Mailer-Daemon@mail.example.net',
      header: ['X-Failed-Recipients: ada@example.com', 'Auto-Submitted: auto-replied'],
      report: [
        'Reporting-MTA: dns; mail.example.net',
        '',
        'Action: failed',
        'Final-Recipient: rfc822;ada@example.com',
        'Status: 5.0.0',
        'Remote-MTA: dns; mx.example.com',
        'Diagnostic-Code: smtp; 550-5.1.1 no mailbox of that name',
        ' 550 5.1.1 try another',
      ],
    }),
    [{ action: 'failed', status: '5.1.1', error: '550-5.1.1 no mailbox of that name 550 5.1.1 try another' }],
  ],
  Sendmail: [
    report({
      header: ['Auto-Submitted: auto-generated (failure)'],
      report: [
        'Reporting-MTA: dns; relay.example.net',
        'Received-From-MTA: DNS; app.example.org',
        '',
        'Final-Recipient: RFC822; ada@example.com',
        'X-Actual-Recipient: RFC822; ada@internal.example.com',
        'Action: failed',
        'Status: 5.2.2',
        'Diagnostic-Code: SMTP; 552 5.2.2 Over quota',
        'Last-Attempt-Date: Mon, 23 Nov 2026 09:00:01 GMT',
      ],
    }),
    [
      {
        ...{ action: 'failed', status: '5.2.2', error: '552 5.2.2 Over quota' },
        addresses: ['ada@example.com', 'ada@internal.example.com'],
      },
    ],
  ],
  'Exchange and Microsoft 365': [
    report({
      from: 'postmaster@tenant.onmicrosoft.example',
      header: ['X-MS-Exchange-Message-Is-Ndr:', 'Auto-Submitted: auto-replied', 'Content-Language: en-US'],
      report: [
        'Reporting-MTA: dns;AM0PR01MB0001.eurprd01.prod.outlook.example',
        'Received-From-MTA: dns;mail.example.org',
        '',
        'Final-Recipient: rfc822;ada@example.com',
        'Action: failed',
        'Status: 5.1.10',
        'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
        'X-Display-Name: Ada',
      ],
    }),
    [{ action: 'failed', status: '5.1.10', error: expect.stringContaining('RecipientNotFound') }],
  ],
  Gmail: [
    report({
      from: 'mailer-daemon@googlemail.example',
      header: ['X-Failed-Recipients: ada@example.com', 'Auto-Submitted: auto-replied'],
      report: [
        'Reporting-MTA: dns; googlemail.example',
        'Arrival-Date: Mon, 23 Nov 2026 01:00:00 -0800 (PST)',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550-5.1.1 The account that you tried to reach does not exist.',
        ' 550 5.1.1  https://support.example/ - gsmtp',
      ],
    }),
    [{ action: 'failed', status: '5.1.1' }],
  ],
  Yahoo: [
    report({
      report: [
        'Reporting-MTA: dns; mta.yahoo.example',
        '',
        'Final-Recipient: RFC822; <ada@example.com>',
        'Status: 5.0.0',
        'Diagnostic-Code: smtp; 554 delivery error: dd There is no such account (554)',
      ],
    }),
    [{ action: 'failed', status: '5.0.0', error: '554 delivery error: dd There is no such account (554)' }],
  ],
  'Amazon SES': [
    report({
      from: 'MAILER-DAEMON@eu-west-1.amazonses.example',
      report: [
        'Reporting-MTA: dns; a7-20.smtp-out.eu-west-1.amazonses.example',
        '',
        'Final-Recipient: rfc822;ada@example.com',
        'Action: failed',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp; 550 5.1.1 user unknown',
      ],
    }),
    [{ action: 'failed', status: '5.1.1', error: '550 5.1.1 user unknown' }],
  ],
  'several recipients, one of them delivered, one to a list': [
    report({
      report: [
        'Reporting-MTA: dns; a',
        '',
        'Final-Recipient: rfc822; ada@example.com',
        'Action: delivered (to mailbox)',
        'Status: 2.0.0',
        '',
        'Final-Recipient: rfc822; team@example.com',
        'Action: expanded',
        'Status: 2.0.0',
        '',
        'Final-Recipient: rfc822; bob@example.com',
        'Action: failed',
        'Status: 5.1.1',
      ],
    }),
    [
      { action: 'delivered', addresses: ['ada@example.com'] },
      { action: 'failed', addresses: ['bob@example.com'] },
    ],
  ],
  'qmail, without a report': [
    lines(
      'From: MAILER-DAEMON@example.net',
      `To: ${TO}`,
      'Subject: failure notice',
      '',
      'This is the mail program at example.net.',
      'The following addresses could not be reached.',
      '',
      '<ada@example.com>:',
      'No mailbox here by that name. (#5.1.1)',
      '',
      '--- Below this line is a copy of the message.',
      '',
      'Return-Path: <bounces+token@example.org>',
      'To: eve@example.com',
    ),
    [
      {
        ...{ action: 'failed', status: '5.1.1', addresses: ['ada@example.com'] },
        error: '<ada@example.com>: No mailbox here by that name. (#5.1.1)',
      },
    ],
  ],
  'Exim, without a report': [
    lines(
      'From: Mail Delivery System <Mailer-Daemon@mail.example.net>',
      `To: ${TO}`,
      'X-Failed-Recipients: ada@example.com',
      '',
      'A message that you sent could not be delivered:',
      '',
      '  ada@example.com',
      '    host mx.example.com [192.0.2.7]: 550 5.1.1 No such user',
    ),
    [{ action: 'failed', status: '5.1.1', addresses: ['ada@example.com'] }],
  ],
}

test.each(Object.entries(servers))('%s', async (_server, [mail, recipients]) => {
  const report = await read(mail)
  expect(recipientsOf(report)).toMatchObject(recipients)
  expect(recipientsOf(report)).toHaveLength(recipients.length)
  expect(report).toMatchObject({ senders: expect.arrayContaining([TO]) })
  // Servers of Unix hand over lines without CR.
  expect(recipientsOf(await read(mail.replaceAll('\r\n', '\n')))).toEqual(recipientsOf(report))
})

const complaint = (type: string, fields: string[] = []) =>
  report({
    type: 'feedback-report',
    from: 'feedback@isp.example',
    report: [`Feedback-Type: ${type}`, 'User-Agent: Loop/1.0', 'Version: 1', ...fields],
    returned: ['X-HmXmrOriginalRecipient: <ada@outlook.example>'],
  })

test.each([
  'utf-8; jürgen@b\u00fccher.example',
  'utf-8; ju\u0308rgen@xn--bcher-kva.example',
  'utf-8;j\\x{FC}rgen@xn--bcher-kva.example',
])('the address %j beyond ASCII is read in each of its forms', async (address) => {
  const fields = ['Reporting-MTA: dns; mx', '', `Final-Recipient: ${address}`, 'Action: failed', 'Status: 5.1.1']
  expect(recipientsOf(await read(report({ report: fields })))).toMatchObject([
    { status: '5.1.1', addresses: ['jürgen@xn--bcher-kva.example'] },
  ])
})

test('a complaint names the addresses that it can be about, and the sender of the mail', async () => {
  const original = ['Original-Mail-From: <bounces+from@example.org>', 'Original-Rcpt-To: <ada@example.net>']
  expect(await read(complaint('abuse', original))).toEqual({
    kind: 'complaint',
    rule: 'feedback_report',
    from: 'feedback@isp.example',
    isOptOut: false,
    senders: [TO, 'bounces+returned@example.org', 'bounces+from@example.org'],
    addresses: ['ada@example.net', 'ada@example.com', 'ada@outlook.example'],
  })
  expect(await read(complaint('Fraud'))).toMatchObject({ kind: 'complaint', addresses: expect.any(Array) })
  expect(await read(complaint('opt-out'))).toMatchObject({ kind: 'complaint', isOptOut: true })
})

const mail = (header: string[], text = 'Back on Monday. (550 5.1.1 is the code of our office.)') =>
  lines('From: Ada <ada@example.com>', `To: ${TO}`, 'Subject: Away', ...header, '', text)

test.each<[string, string, string]>([
  ['an automatic reply (RFC 3834)', mail(['Auto-Submitted: auto-replied']), 'auto_reply'],
  ['one of before the standard', mail(['X-Autoreply: yes']), 'auto_reply'],
  ['one that says so by its precedence', mail(['Precedence: auto_reply']), 'auto_reply'],
  ['the answer of a person that quotes a code', mail(['In-Reply-To: <1@example.org>']), 'no_report'],
  [
    'a mail of a postmaster without a code',
    mail(['Reply-To: a@b.co'])
      .replace('From: Ada <ada@', 'From: <postmaster@')
      .replace(/550 5\.1\.1/, '550'),
    'no_report',
  ],
  [
    'a temporary failure in words',
    mail([], '451 4.2.0 Trying again').replace('Ada <ada@', '<mailer-daemon@'),
    'no_report',
  ],
  ['a report that is no complaint', complaint('not-spam'), 'other_report'],
  ['a report of DMARC', complaint('auth-failure'), 'other_report'],
  [
    'a notice that a mail was read',
    report({ report: ['Disposition: manual-action/MDN-sent-manually; displayed'] }).replaceAll(
      'delivery-status',
      'disposition-notification',
    ),
    'other_report',
  ],
  ['nothing', '', 'unreadable'],
  ['no mail', '\0\0\0', 'no_report'],
])('%s is no report', async (_what, text, reason) => {
  expect(await read(text)).toMatchObject({ kind: 'none', reason })
})

test('a code in the returned mail is not the one of the bounce', async () => {
  const quoted = lines(
    'From: MAILER-DAEMON@example.net',
    `To: ${TO}`,
    '',
    'The mail could not be delivered.',
    '',
    '------ This is a copy of your message. ------',
    '',
    '550 5.1.1 is what our notification is about',
  )
  const report = await read(quoted)
  expect(recipientsOf(report)).toEqual([
    { action: 'failed', error: 'The mail could not be delivered.', addresses: [], failing: [], words: '' },
  ])
})

test('a report in front of a large mail is read, and bombs end soon', async () => {
  const [postfix] = servers.Postfix as [string, object[]]
  const large = postfix.replace('Hello Ada', 'x'.repeat(76).concat('\r\n').repeat(20_000))
  expect(large.length).toBeGreaterThan(REPORT_BYTES_MAX)
  expect(recipientsOf(await read(large))).toMatchObject([{ status: '5.1.1' }])
  const nested = Array.from({ length: 2_000 }, (_, depth) =>
    lines(`Content-Type: multipart/mixed; boundary=b${depth}`, '', `--b${depth}`, ''),
  ).join('')
  const many = lines('Content-Type: multipart/mixed; boundary=b', '', ...Array<string>(50_000).fill('--b\r\n\r\n'))
  const fields = report({ report: Array.from({ length: 20_000 }, (_, n) => `F${n}: ${n}`) })
  const groups = report({ report: Array<string>(9_000).fill('Final-Recipient: a@b.co\r\n') })
  for (const bomb of [nested, many, fields, groups, '('.repeat(200_000), `To: ${'<'.repeat(200_000)}\r\n\r\n`]) {
    await withinWork(1_000, async () => {
      const report = await read(bomb)
      const recipients = report.kind === 'delivery' ? report.recipients : []
      expect(recipients.flatMap(({ addresses }) => addresses)).toEqual([])
    })
  }
})
