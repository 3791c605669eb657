/** An address is suppressed only by words about it, whether they come while a mail is sent, in a callback, in a report or in a notice. */
import { describe, expect, test } from 'vitest'
import { receiptEffects, runAdapter, runCallback } from '../providers/adapter.harness.ts'
import brevo from '../providers/email/brevo.ts'
import mailjet from '../providers/email/mailjet.ts'
import postmark from '../providers/email/postmark.ts'
import smtp from '../providers/email/smtp.ts'
import sparkpost from '../providers/email/sparkpost.ts'
import { inspectBounce } from './inspect-bounce.ts'

const code = (answer: string): number => Number(answer.slice(0, 3))

/** The outcome of the answer to `RCPT TO`. */
function outcomeOf(answer: string) {
  const settings = { host: 'mail.example.com', fromAddress: 'news@example.org' }
  const scene = { profile: { email: 'ada@example.com' }, settings, content: { subject: 'Hello', text: 'Hi' } }
  const reply = { kind: 'mail', code: code(answer), response: answer, refused: 'recipient' } as const
  return runAdapter(smtp, scene, reply).outcome
}

function whileSending(answer: string): boolean {
  const outcome = outcomeOf(answer)
  return 'gone' in outcome && outcome.gone !== undefined
}

function byCallback(answer: string): boolean {
  const event = { RecordType: 'Bounce', Type: 'HardBounce', Details: answer, Email: 'ada@example.com' }
  const body = { ...event, Metadata: { delivery_id: '1-691f0000-0000000000000000000000ab-0' }, BouncedAt: '2026-11-20' }
  const call = { headers: { 'x-postrider-token': 'token' }, body: Buffer.from(JSON.stringify(body)) }
  const effects = receiptEffects(runCallback(postmark, { webhookToken: 'token' }, call), 'email')
  expect(effects).toHaveLength(1)
  return effects[0] !== 'bounced SOFT'
}

const lines = (...all: string[]) => Buffer.from(all.join('\r\n'))
const isSuppressed = async (mail: Buffer): Promise<boolean> =>
  (await inspectBounce(mail, { envelopeSender: '' })).recipients.some(({ result }) => result === 'HARD')

const HEADER = [
  'From: Mail System <MAILER-DAEMON@mx.example.net>',
  'To: bounces@example.org',
  'Subject: Undelivered mail',
]

const byReport = (answer: string): Promise<boolean> =>
  isSuppressed(
    lines(
      ...HEADER,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      ...[
        '',
        '--b',
        '',
        'Sorry.',
        '',
        '--b',
        'Content-Type: message/delivery-status',
        '',
        'Reporting-MTA: dns; mx',
        '',
      ],
      ...['Final-Recipient: rfc822; ada@example.com', 'Action: failed', `Status: ${/5\.\d+\.\d+/.exec(answer)?.[0]}`],
      ...[`Diagnostic-Code: smtp; ${answer}`, '', '--b--', ''],
    ),
  )

const byNotice = (answer: string): Promise<boolean> =>
  isSuppressed(lines(...HEADER, '', 'A mail could not be delivered:', '', '<ada@example.com>:', answer, ''))

const suppressedBy = async (answer: string) => ({
  sending: whileSending(answer),
  callback: byCallback(answer),
  report: await byReport(answer),
  notice: await byNotice(answer),
})
const always = (is: boolean) => ({ sending: is, callback: is, report: is, notice: is })

