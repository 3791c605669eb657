/** SMTP: one mail request for a message, and what each answer of a mail server means. */
import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Failure, HttpRequest, MailReply, MailRequest, Reply } from '../../base/exchange.ts'
import { RUN_AT, replied, runAdapter, type Scene } from '../adapter.harness.ts'
import { bounceTokenLength } from '../bounce-mails.ts'
import { checkSettings } from '../settings.ts'
import smtp from './smtp.ts'

const scene: Scene = {
  profile: { email: 'ada@example.com' },
  settings: {
    host: 'mail.example.com',
    user: 'postrider',
    password: 'mail-secret',
    fromAddress: 'news@example.org',
    fromName: 'News',
  },
  content: { subject: 'Hello', html: '<p>Hi</p>', text: 'Hi' },
}
const answered = (code: number, response = 'said', refused: MailReply['refused'] = 'recipient'): Reply =>
  code < 400 ? { kind: 'mail', code, response } : { kind: 'mail', code, response, refused }
const run = (changes: Partial<Scene> = {}, reply: Reply = answered(250)) =>
  runAdapter(smtp, { ...scene, ...changes }, reply)
const mailOf = (changes: Partial<Scene>) => (run(changes).requests[0] as MailRequest).mail
const overridden = (body: Record<string, unknown>) => ({ override: { body } })

test('a message becomes one mail', () => {
  expect(run().requests).toEqual([
    {
      kind: 'mail',
      final: true,
      server: { host: 'mail.example.com', port: 587, security: 'starttls', user: 'postrider', password: 'mail-secret' },
      mail: {
        messageId: 'delivery-1@example.org',
        date: RUN_AT,
        from: { name: 'News', address: 'news@example.org' },
        to: [{ address: 'ada@example.com' }],
        subject: 'Hello',
        html: '<p>Hi</p>',
        text: 'Hi',
        headers: {},
      },
    },
  ])
})

test('copies that were not taken are named in the reference and in findings, without secrets', () => {
  const copy = (address: string, error: string) => ({ address, error, isTemporary: error.startsWith('4') })
  const copiesNotTaken = [
    copy('b@x.example', '550 no'),
    copy('c@x.example', '450 mail-secret'),
    copy('d@x.example', '550 no'),
  ]
  const deferred = { from: 'news@example.org', to: ['c@x.example'], text: 'Hi', needsUtf8: false }
  const reply: Reply = { kind: 'mail', code: 250, response: '250 taken', copiesNotTaken, deferred }
  expect(run({}, reply).outcome).toEqual({
    kind: 'sent',
    delivered: false,
    reference: {
      message_id: 'delivery-1@example.org',
      response: '250 taken; not taken: b@x.example, d@x.example (550 no); not taken: c@x.example (450 ********)',
    },
    findings: [
      'The copy to b@x.example was not taken: 550 no',
      'The copy to c@x.example was deferred, and is tried again: 450 ********',
      'The copy to d@x.example was not taken: 550 no',
    ],
    deferred,
  })
})

