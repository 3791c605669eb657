/** Promises of SMTP sessions: the pace of the server, no mail half sent, no reply for another mail, no credentials in the clear. */
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerAuthentication } from 'smtp-server'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Mail, SmtpServer } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport } from '../transport.ts'
import { dotted } from './connection.ts'
import { type Script, scriptedSmtp } from './scripted-server.harness.ts'
import { ownName } from './session.ts'

describe('mails', () => {
  const ended: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end()
  })

  const PIPELINING = '250-hi\r\n250-SIZE 10000\r\n250 PIPELINING'
  const { signal } = new AbortController()

  async function scene(script: Script, write?: (socket: Socket, text: string) => unknown) {
    const smtp = await scriptedSmtp({ EHLO: PIPELINING, ...script }, write)
    const transport = createTransport({ addresses: addressGuard(true, []), clock: systemClock })
    ended.push(smtp.close, () => transport.close())
    const mail: Mail = {
      messageId: '1-67e0a1b2-0000@example.com',
      date: 0,
      from: { address: 'hello@acme.example' },
      to: [{ address: 'jane@d.example' }],
      subject: 'Hello',
      text: 'Hi',
    }
    const server = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic' } as const
    const send = (more: Partial<Mail> = {}, timeoutMs = 5_000) =>
      transport.perform({ kind: 'mail', final: true, server, mail: { ...mail, ...more } }, { signal, timeoutMs })
    return { ...smtp, send }
  }

  /** Answers to each recipient as it comes. */
  const recipients = (...answers: string[]) => {
    const left = [...answers]
    return (socket: Socket) => socket.write(`${left.shift() ?? '250 ok'}\r\n`)
  }
  const copies = { cc: [{ address: 'c@d.example' }], bcc: [{ address: 'b@d.example' }] }

  test('an address beyond ASCII is sent in UTF-8 to a server that takes it, and to no other', async () => {
    const to = [{ address: 'jürgen@d.example' }]
    const utf8 = await scene({ EHLO: '250-hi\r\n250-SMTPUTF8\r\n250 PIPELINING' })
    expect(await utf8.send({ to })).toMatchObject({ code: 250 })
    const read = (line: string) => Buffer.from(line, 'latin1').toString('utf8')
    expect(utf8.groups[1]?.map(read)).toEqual([
      'MAIL FROM:<hello@acme.example> SMTPUTF8',
      'RCPT TO:<jürgen@d.example>',
      'DATA',
    ])
    expect(utf8.lines.map(read)).toContain('To: jürgen@d.example')
    const plain = await scene({})
    expect(await plain.send({ to })).toEqual({
      kind: 'failure',
      failure: 'unsupported',
      message: '127.0.0.1 does not take addresses beyond ASCII: it does not offer SMTPUTF8',
      reached: false,
    })
    // The session serves the next mail.
    expect(await plain.send()).toMatchObject({ code: 250 })
    expect(plain.commands).toEqual(['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA', 'DOT'])
  })

  test('the whole envelope is one write where the server allows it, and else one command at a time', async () => {
    const { send, groups } = await scene({})
    expect(await send(copies)).toMatchObject({ code: 250, response: '250 taken' })
    expect(groups.slice(1)).toEqual([
      [
        expect.stringMatching(/^MAIL FROM:<hello@acme\.example> SIZE=\d+$/),
        'RCPT TO:<jane@d.example>',
        'RCPT TO:<c@d.example>',
        'RCPT TO:<b@d.example>',
        'DATA',
      ],
    ])
    const plain = await scene({ EHLO: '250 hi' })
    expect(await plain.send(copies)).toMatchObject({ code: 250 })
    expect(plain.groups.slice(1).map((group) => group.length)).toEqual([1, 1, 1, 1, 1])
    expect(plain.commands).toEqual(['GREETING', 'EHLO', 'MAIL', 'RCPT', 'RCPT', 'RCPT', 'DATA', 'DOT'])
  })

  test('replies that come byte by byte are the same replies', async () => {
    const dripping = (socket: Socket, text: string) => {
      for (const byte of Buffer.from(text)) socket.write(Buffer.of(byte))
    }
    const { send } = await scene({ DOT: '250-2.0.0\r\n250 tåken' }, dripping)
    for (let count = 0; count < 3; count += 1)
      expect(await send(copies)).toMatchObject({ code: 250, response: '250-2.0.0\n250 tåken' })
  })

  test('a refused copy is reported and the mail is sent', async () => {
    const { send, lines } = await scene({ RCPT: recipients('250 ok', '550-no\r\n550 such user', '250 ok') })
    const reply = await send(copies)
    const error = '550-no\n550 such user'
    expect(reply).toMatchObject({
      code: 250,
      response: '250 taken',
      copiesNotTaken: [{ address: 'c@d.example', error, isTemporary: false }],
    })
    expect(lines).toContain('Hi')
  })

  test.each([
    ['the recipient', { RCPT: recipients('550 no such user') }, 550, 'recipient'],
    ['all recipients', { RCPT: '450 greylisted' }, 450, 'recipient'],
    ['the sender', { MAIL: '553 not you', RCPT: '503 first a sender' }, 553, 'sender'],
  ])(
    'when %s is refused and the server still accepts DATA, no recipient gets an empty mail',
    async (_who, script, code, refused) => {
      const { send, commands, lines, connections } = await scene(script)
      const reply = await send(copies)
      expect(reply).toMatchObject({ kind: 'mail', code, refused })
      expect(commands).toContain('DATA')
      await send({ ...copies, text: 'another' })
      expect(connections()).toBe(2)
      expect(commands).not.toContain('RSET')
      if (code !== 550) expect([commands.includes('DOT'), lines]).toEqual([false, []])
    },
  )

  test('when the data are refused with the recipient, the session is cleaned and used again', async () => {
    const data = ['554 no valid recipients', '354 go']
    const inMail = (socket: Socket) => socket.write(`${data.shift()}\r\n`)
    const { send, commands, connections } = await scene({ RCPT: recipients('550 no such user'), DATA: inMail })
    expect(await send()).toMatchObject({ code: 550, response: '550 no such user', refused: 'recipient' })
    void send({}, 100)
    await expect.poll(() => commands.filter((verb) => verb === 'DATA'), { interval: 1 }).toHaveLength(2)
    expect(commands.slice(2)).toEqual(['MAIL', 'RCPT', 'DATA', 'RSET', 'MAIL', 'RCPT', 'DATA'])
    expect(connections()).toBe(1)
  })

  test('a server that hangs up in the middle of a group has said why', async () => {
    const { send } = await scene({ MAIL: (socket) => socket.end('421 4.3.2 shutting down\r\n') })
    expect(await send()).toMatchObject({ kind: 'mail', code: 421, response: '421 4.3.2 shutting down' })
    const busy = await scene({ RCPT: recipients('250 ok', '421 too many') })
    expect(await busy.send(copies)).toMatchObject({ kind: 'failure', failure: 'reset', reached: false })
  })

  test.each([
    ['twice to one command', { MAIL: '250 ok\r\n250 ok' }, false],
    ['before the mail is there', { DATA: '354 go\r\n250 taken' }, false],
    ['that it goes on where it should take', { DOT: '354 go' }, true],
    ['yes where it should ask for the data', { DATA: '250 ok' }, false],
    ['without an end', { RCPT: '250-x\r\n'.repeat(5_000) }, false],
    ['without an end to the mail', { DOT: '250 '.padEnd(40_000, 'x') }, true],
  ] as const)('a server that answers %s is not believed', async (_how, script, reached) => {
    const { send } = await scene(script)
    expect(await send()).toMatchObject({ kind: 'failure', failure: 'reset', reached })
  })

  test('a server of before 1995 is greeted in the old way', async () => {
    const { send, commands } = await scene({ EHLO: '500 what?' })
    expect(await send()).toMatchObject({ code: 250 })
    expect(commands.slice(0, 4)).toEqual(['GREETING', 'EHLO', 'HELO', 'MAIL'])
  })

  test('a server that is never ready is hung up on', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      let closed = false
      const { send, commands } = await scene({ EHLO: (socket) => void socket.on('close', () => (closed = true)) })
      const sent = send({}, 29_000)
      await expect.poll(() => commands, { interval: 1 }).toContain('EHLO')
      vi.advanceTimersByTime(29_500)
      expect(await sent).toMatchObject({ failure: 'timeout', reached: false })
      expect(closed).toBe(false)
      vi.advanceTimersByTime(1_000)
      await expect.poll(() => closed, { interval: 1 }).toBe(true)
    } finally {
      vi.useRealTimers()
    }
  })

  test('dots at the beginning of lines are doubled, and the last one stands alone', () => {
    expect(dotted('a\r\n')).toBe('a\r\n.\r\n')
    expect(dotted('a')).toBe('a\r\n.\r\n')
    expect(dotted('.\r\n..\r\na.\r\n.b')).toBe('..\r\n...\r\na.\r\n..b\r\n.\r\n')
    expect(dotted('a\n.\r\nMAIL FROM:<x@y.co>')).toBe('a\n..\r\nMAIL FROM:<x@y.co>\r\n.\r\n')
  })

  test('a machine without a full name greets with an address', () => {
    expect(ownName('mx.example.com')).toBe('mx.example.com')
    for (const name of ['web-1', '', 'a..b', 'a b.c', 'x\r\nMAIL.y']) expect(ownName(name)).toBe('[127.0.0.1]')
  })
})