/** Rows without the name of a server: `lib/Sisimai/Reason` of sisimai/p5-sisimai, and the same sentences in other languages. */
describe('the address stays', () => {
  test.each([
    ['Orange', '552 5.1.1 hibJumn68I371 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]'],
    ['Orange, French only', '552 5.1.1 g270oYR4MmRof Boîte du destinataire pleine.'],
    ['Dovecot', '552 5.1.1 <ada@example.com> Quota exceeded (mailbox for user is full)'],
    ['Sisimai, storage', '552 5.1.1 User has exhausted allowed storage space'],
    ['Postfix maildir', "550 5.1.1 The user's maildir has overdrawn his diskspace quota"],
    ['Postfix policy', '552 5.1.1 <ada@example.com>: Recipient address rejected: Mailbox size limit exceeded'],
    ['qmail-toaster', '550 5.1.1 user over quota. (#5.1.1)'],
    ['Web.de', '552 5.1.1 Requested mail action aborted: exceeded storage allocation'],
    ['Google', "550 5.1.1 The recipient's inbox is out of storage space"],
    ['Exchange', '550 5.1.1 STOREDRV.Deliver; mailbox full'],
    ['an underscore', '550 5.1.1 Account is full (OVER_QUOTA), ask the user to empty the inbox'],
    ['CommuniGate', '550 5.1.1 account is full (quota exceeded)'],
    ['Sisimai, space', '550 5.1.1 Not enough storage space'],
    ['a constant', '552 5.1.1 MAILBOX_FULL'],
    ['a hyphen', '550 5.1.1 <ada@example.com>: mailbox-full'],
    ['a name of an exception', '550 5.1.1 QuotaExceeded'],
    ['French, quota', '550 5.1.1 Le quota de la boîte est dépassé'],
    ['German, quota', '550 5.1.1 Quota überschritten'],
    ['Italian, quota', '550 5.1.1 Quota superata'],
    ['Dutch, quota', '550 5.1.1 Quota overschreden'],
    ['Spanish, quota', '550 5.1.1 cuota de disco llena'],
    ['German', '550 5.1.1 Das Postfach des Empfängers ist voll'],
    ['Spanish', '550 5.1.1 El buzón del destinatario está lleno'],
    ['Italian', '550 5.1.1 La casella del destinatario è piena'],
    ['Portuguese', '550 5.1.1 A caixa postal do destinatário está cheia'],
    ['Russian', '550 5.1.1 Почтовый ящик переполнен'],
    ['Japanese', '550 5.1.1 メールボックスがいっぱいです'],
    ['Chinese', '550 5.1.1 收件人邮箱已满'],
  ])('its mailbox is full: %s', async (_origin, answer) => expect(await suppressedBy(answer)).toEqual(always(false)))

  test.each([
    ['Postfix', '550 5.1.1 <news@example.org>: Sender address rejected: User unknown in virtual mailbox table'],
    ['Orange', '550 5.1.1 Emetteur invalide. Invalid Sender. OFR_415 [415]'],
    ['Exim', '550 5.1.1 Callback setup failed while verifying <news@example.org>'],
    ['Exim, verify = sender', '550 5.1.1 Sender verify failed'],
    ['a bad address', '550 5.1.3 Invalid MAIL FROM address'],
    ['a return address', '550 5.1.1 Your return address does not accept bounces'],
    ['BATV', '550 5.1.1 Recipient not accepted. (batv: no tag)'],
    ['German', '550 5.1.1 Die Absenderadresse wurde abgelehnt'],
    ['Portuguese', '550 5.1.1 remetente inválido'],
    ['X.400', '550 5.1.1 Originator unknown'],
    ['a report of another', '550 5.1.1 Error: no third-party DSNs'],
  ])('the sender is refused: %s', async (_origin, answer) => expect(await suppressedBy(answer)).toEqual(always(false)))

  test.each([
    ['Postfix', '550 5.1.1 mail from 192.0.2.1 blocked using zen.spamhaus.org'],
    ['a network', '550 5.1.1 Mail from 192.0.2.1 refused'],
    ['Sendmail', '550 5.1.1 <ada@example.com>... Rejected: 192.0.2.1 listed at zen.spamhaus.org'],
    ['Exchange Online', '550 5.1.1 Access denied, banned sending IP [192.0.2.1]'],
    ['Mail.ru', '550 5.1.1 We do not accept mail from dynamic IPs'],
    ['GMX', '554 5.1.1 Bad DNS PTR resource record.'],
    ['Postfix HELO', '550 5.1.1 <mail>: Helo command rejected: need fully-qualified hostname'],
    ['T-Online', '554 5.1.1 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help)'],
    ['Mimecast', '550 5.1.1 This route requires encryption (TLS)'],
    ['Postfix, a network', '550 5.1.1 Mail from your IP address 192.0.2.1 is not accepted'],
  ])('the host is refused: %s', async (_origin, answer) => expect(await suppressedBy(answer)).toEqual(always(false)))

  test.each([
    ['GoDaddy', '550 5.1.1 <ada@example.com> - 192.0.2.1 has sent to too many recipients this hour. IB607'],
    ['Postgrey', '550 5.1.1 <ada@example.com>: Recipient address rejected: Greylisted'],
    ['Gmail', '550 5.1.1 The user is receiving mail at a rate that prevents additional messages'],
    ['La Poste', '550 5.1.1 Service refuse. Veuillez essayer plus tard. LPN001_108'],
    ['QQ', '550 5.1.1 Connection frequency limited'],
    ['Sendmail', '552 5.1.1 Message size exceeds fixed maximum message size (10485760)'],
    ['Postfix, verification', '550 5.1.1 Recipient verification is not available right now, try again later'],
    ['a directory', '550 5.1.1 cannot verify recipient: LDAP server unavailable'],
    ['German', '550 5.1.1 Empfänger vorübergehend nicht erreichbar'],
    ['German, at present', '550 5.1.1 derzeit nicht verfügbar'],
    ['a lock', '550 5.1.1 Mailbox busy'],
    ['a resolver', '550 5.1.2 DNS server failure'],
    [
      'Postfix, address probe',
      '550 5.1.1 <ada@example.com>: Recipient address rejected: unverified address: connect to mx.example.com[192.0.2.1]:25: Connection timed out',
    ],
  ])('for now, or by a limit: %s', async (_origin, answer) => expect(await suppressedBy(answer)).toEqual(always(false)))
})