describe('copies that were refused for now', () => {
  const token = 'a'.repeat(bounceTokenLength)
  const mail = {
    from: `bounces+${token}@example.org`,
    to: ['b@x.example', 'c@x.example'],
    text: 'Hi',
    needsUtf8: false,
  }
  const client = { clientId: 'client', clientSecret: 'secret', tokenUrl: 'https://id.example/token' }
  const withClient = { host: 'mail.example.com', user: 'postrider', ...client }

  /** The requests, and the copies that were not taken. */
  function deliver(replies: readonly Reply[], of: Record<string, unknown> = scene.settings) {
    const delivery = smtp.deliverCopies!({ mail, settings: of, now: RUN_AT })
    const requests: unknown[] = []
    let step = delivery.next()
    while (!step.done) {
      requests.push(step.value)
      step = delivery.next(replies[requests.length - 1]!)
    }
    return { requests, ...step.value }
  }
  const all = (error: string, isTemporary: boolean) => mail.to.map((address) => ({ address, error, isTemporary }))

  test('one request hands the mail over as it was built', () => {
    const copiesNotTaken = [{ address: 'c@x.example', error: `450 ${token} mail-secret`, isTemporary: true }]
    const reply: Reply = { kind: 'mail', code: 250, response: '250 taken', copiesNotTaken }
    const server = {
      host: 'mail.example.com',
      port: 587,
      security: 'starttls',
      user: 'postrider',
      password: 'mail-secret',
    }
    expect(deliver([reply])).toEqual({
      requests: [{ kind: 'copies', server, mail }],
      notTaken: [{ address: 'c@x.example', error: '450 ******** ********', isTemporary: true }],
    })
    expect(deliver([answered(250)]).notTaken).toEqual([])
  })

  const failure = (reached: boolean, kind: Failure['failure'] = 'reset'): Failure => ({
    ...{ kind: 'failure', failure: kind, message: 'cut', reached },
  })
  test.each<[string, Reply, readonly unknown[], boolean]>([
    ['the content for good', answered(550, '550 no', 'content'), all('550 no', false), false],
    ['the content for now', answered(451, '451 later', 'content'), all('451 later', true), false],
    ['the sender, which is repaired', answered(550, '550 no', 'sender'), all('550 no', true), true],
    ['the sign-in, which is repaired', { kind: 'mail', code: 535, response: '535 no' }, all('535 no', true), true],
    ['nothing: it was not reached', failure(false), all('reset: cut', true), true],
    ['nothing, but may have them', failure(true), all('It may have been sent: reset: cut', false), false],
    ['nothing: the process stops', failure(true, 'aborted'), all('aborted: cut', true), false],
  ])('a server that refuses %s', (_what, reply, expected, isUnreachable) => {
    expect(deliver([reply])).toMatchObject({ notTaken: expected, isUnreachable })
  })

  test('a client signs in with a token, once more with a new one; without one the copies wait', () => {
    const issued = replied(200, { access_token: 'T' })
    const refused: Reply = { kind: 'mail', code: 535, response: '535 T' }
    const { requests, notTaken } = deliver([issued, refused, issued, answered(250)], withClient)
    expect(requests.map((request) => (request as { kind: string }).kind)).toEqual(['http', 'copies', 'http', 'copies'])
    expect(notTaken).toEqual([])
    expect(deliver([{ ...issued, status: 500 } as Reply], withClient).notTaken).toMatchObject(
      mail.to.map((address) => ({ address, isTemporary: true })),
    )
  })
})

test('with an address for bounces the envelope names one of this delivery, the header stays', () => {
  const settings = { ...scene.settings, bounceAddress: 'bounces@example.org' }
  const made: unknown[] = []
  const bounceAddressFor = (...parts: [string, string, boolean]) => {
    made.push(parts)
    return parts[2] ? 'bounces+copies@example.org' : 'bounces+token@example.org'
  }
  const sender = { envelopeFrom: 'bounces+token@example.org', from: { address: 'news@example.org' } }
  expect(mailOf({ settings, bounceAddressFor })).toMatchObject(sender)
  // Copies have another one: their readers could make up a bounce of the addressee.
  const copied = { cc: 'c@example.com', bcc: 'b@example.com' }
  expect(mailOf({ settings, bounceAddressFor, email: copied })).toMatchObject({
    ...sender,
    copiesFrom: 'bounces+copies@example.org',
  })
  expect(made).toEqual([
    ['bounces@example.org', 'ada@example.com', false],
    ['bounces@example.org', 'ada@example.com', false],
    ['bounces@example.org', 'ada@example.com', true],
  ])
  // An override may name the address where the integration has none.
  expect(mailOf({ settings })).toMatchObject({ envelopeFrom: 'bounces@example.org' })
  expect(mailOf({ bounceAddressFor })).not.toHaveProperty('envelopeFrom')
  expect(checkSettings(smtp, { ...settings, bounceAddress: 'twelve-chars@example.org' })).toEqual([
    'bounceAddress: at most 11 characters can stand before the @, so that a token fits behind them',
  ])
})

test('the channel override names sender, copies, headers and attachments', () => {
  const email = {
    from: 'Bea <bea@example.org>',
    replyTo: 'help@example.org',
    cc: 'c1@example.com, "Two, C" <c2@example.com>',
    bcc: [{ email: 'b@example.com' }],
    headers: { 'X-Team': 'blue', 'X-Number': 7 },
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', data: 'aGk=' }],
  }
  expect(mailOf({ email })).toMatchObject({
    from: { name: 'Bea', address: 'bea@example.org' },
    replyTo: [{ address: 'help@example.org' }],
    cc: [{ address: 'c1@example.com' }, { name: 'Two, C', address: 'c2@example.com' }],
    bcc: [{ address: 'b@example.com' }],
    headers: { 'X-Team': 'blue', 'X-Number': '7' },
    attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGk=' }],
  })
})