describe('login', () => {
  const ended: (() => unknown)[] = []
  afterEach(async () => {
    for (const end of ended.splice(0).reverse()) await end()
  })

  const { signal } = new AbortController()
  const credentials = { user: 'jäne@d.example', password: 'p\u00e4ss word' }

  function sendTo(server: Partial<SmtpServer> & { port: number }) {
    const transport = createTransport({ addresses: addressGuard(true, []), clock: systemClock })
    ended.push(() => transport.close())
    const address = { address: 'a@b.example' }
    const mail = { messageId: 'a@b.example', date: 0, from: address, to: [address], subject: 'x', text: 'y' }
    const whole = { host: '127.0.0.1', security: 'opportunistic', ...credentials, ...server } as const
    return () => transport.perform({ kind: 'mail', final: true, server: whole, mail }, { signal, timeoutMs: 5_000 })
  }

  async function methodsOf(authMethods: string[]): Promise<{ port: number; methods: string[] }> {
    const methods: string[] = []
    const isRight = ({ username, password, validatePassword }: SMTPServerAuthentication) =>
      username === credentials.user &&
      (password === credentials.password || validatePassword?.(credentials.password) === true)
    const server = new SMTPServer({
      authMethods,
      disabledCommands: ['STARTTLS'],
      allowInsecureAuth: true,
      onAuth(auth, _session, done) {
        methods.push(auth.method)
        if (isRight(auth)) done(null, { user: auth.username })
        else done(Object.assign(new Error('Wrong user or password'), { responseCode: 535 }))
      },
      onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
    })
    server.on('error', () => {})
    ended.push(() => new Promise<void>((resolve) => server.close(resolve)))
    const port = await new Promise<number>((resolve) => {
      const listener = server.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port))
    })
    return { port, methods }
  }

  test.each([
    [['CRAM-MD5', 'LOGIN', 'PLAIN'], 'PLAIN'],
    [['CRAM-MD5', 'LOGIN'], 'LOGIN'],
    [['CRAM-MD5'], 'CRAM-MD5'],
  ])('from %j the method is %s; the right password is accepted, a wrong one reported', async (offered, method) => {
    const { port, methods } = await methodsOf(offered)
    expect(await sendTo({ port })()).toMatchObject({ kind: 'mail', code: 250 })
    expect(await sendTo({ port, password: 'wrong' })()).toMatchObject({ kind: 'mail', code: 535 })
    expect(methods).toEqual([method, method])
  })

  const bearer = (user: string, token: string) => `user=${user}\x01auth=Bearer ${token}\x01\x01`

  test.each([
    ['AUTH PLAIN XOAUTH2 OAUTHBEARER', `XOAUTH2 ${bearer('jane', 'token-1')}`],
    ['AUTH PLAIN OAUTHBEARER', 'OAUTHBEARER n,a=jane,\x01host=127.0.0.1\x01port=0\x01auth=Bearer token-1\x01\x01'],
    ['AUTH PLAIN', `XOAUTH2 ${bearer('jane', 'token-1')}`],
  ])('a server that offers %s gets an access token by %j', async (offer, login) => {
    const smtp = await scriptedSmtp({ EHLO: `250-hi\r\n250 ${offer}`, AUTH: '235 welcome' })
    ended.push(smtp.close)
    const server = { port: smtp.port, user: 'jane', accessToken: 'token-1' }
    expect(await sendTo(server)()).toMatchObject({ kind: 'mail', code: 250 })
    const [, method, base64 = ''] = smtp.groups[1]?.[0]?.split(' ') ?? []
    const text = Buffer.from(base64, 'base64').toString().replace(`port=${smtp.port}`, 'port=0')
    expect(`${method} ${text}`).toBe(login)
  })

  test('the challenge of a refused token is answered, and the reply after it is the reason', async () => {
    const smtp = await scriptedSmtp({
      EHLO: '250-hi\r\n250 AUTH XOAUTH2',
      AUTH: `334 ${Buffer.from('{"status":"400"}').toString('base64')}`,
      '': '535 5.7.8 not accepted',
    })
    ended.push(smtp.close)
    const reply = await sendTo({ port: smtp.port, user: 'jane', accessToken: 'token-1' })()
    expect(reply).toMatchObject({ kind: 'mail', code: 535, response: '535 5.7.8 not accepted' })
  })

  test.each([
    ['AUTH=PLAIN', '235 welcome', { kind: 'mail', code: 250 }],
    ['AUTH GSSAPI', '504 no such method', { kind: 'mail', code: 504 }],
    ['AUTH PLAIN', '334 more?', { failure: 'reset', reached: false }],
    ['HELP', '235 welcome', { failure: 'connect', reached: false }],
  ])('a server that offers %s and answers a login with "%s"', async (offer, AUTH, outcome) => {
    const smtp = await scriptedSmtp({ EHLO: `250-hi\r\n250 ${offer}`, AUTH })
    ended.push(smtp.close)
    expect(await sendTo(smtp)()).toMatchObject(outcome)
    expect(smtp.commands.includes('MAIL')).toBe('code' in outcome && outcome.code === 250)
  })

  test('plain text after STARTTLS ends the connection', async () => {
    const smtp = await scriptedSmtp({
      EHLO: '250-hi\r\n250-STARTTLS\r\n250 AUTH PLAIN',
      STARTTLS: '220 go\r\n250-hi\r\n250 AUTH PLAIN',
      AUTH: '235 welcome',
    })
    ended.push(smtp.close)
    expect(await sendTo(smtp)()).toMatchObject({ kind: 'failure', failure: 'reset', reached: false })
    expect(smtp.commands).toEqual(['GREETING', 'EHLO', 'STARTTLS'])
  })

  test.each([
    ['starttls', '454 not now', 'tls'],
    ['starttls', '502 unknown', 'unencrypted'],
    ['opportunistic', '454 not now', undefined],
    ['starttls', '421 bye', 421],
  ] as const)('with %s, the answer "%s" to STARTTLS: %s', async (security, answer, outcome) => {
    const smtp = await scriptedSmtp({
      EHLO: '250-hi\r\n250-STARTTLS\r\n250 AUTH PLAIN',
      STARTTLS: answer,
      AUTH: '235 welcome',
    })
    ended.push(smtp.close)
    const reply = await sendTo({ port: smtp.port, security })()
    if (typeof outcome === 'string')
      expect(reply).toMatchObject({ failure: outcome, message: expect.stringContaining(answer) })
    else expect(reply).toMatchObject({ kind: 'mail', code: outcome ?? 250 })
    if (outcome === 'unencrypted')
      expect(reply).toMatchObject({ message: expect.stringContaining('security=opportunistic') })
    expect(smtp.commands.includes('AUTH')).toBe(outcome === undefined)
  })
})