describe('the address does not exist, whatever is said of the sender', () => {
  test.each([
    [
      'Exim, callout of the recipient',
      '550 5.1.1 Callout verification failed: 550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown',
    ],
    [
      'cPanel',
      '550 5.1.1 The mail server could not deliver mail to ada@example.com. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.',
    ],
    ['a warning', '550 5.1.1 User unknown. Your IP address (192.0.2.1) has been blocked for dictionary attacks'],
    ['the IP address of the sender', '550 5.1.1 Mailbox does not exist [sender ip 192.0.2.1]'],
    ['checks that passed', '550 5.1.1 User unknown (SPF=pass DKIM=pass DMARC=pass)'],
    ['the name of a gateway', '550 5.1.1 User unknown (Anti-Spam-Gateway)'],
    ['a relay', '550 5.1.1 <ada@example.com> Addressee unknown, relay=[192.0.2.1]'],
    ['the domain of a relay', '550 5.1.1 <ada@example.com>: Recipient address rejected: not found in relay domain'],
    ['a notification', '550 5.1.1 No such user, sender not notified'],
  ])('%s', async (_origin, answer) => {
    expect(await suppressedBy(answer)).toEqual(always(true))
    expect(outcomeOf(answer)).toMatchObject({ scope: 'recipient' })
  })
})