test('the provider override is merged onto the mail, and the rest stays', () => {
  const mail = mailOf(overridden({ subject: 'Changed', to: 'bob@example.com', from: { name: 'Other' } }))
  expect(mail).toMatchObject({
    subject: 'Changed',
    to: [{ address: 'bob@example.com' }],
    from: { name: 'Other', address: 'news@example.org' },
    html: '<p>Hi</p>',
  })
})

test('attachments arrive byte by byte', () => {
  const bytes = Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index * 31) & 255))
  const spellings = [
    { content: bytes.toString('base64'), encoding: 'base64' },
    { content: bytes.toString('base64').replace(/(.{76})/g, '$1\r\n') },
    { data: bytes.toString('base64url') },
  ]
  const { attachments } = mailOf(overridden({ attachments: spellings }))
  for (const item of attachments ?? []) expect(Buffer.from(item.content, 'base64').equals(bytes)).toBe(true)
  expect(attachments).toHaveLength(3)
  const [text] = mailOf(overridden({ attachments: [{ content: 'plain text', encoding: 'utf-8' }] })).attachments ?? []
  expect(Buffer.from(text!.content, 'base64').toString()).toBe('plain text')
})

test.each([
  [{ subject: 'a\r\nBcc: eve@example.com' }, 'subject must not contain line breaks'],
  [{ to: 'c@d.co\r\nBcc: x@y.co' }, 'to has an invalid mail address'],
  [{ to: [] }, 'to is missing'],
  [{ to: 7 }, 'to has an invalid mail address'],
  [{ from: '' }, 'from is missing'],
  [{ from: 'a@b.co, c@d.co' }, 'from takes one mail address'],
  [{ from: { name: 'x\ny' } }, 'from.name must not contain line breaks'],
  [{ cc: 'no-address' }, 'cc has an invalid mail address'],
  [{ headers: { 'X-A': 'b\nc' } }, 'headers.X-A must not contain line breaks'],
  [{ headers: { 'X A': 'b' } }, 'headers has a name that is not a header name'],
  [{ headers: { BCC: 'eve@example.com' } }, 'headers.BCC cannot be set'],
  [{ headers: 'X-A: b' }, 'headers must be an object'],
  [{ html: 5 }, 'html must be a string'],
  [{ attachments: 'x' }, 'attachments must be an array'],
  [{ attachments: [{ content: 'not base64!' }] }, 'attachments[0].content must be base64'],
  [{ attachments: [{ content: 'aGkab' }] }, 'attachments[0].content must be base64'],
  [{ attachments: [{ content: '', filename: 'a"\r\nX: y' }] }, 'attachments[0].filename must not contain line breaks'],
  [
    { attachments: [{ content: '', contentType: 'text/plain\r\nX: y' }] },
    'attachments[0].contentType must not contain line breaks',
  ],
  [{ attachments: [{ content: '', type: 'plain' }] }, 'attachments[0].contentType must be a media type'],
])('the override %j is refused', (body, error) => {
  const { requests, outcome } = run(overridden(body))
  expect(outcome).toEqual({ kind: 'rejected', scope: 'content', error })
  expect(requests).toEqual([])
})

test('the port chooses the security, unless the settings do', () => {
  const server = (settings: Record<string, unknown>) =>
    (run({ settings: { ...scene.settings, ...settings } }).requests[0] as MailRequest).server
  expect(server({ port: 465 })).toMatchObject({ port: 465, security: 'tls' })
  expect(server({ port: 1025, security: 'opportunistic' })).toMatchObject({ port: 1025, security: 'opportunistic' })
})

test.each([{ host: 'evil.example' }, { port: 25 }, { security: 'opportunistic' }])(
  'the stored password does not follow the config %j',
  (config) => {
    const { requests } = run({ override: { config } })
    expect(requests[0]).toMatchObject({ server: config })
    expect(JSON.stringify(requests)).not.toContain('mail-secret')
  },
)

test.each([
  [
    250,
    '2.0.0 queued',
    { kind: 'sent', delivered: false, reference: { message_id: 'delivery-1@example.org', response: '2.0.0 queued' } },
  ],
  [421, 'closing', { kind: 'retry', attempted: true, error: '421 closing' }],
  [451, '4.7.1 greylisted', { kind: 'retry', attempted: true, error: '451 4.7.1 greylisted' }],
  [
    550,
    '550 5.1.1 no such user',
    { kind: 'rejected', scope: 'recipient', gone: 'hard_bounce', error: '550 5.1.1 no such user' },
  ],
  [551, 'moved', { kind: 'rejected', scope: 'recipient', error: '551 moved' }],
  [552, '5.2.2 mailbox full', { kind: 'rejected', scope: 'recipient', error: '552 5.2.2 mailbox full' }],
  [552, '5.3.4 too big', { kind: 'rejected', scope: 'content', error: '552 5.3.4 too big' }],
  [553, '5.1.8 bad sender', { kind: 'rejected', scope: 'configuration', error: '553 5.1.8 bad sender' }],
  [554, 'no', { kind: 'rejected', scope: 'recipient', error: '554 no' }],
  [530, 'sign in first', { kind: 'rejected', scope: 'configuration', error: '530 sign in first' }],
  [
    535,
    '5.7.8 mail-secret is\r\nwrong',
    { kind: 'rejected', scope: 'configuration', error: '535 5.7.8 ******** is wrong' },
  ],
])('%i %s', (code, response, outcome) => {
  expect(run({}, answered(code, response)).outcome).toEqual(outcome)
})

test.each([
  ['session', '554 your address is listed', 'configuration'],
  ['session', '550 5.1.1 no', 'configuration'],
  ['sender', '550 sender unknown', 'configuration'],
  ['sender', '553 5.1.0 sender unknown', 'configuration'],
  ['sender', '554 5.7.1 not authorized', 'configuration'],
  ['sender', '552 too big', 'content'],
  ['sender', '552 5.3.4 too big', 'content'],
  ['sender', '501 5.6.7 no SMTPUTF8', 'content'],
  ['recipient', '550 no such user', 'recipient'],
  ['recipient', '550 5.4.1 address rejected', 'recipient'],
  ['recipient', '550 5.5.0 mailbox unavailable', 'recipient'],
  ['recipient', '550 relay not permitted', 'configuration'],
  ['recipient', '554 5.7.1 Relay access denied', 'configuration'],
  ['recipient', '550 5.7.1 blocked', 'configuration'],
  ['recipient', '550 5.1.1 <news@example.org>: Sender address rejected: undeliverable address', 'configuration'],
  ['recipient', '550 5.1.1 203.0.113.9 is listed at zen.spamhaus.org', 'configuration'],
  ['recipient', '550 5.1.1 <ada@example.com>: Recipient address rejected: User unknown', 'recipient'],
  ['recipient', '552 5.2.2 <ada@example.com>: Mailbox over quota', 'recipient'],
  ['recipient', '503 5.5.1 bad order', 'configuration'],
  ['content', '554 5.7.1 spam', 'content'],
  ['content', '550 spam', 'content'],
  ['content', '550 5.1.1 no such user', 'recipient'],
  ['content', '552 5.2.2 mailbox full', 'recipient'],
  ['content', '550 5.1.8 bad sender', 'configuration'],
] as const)('a rejection of the %s by %j has the right cause', (part, response, scope) => {
  const reply: MailReply = { kind: 'mail', code: Number.parseInt(response, 10), response }
  const refused = part === 'session' ? reply : { ...reply, refused: part }
  expect(run({}, refused).outcome).toMatchObject({ kind: 'rejected', scope })
})

test('a cut connection is in doubt only after the server may have taken the mail', () => {
  const cut = (reached: boolean): Failure => ({ kind: 'failure', failure: 'reset', message: 'cut', reached })
  expect(run({}, cut(true)).outcome).toEqual({ kind: 'in_doubt', error: 'reset: cut' })
  expect(run({}, cut(false)).outcome).toEqual({ kind: 'retry', error: 'reset: cut', attempted: true })
})

test('a server without the encryption that the settings require is an error of the settings', () => {
  const reply: Failure = { kind: 'failure', failure: 'unencrypted', message: 'no STARTTLS', reached: false }
  expect(run({}, reply).outcome).toEqual({
    kind: 'rejected',
    scope: 'configuration',
    error: 'unencrypted: no STARTTLS',
  })
})