/** A notice may name many recipients: the mail with the address of a message judges those. */
describe('another address failed', () => {
  test.each([
    [
      'the next of a verification',
      '550 5.1.1 <ada@example.com>: undeliverable address: host mx.other.example said: 550 5.1.1 <bob@other.example> User unknown',
    ],
    [
      'the next alone',
      '550 5.1.1 <bob@other.example>: Recipient address rejected: User unknown in virtual mailbox table',
    ],
    ['the sender', '550 5.1.1 <news@example.org>: User unknown'],
    ['a forwarding', '550 5.1.1 The forwarding address of ada@example.com does not exist'],
    ['an alias', '550 5.1.1 alias ada@example.com points to unknown user'],
  ])('%s', async (_origin, answer) => {
    const { notice: _notice, ...by } = await suppressedBy(answer)
    expect(by).toEqual({ sending: false, callback: false, report: false })
  })

  test.each([
    ['a contact', '550 5.1.1 User unknown; contact helpdesk@example.com'],
    ['a postmaster', '550 5.1.1 User unknown (postmaster@mx.example.net)'],
    ['the sender beside it', '550 5.1.1 User unknown; from=<news@example.org> to=<ada@example.com>'],
    ['a new address', '551 5.1.6 User has moved to ada@other.example; please try <ada@other.example>'],
    ['the host behind its domain', '550 5.1.1 <ADA@mx.example.com>: User unknown'],
  ])('not by %s', (_origin, answer) => {
    expect([whileSending(answer), byCallback(answer)]).toEqual([true, true])
  })

  const deliveryId = '1-691f0000-0000000000000000000000ab-0'
  const events = (email: string, reason: string) =>
    [
      [brevo, { event: 'hard_bounce', reason, email, 'X-Mailin-custom': `delivery_id:${deliveryId}`, ts_event: 1 }],
      [
        sparkpost,
        [
          {
            msys: {
              message_event: {
                ...{ type: 'bounce', bounce_class: '10', raw_reason: reason, rcpt_to: email, timestamp: '1' },
                rcpt_meta: { delivery_id: deliveryId },
              },
            },
          },
        ],
      ],
      [mailjet, { event: 'bounce', hard_bounce: true, comment: reason, CustomID: deliveryId, email, time: 1 }],
    ] as const

  test.each([
    ['bob@other.example', 'bounced SOFT'],
    ['ada@example.com', 'bounced HARD: hard_bounce of ada@example.com'],
  ])('an event about a mail to ada@example.com, in which %s is unknown, is %s', (unknown, effect) => {
    for (const [adapter, event] of events('ada@example.com', `550 5.1.1 <${unknown}>: User unknown`)) {
      const headers = { authorization: `Basic ${btoa('postrider:token')}` }
      const settings = { webhookToken: 'token', webhookPassword: 'token' }
      const call = { headers, body: Buffer.from(JSON.stringify(event)) }
      expect(receiptEffects(runCallback(adapter, settings, call), 'email')).toEqual([effect])
    }
  })
})

/** Such answers open the circuit breaker of an integration where they are taken for its own. */
test.each([
  ['recipient', '550 5.7.1 No such user! 1490788926-Ab12'],
  ['recipient', '550 5.7.1 <ada@example.com>: Recipient address rejected: User unknown'],
  ['recipient', '550 User unknown [192.5.6.30]'],
  ['recipient', '550 No such user here (client 10.5.7.12)'],
  ['recipient', '552 1 Requested mail action aborted, mailbox not found'],
  ['recipient', '557 user unknown'],
  ['recipient', '550 <ada@relay.example> User unknown'],
  ['content', '552 5.3.4 Message too big'],
  ['content', '552 Requested mail action aborted: exceeded storage allocation'],
  ['configuration', '550 5.7.1 Relaying denied'],
  ['configuration', '553 5.1.8 <news@example.org>... Domain of sender address news@example.org does not exist'],
  ['configuration', '550 5.1.8 unknown user'],
  ['configuration', '550 5.1.1 <news@example.org>: Sender address rejected: User unknown in virtual mailbox table'],
  ['configuration', '550 Sender verify failed: no such user'],
  ['configuration', "550 The sender's mailbox does not exist"],
  ['configuration', '550 Invalid sender: user unknown'],
  ['configuration', '550 5.7.1 Mail from unknown user rejected'],
  ['configuration', '550 5.7.1 PTR record of 192.0.2.1 does not exist'],
  ['configuration', '554 5.7.1 [192.0.2.1] listed at zen.spamhaus.org; user unknown'],
  ['configuration', '554 5.7.1 Client host [192.0.2.1] blocked using zen.spamhaus.org; mailbox not found'],
  ['configuration', '550 5.7.1 Your host is unknown in DNS, reverse lookup failed'],
])('the %s is refused: %s', (scope, answer) => expect(outcomeOf(answer)).toMatchObject({ scope }))