test('a profile without a usable address cannot be reached', () => {
  for (const email of [undefined, '', 'no-address', 'a@b.co, c@d.co', 'a@b.co\r\nBcc: x@y.co', ['a@b.co'], 7])
    expect(smtp.contact({ email }, scene.settings as never, { recipient: 'ada' })).toBeUndefined()
})

test('a subject of several lines and a reserved header are errors before any request', () => {
  for (const subject of ['Hi\r\nBcc: eve@example.com', 'Hi\nthere'])
    expect(() => run({ content: { ...scene.content, subject } })).toThrow('subject must not contain line breaks')
  for (const name of ['From', 'Resent-To', 'Delivered-To', 'Content-Type', 'ARC-Seal', 'Received-SPF'])
    expect(() => run({ email: { headers: { [name]: 'x' } } })).toThrow(`headers.${name} cannot be set`)
})

test.each(['mail.example.com:587', 'smtp://mail.example.com', 'mail.example.com/x', 'two words', ''])(
  'the host `%s` is an error in plain words',
  (host) => {
    expect(checkSettings(smtp, { host, fromAddress: 'shop@example.com' })).toEqual([
      'host must be the name or address of a host, without a port or a path',
    ])
  },
)

test.each(['mail', 'mail.example.com', '127.0.0.1', '::1', '2001:db8::25', '::ffff:10.0.0.1', 'smtp_1.internal'])(
  'the host `%s` is taken',
  (host) => {
    expect(checkSettings(smtp, { host, fromAddress: 'shop@example.com' })).toEqual([])
  },
)

test.each<[string, Reply, Partial<Scene>, string | undefined]>([
  ['no such mailbox', answered(550, '550-5.1.1 no such user'), {}, 'hard_bounce'],
  ['no such domain', answered(550, '5.1.2 no such domain'), {}, 'hard_bounce'],
  ['no address at all', answered(501, '5.1.3 bad syntax'), {}, 'invalid_address'],
  ['a domain without mail', answered(556, '556 5.1.10 null MX'), {}, 'hard_bounce'],
  ['policy', answered(550, '550 5.7.1 blocked'), {}, undefined],
  ['a full mailbox', answered(552, '552 5.2.2 full'), {}, undefined],
  ['too much mail', answered(550, '550 5.2.1 too fast'), {}, undefined],
  ['no enhanced code', answered(550, '550 no such user'), {}, undefined],
  ['a number in the text', answered(550, '550 Host 5.1.1.7 is listed, see 5.1.1'), {}, undefined],
  ['a code for a while', answered(451, '451 5.1.1 later'), {}, undefined],
  ['the sender', answered(550, '550 5.1.1 no such user', 'sender'), {}, undefined],
  ['after the content', answered(550, '550 5.1.1 no such user', 'content'), {}, 'hard_bounce'],
  [
    'a copy beside it',
    answered(550, '550 5.1.1 one of them', 'content'),
    { email: { bcc: 'b@example.com' } },
    undefined,
  ],
  [
    'the addressee beside a copy',
    answered(550, '550 5.1.1 no such user', 'recipient'),
    { email: { bcc: 'b@example.com' } },
    'hard_bounce',
  ],
  ['an address of the override', answered(550, '550 5.1.1 no'), overridden({ to: 'bob@example.com' }), undefined],
])('whether the address is gone: %s', (_title, reply, changes, gone) => {
  const { outcome } = run(changes, reply)
  expect('gone' in outcome ? outcome.gone : undefined).toBe(gone)
})

test('an address beyond ASCII is reached; a server that does not take it leaves it to the next integration', () => {
  const profile = { email: 'jürgen@bücher.example' }
  expect(mailOf({ profile }).to).toEqual([{ address: 'jürgen@xn--bcher-kva.example' }])
  const reply: Failure = { kind: 'failure', failure: 'unsupported', message: 'no SMTPUTF8', reached: false }
  expect(run({ profile }, reply).outcome).toEqual({
    kind: 'rejected',
    scope: 'content',
    error: 'unsupported: no SMTPUTF8',
  })
})

describe('OAuth 2.0', () => {
  const client = {
    clientId: 'client-1',
    clientSecret: 'SECRET-C',
    refreshToken: 'SECRET-R',
    tokenUrl: 'https://login.example.com/token',
  }
  const { password: _password, ...server } = scene.settings
  const settings = { ...server, ...client }
  const granted = (token: string) => replied(200, { access_token: token, token_type: 'Bearer', expires_in: 3_599 })
  const sent = (...replies: Reply[]) => runAdapter(smtp, { ...scene, settings }, ...replies)

  test('a refresh token gets an access token, and the session is opened with it', () => {
    const { requests, outcome } = sent(granted('token-1'), answered(250))
    const [token, mail] = requests as [HttpRequest, MailRequest]
    expect(token).toMatchObject({
      method: 'POST',
      url: 'https://login.example.com/token',
      final: false,
      cache: { lifetimeMs: 3_600_000, lifetimeField: 'expires_in', containing: '"access_token"' },
    })
    expect(Object.fromEntries(new URLSearchParams(token.body))).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'SECRET-R',
      client_id: 'client-1',
      client_secret: 'SECRET-C',
    })
    expect(mail.server).toEqual({
      host: 'mail.example.com',
      port: 587,
      security: 'starttls',
      user: 'postrider',
      accessToken: 'token-1',
    })
    expect(outcome.kind).toBe('sent')
  })

  test('without a refresh token the client signs in for itself', () => {
    const { refreshToken: _token, ...alone } = settings
    const scope = 'https://outlook.office365.com/.default'
    const run = runAdapter(smtp, { ...scene, settings: { ...alone, scope } }, granted('token-1'), answered(250))
    expect(Object.fromEntries(new URLSearchParams((run.requests[0] as HttpRequest).body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'SECRET-C',
      scope,
    })
  })

  test('a fixed access token needs no request for one', () => {
    const { requests } = run({ settings: { ...server, accessToken: 'SECRET-A' } })
    expect(requests).toMatchObject([{ kind: 'mail', server: { user: 'postrider', accessToken: 'SECRET-A' } }])
  })

  test('a token that the server refuses is replaced once', () => {
    const refused = answered(535, '535 5.7.8 token-1 is not valid')
    const { requests, outcome } = sent(granted('token-1'), refused, granted('token-2'), answered(250))
    expect(requests[2]).toMatchObject({ cache: { refused: 'token-1' } })
    expect(requests[3]).toMatchObject({ server: { accessToken: 'token-2' } })
    expect(outcome.kind).toBe('sent')
    const again = sent(granted('token-1'), refused, granted('token-2'), answered(535, 'token-2 is not valid'))
    expect(again.outcome).toEqual({ kind: 'rejected', scope: 'configuration', error: '535 ******** is not valid' })
  })

  test.each<[string, Reply, object]>([
    [
      'a consent that has ended',
      replied(400, { error: 'invalid_grant', error_description: 'Token SECRET-R has been revoked.' }),
      {
        kind: 'rejected',
        scope: 'configuration',
        error:
          '400 Bad Request: invalid_grant: Token ******** has been revoked.; authorize the client again, and store its new refresh token',
      },
    ],
    ['a wrong secret', replied(401, { error: 'invalid_client' }), { kind: 'rejected', scope: 'configuration' }],
    ['an overload', replied(400, { error: 'temporarily_unavailable' }), { kind: 'retry', attempted: true }],
    ['too many', replied(429, '', { 'retry-after': '9' }), { kind: 'retry', retryAfterMs: 9_000, attempted: false }],
    ['a fault', replied(500, '<html>'), { kind: 'retry', attempted: true }],
    ['no token', replied(200, { token_type: 'Bearer' }), { kind: 'retry', attempted: true }],
    ['a timeout', { kind: 'failure', failure: 'timeout', message: 'late', reached: true }, { kind: 'retry' }],
  ])('%s instead of a token: no mail is sent', (_title, reply, outcome) => {
    const { requests, outcome: ended } = sent(reply)
    expect(requests).toHaveLength(1)
    expect(ended).toMatchObject(outcome)
  })

  test('its secrets go to no other token URL', () => {
    const { requests, outcome } = runAdapter(smtp, {
      ...scene,
      settings,
      override: { config: { tokenUrl: 'https://evil.example/token' } },
    })
    expect(requests).toEqual([])
    expect(outcome).toMatchObject({ kind: 'rejected', scope: 'configuration' })
  })

  test('a sign-in requests a token, and opens a session with it', () => {
    const signIn = smtp.signIn?.(settings as never, RUN_AT)
    expect(signIn?.request).toMatchObject({ kind: 'http', url: client.tokenUrl })
    expect(signIn?.request).not.toHaveProperty('cache')
    expect(signIn?.failureIn(replied(401, { error: 'invalid_client' }))).toBe(
      '401 Unauthorized: invalid_client; check `clientId` and `clientSecret`',
    )
    const next = signIn?.next?.(granted('token-1'))
    expect(next?.request).toMatchObject({ kind: 'sign-in', server: { user: 'postrider', accessToken: 'token-1' } })
    expect(next?.failureIn(answered(535, 'token-1 is not valid'))).toBe('******** is not valid')
  })

  test.each([
    [{ clientSecret: 'x' }, 'clientId is required with clientSecret'],
    [{ ...client, user: undefined }, 'user is required with clientId'],
    [{ ...client, tokenUrl: undefined }, 'tokenUrl is required with clientId'],
    [{ ...client, clientSecret: undefined, refreshToken: undefined }, 'refreshToken is required with clientId'],
    [{ ...client, password: 'x' }, 'password: a client signs in without it'],
    [{ password: 'x', accessToken: 'y' }, 'accessToken: it takes the place of a password'],
    [{ user: undefined, accessToken: 'y' }, 'user is required with accessToken'],
    [client, undefined],
    [{ accessToken: 'y' }, undefined],
  ])('the settings %j', (changes, error) => {
    const whole = Object.entries({ ...server, ...changes }).filter(([, value]) => value !== undefined)
    expect(checkSettings(smtp, Object.fromEntries(whole))).toEqual(error === undefined ? [] : [error])
  })
})