test.each([
  ['Postfix', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in virtual mailbox table'],
  [
    'Postfix, relayed',
    '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown in relay recipient table',
  ],
  [
    'Gmail',
    '550 5.1.1 The email account that you tried to reach does not exist. Please try double-checking the address',
  ],
  ['Exchange Online', '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
  ['Sendmail', '550 5.1.1 <ada@example.com>... User unknown'],
  ['qmail', '550 sorry, no mailbox here by that name. (#5.1.1)'],
  ['chkuser', '511 sorry, no mailbox here by that name (#5.1.1 - chkuser)'],
  ['the code behind the address', '550 <ada@example.com>: 5.1.1 user unknown'],
  ['Sisimai, mailbox', '550 5.1.1 <ada@example.com> No mailbox by that name is currently available'],
  ['Yahoo', "554 5.1.1 delivery error: dd This user doesn't have an account (ada@example.com) [0]"],
  ['Orange', '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]'],
  ['GMX', '550 5.1.1 Requested action not taken: mailbox unavailable'],
  ['Dovecot', "550 5.1.1 <ada@example.com> User doesn't exist: ada@example.com"],
  ['Comcast', '550 5.1.1 Not our Customer'],
  ['Proofpoint', '550 5.1.1 User Unknown'],
  ['MDaemon', '550 5.1.1 <ada@example.com>, Recipient unknown'],
  ['a mailbox that is not in use', '550 5.1.1 account disabled (exceeded maximum inactive time)'],
  ['the same, blocked', '550 5.1.1 Account blocked due to inactivity'],
  ['an address for a time', '550 5.1.1 This was a temporary address and has expired'],
  ['advice', '550 5.1.1 No such user here. Please check the address and try again later'],
  ['advice against it', '550 5.1.1 No such user. Do not try again later'],
  ['a mailbox with a name of the lists', '550 5.1.1 <ada@example.com>: unknown user at quota.spam.example'],
])('the address does not exist: %s', async (_origin, answer) =>
  expect(await suppressedBy(answer)).toEqual(always(true)),
)

test.each([
  [
    'Exim',
    'SMTP error from remote mail server after pipelined MAIL FROM:<b@example.org> SIZE=1:\r\n550 5.1.1 User unknown',
  ],
  ['Postfix', 'host mx.example.com[192.0.2.3] refused to talk to me: 554 5.1.1 no users here for you'],
  ['Postfix, HELO', 'host mx.example.com[192.0.2.3] said: 550 5.1.1 unknown (in reply to EHLO command)'],
  ['qmail', 'Connected to 192.0.2.3 but greeting failed.\r\nRemote host said: 554 5.1.1 no users here'],
  ['qmail, HELO', 'Connected to 192.0.2.3 but my name was rejected.\r\nRemote host said: 550 5.1.1 unknown'],
  ['Sendmail', '>>> MAIL From:<b@example.org> SIZE=12\r\n<<< 550 5.1.1 unknown user'],
  ['MDaemon', ' <-- 220 mx ESMTP\r\n --> MAIL From:<b@example.org>\r\n <-- 550 5.1.1 unknown user'],
])('an answer to the sender or the connection, in words: %s', async (_origin, answer) =>
  expect(await byNotice(answer)).toBe(false),
)

test.each([
  ['Exim', 'SMTP error from remote mail server after pipelined RCPT TO:<ada@example.com>:\r\n550 5.1.1 User unknown'],
  [
    'Sendmail',
    '>>> MAIL From:<b@example.org>\r\n<<< 250 ok\r\n>>> RCPT To:<ada@example.com>\r\n<<< 550 5.1.1 unknown user',
  ],
  [
    'MDaemon',
    ' --> MAIL From:b@example.org\r\n <-- 250 ok\r\n --> RCPT To:ada@example.com\r\n <-- 550 5.1.1 unknown user',
  ],
  [
    'the next server',
    'The mail server at 192.0.2.3 rejected the recipient. Server said: 550 5.1.1 mailbox unavailable',
  ],
  ['a hint', '550 5.1.1 User unknown\r\nPlease contact your system administrator if this does not help.'],
  ['a filter', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown (SpamTitan)'],
  ['an earlier attempt', 'host mx1.example.com: Connection refused\r\nhost mx2.example.com: 550 5.1.1 User unknown'],
])('an answer to the recipient, in words: %s', async (_origin, answer) => expect(await byNotice(answer)).toBe(true))