describe('DKIM', () => {
  const pem = { type: 'pkcs8', format: 'pem' } as const
  const publicKeyEncoding = { type: 'spki', format: 'pem' } as const
  const keyPair = { privateKeyEncoding: pem, publicKeyEncoding }
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024, ...keyPair }).privateKey
  const ed25519 = generateKeyPairSync('ed25519', keyPair).privateKey
  const dkim = { dkimDomain: 'example.org', dkimSelector: 's1, s2', dkimPrivateKey: `${rsa}${ed25519}` }

  test('each key goes along with its selector, as an object that no log shows', () => {
    const { requests } = run({ settings: { ...scene.settings, ...dkim } })
    const [{ dkim: signer }] = requests as [MailRequest]
    expect(signer).toMatchObject({ domain: 'example.org', keys: [{ selector: 's1' }, { selector: 's2' }] })
    expect(signer?.keys.map(({ key }) => key.asymmetricKeyType)).toEqual(['rsa', 'ed25519'])
    expect(JSON.stringify(requests)).not.toContain('PRIVATE KEY')
  })

  test('the keys do not follow an override to another server', () => {
    const { requests } = run({
      settings: { ...scene.settings, ...dkim },
      override: { config: { host: 'other.example' } },
    })
    expect(requests[0]).not.toHaveProperty('dkim')
  })

  test.each([
    [dkim, undefined],
    [{ ...dkim, dkimPrivateKey: undefined }, 'dkimPrivateKey is required with dkimDomain'],
    [{ ...dkim, dkimDomain: undefined }, 'dkimDomain is required with dkimSelector'],
    [{ ...dkim, dkimSelector: 's1' }, 'dkimSelector: it names 1 selectors, and there are 2 keys'],
    [{ ...dkim, dkimSelector: 's1;' }, 'dkimSelector must be a selector, or at most four with commas between them'],
    [{ ...dkim, dkimDomain: 'bücher.example' }, 'dkimDomain must be the name of a domain, in ASCII'],
    [
      { ...dkim, dkimPrivateKey: 'x' },
      'dkimPrivateKey must be a private key as PEM, RSA of 1024 to 4096 bits or Ed25519',
    ],
    [
      { ...dkim, dkimPrivateKey: generateKeyPairSync('rsa', { modulusLength: 512, ...keyPair }).privateKey },
      'dkimPrivateKey must be a private key as PEM, RSA of 1024 to 4096 bits or Ed25519',
    ],
  ])('settings %#', (changes, error) => {
    const whole = Object.entries({ ...scene.settings, ...changes }).filter(([, value]) => value !== undefined)
    expect(checkSettings(smtp, Object.fromEntries(whole))).toEqual(error === undefined ? [] : [error])
  })
})
