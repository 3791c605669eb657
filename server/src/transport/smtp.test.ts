/** What SMTP promises: mails arrive byte for byte, and each end of a conversation has its one right meaning. */
import { createServer, type Server, type Socket } from 'node:net'
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../base/clock.ts'
import type { Mail, MailRequest, SmtpServer } from '../base/exchange.ts'
import { addressGuard } from './address.ts'
import { createTransport } from './transport.ts'

let transport = fresh()
const ended: (() => unknown)[] = []

function fresh() {
  return createTransport({ addresses: addressGuard(true, []), clock: systemClock })
}

afterEach(async () => {
  await transport.close()
  transport = fresh()
  for (const end of ended.splice(0)) await end()
})

interface Received {
  data: Buffer
  from: string
  to: string[]
  user: string | undefined
  session: string
}

async function realServer(options: SMTPServerOptions = {}): Promise<{ server: SmtpServer; received: Received[] }> {
  const received: Received[] = []
  const smtp = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    authOptional: true,
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      password === 'right' ? done(null, { user: username ?? '' }) : done(new Error('Invalid password')),
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const { mailFrom, rcptTo } = session.envelope
          received.push({
            data: Buffer.concat(chunks),
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            user: session.user,
            session: session.id,
          })
          done()
        })
    },
    ...options,
  })
  ended.push(() => new Promise<void>((resolve) => smtp.close(resolve)))
  smtp.on('error', () => {})
  const port = await new Promise<number>((resolve) => {
    const listener = smtp.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port))
  })
  return { server: { host: '127.0.0.1', port, security: 'opportunistic' }, received }
}

/** Answers each command by its verb; `undefined` says nothing, a function does what it likes. */
type Script = Record<string, string | ((socket: Socket) => void) | undefined>

async function scripted(
  script: Script,
): Promise<{ server: SmtpServer; commands: string[]; connections: () => number }> {
  const commands: string[] = []
  let count = 0
  const full: Script = {
    GREETING: '220 hi',
    EHLO: '250 hi',
    MAIL: '250 ok',
    RCPT: '250 ok',
    DATA: '354 go',
    DOT: '250 taken',
    RSET: '250 ok',
    QUIT: '221 bye',
    ...script,
  }
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    count += 1
    sockets.add(socket)
    socket.on('error', () => {})
    let inData = false
    let rest = ''
    const say = (verb: string) => {
      commands.push(verb)
      const act = full[verb]
      if (typeof act === 'function') act(socket)
      else if (act !== undefined) socket.write(`${act}\r\n`)
    }
    say('GREETING')
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (inData && line !== '.') continue
        const verb = inData ? 'DOT' : (line.split(/[ :]/)[0] ?? '')
        inData = verb === 'DATA' && String(full.DATA).startsWith('354')
        say(verb)
      }
    })
  })
  ended.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { server: { host: '127.0.0.1', port, security: 'opportunistic' }, commands, connections: () => count }
}

function request(server: SmtpServer, more: Partial<Mail> = {}): MailRequest {
  const mail: Mail = {
    messageId: '1-67e0a1b2-0000@example.com',
    date: 0,
    from: { name: 'Acme', address: 'hello@acme.example' },
    to: [{ address: 'jane@example.org' }],
    subject: 'Hello',
    text: 'Hi',
    ...more,
  }
  return { kind: 'mail', final: true, server, mail }
}

const { signal } = new AbortController()
const perform = (mail: MailRequest, timeoutMs = 5_000, until = signal) =>
  transport.perform(mail, { signal: until, timeoutMs })

test('a mail arrives with its envelope, its blind copies and its lines of dots', async () => {
  const { server, received } = await realServer()
  const text = ['.', '..', '.hidden', 'a', '.', '', 'ü.', '.'].join('\n')
  const html = '<p>.</p>\n.\n.x'
  const reply = await perform(
    request(server, { text, html, cc: [{ address: 'c@d.example' }], bcc: [{ address: 'b@c.example' }] }),
  )
  expect(reply).toMatchObject({ kind: 'mail', code: 250 })
  expect(received).toHaveLength(1)
  expect(received[0]).toMatchObject({
    from: 'hello@acme.example',
    to: ['jane@example.org', 'c@d.example', 'b@c.example'],
  })
  const read = await PostalMime.parse(received[0]?.data ?? '')
  expect(read.text?.trimEnd()).toBe(text)
  expect(read.html?.trimEnd()).toBe(html)
  expect(read.bcc ?? []).toEqual([])
})

test('sessions are kept and used again, at most twenty of one server at a time', async () => {
  let now = 0
  let most = 0
  const { server, received } = await realServer({
    onConnect(_session, done) {
      most = Math.max(most, (now += 1))
      done()
    },
    onClose() {
      now -= 1
    },
  })
  await perform(request(server))
  await perform(request(server))
  expect(new Set(received.map(({ session }) => session)).size).toBe(1)
  await Promise.all(Array.from({ length: 300 }, () => perform(request(server))))
  expect(received).toHaveLength(302)
  expect(most).toBeLessThanOrEqual(20)
})

test('another login is another session', async () => {
  const { server, received } = await realServer()
  await perform(request({ ...server, user: 'a', password: 'right' }))
  await perform(request({ ...server, user: 'b', password: 'right' }))
  await perform(request(server))
  expect(received.map(({ user }) => user)).toEqual(['a', 'b', undefined])
})

test('a wrong password is the reply of the server, without the password in it', async () => {
  const { server, received } = await realServer()
  const reply = await perform(request({ ...server, user: 'a', password: 'wr0ng-secret' }))
  expect(reply).toMatchObject({ kind: 'mail', code: 535 })
  expect(JSON.stringify(reply)).not.toContain('wr0ng-secret')
  expect(received).toHaveLength(0)
})

test('a server that offers no login gets no mail that wants one', async () => {
  const { server, commands } = await scripted({})
  const reply = await perform(request({ ...server, user: 'a', password: 'right' }))
  expect(reply).toMatchObject({ kind: 'failure', failure: 'connect', reached: false })
  expect(commands).not.toContain('MAIL')
})

test.each([
  ['GREETING', '554 go away', 554],
  ['GREETING', '421 too busy', 421],
  ['MAIL', '451 later', 451],
  ['MAIL', '550 not you', 550],
  ['RCPT', '450 greylisted', 450],
  ['RCPT', '550 5.1.1 no such user', 550],
  ['DATA', '452 disk full', 452],
  ['DATA', '554 no', 554],
  ['DOT', '451 try again', 451],
  ['DOT', '554 spam', 554],
])('after %s the answer "%s" is a reply with the code %d', async (verb, answer, code) => {
  const { server } = await scripted({ [verb]: answer })
  expect(await perform(request(server))).toMatchObject({
    kind: 'mail',
    code,
    response: expect.stringContaining(answer.slice(4)),
  })
})

test.each([
  ['GREETING', false],
  ['EHLO', false],
  ['MAIL', false],
  ['RCPT', false],
  ['DATA', false],
  ['DOT', true],
] as const)('a connection that breaks at %s is a reset; reached: %s', async (verb, reached) => {
  for (const act of [
    (socket: Socket) => socket.destroy(),
    (socket: Socket) => socket.resetAndDestroy(),
    (socket: Socket) => socket.end(),
  ]) {
    // So early that the client may not have seen the connection yet.
    const kind = verb === 'GREETING' ? expect.stringMatching(/^(connect|reset)$/) : 'reset'
    const { server } = await scripted({ [verb]: (socket: Socket) => void act(socket) })
    expect(await perform(request(server))).toMatchObject({ kind: 'failure', failure: kind, reached })
  }
})

test.each([
  ['GREETING', false],
  ['EHLO', false],
  ['MAIL', false],
  ['RCPT', false],
  ['DATA', false],
  ['DOT', true],
] as const)('a server that says nothing at %s is a timeout; reached: %s', async (verb, reached) => {
  const { server } = await scripted({ [verb]: undefined })
  expect(await perform(request(server), 200)).toMatchObject({ kind: 'failure', failure: 'timeout', reached })
})

test('nobody listening, or somebody who does not speak SMTP, never had the mail', async () => {
  const { server } = await scripted({ GREETING: 'HTTP/1.1 400 Bad Request' })
  expect(await perform(request(server))).toMatchObject({ kind: 'failure', failure: 'reset', reached: false })
  const closed = await scripted({})
  await ended.pop()?.()
  expect(await perform(request(closed.server))).toMatchObject({ kind: 'failure', failure: 'connect', reached: false })
})

test('a session the server gave up while idle costs nothing but another session', async () => {
  const { server, connections } = await scripted({})
  await perform(request(server))
  const stale = await scripted({
    DOT: (socket) => socket.write('250 taken\r\n', () => setImmediate(() => socket.end('421 idle\r\n'))),
  })
  for (let count = 0; count < 5; count += 1) expect(await perform(request(stale.server))).toMatchObject({ code: 250 })
  expect(connections()).toBe(1)
  expect(stale.connections()).toBeGreaterThanOrEqual(2)
})

test('a refused mail leaves nothing behind in the next one', async () => {
  const { server, received } = await realServer({
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('bad') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
    },
  })
  expect(await perform(request(server, { to: [{ address: 'bad@d.example' }] }))).toMatchObject({ code: 550 })
  expect(await perform(request(server))).toMatchObject({ code: 250 })
  expect(received[0]?.to).toEqual(['jane@example.org'])
})

test('when only copies are taken the mail is refused, when only copies are refused it is sent', async () => {
  const { server } = await realServer({
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('bad') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
    },
  })
  const good = { address: 'good@d.example' }
  const bad = { address: 'bad@d.example' }
  expect(await perform(request(server, { to: [bad], bcc: [good] }))).toMatchObject({ kind: 'mail', code: 550 })
  const sent = await perform(request(server, { to: [good], cc: [bad] }))
  expect(sent).toMatchObject({ kind: 'mail', code: 250, response: expect.stringContaining('bad@d.example') })
})

test('a mail that cannot be built is an invalid request and opens no connection', async () => {
  const { server, connections } = await scripted({})
  const reply = await perform(request(server, { to: [{ address: 'c@d.co\r\nBcc: x@y.co' }] }))
  expect(reply).toMatchObject({ kind: 'failure', failure: 'invalid_request', reached: false })
  expect(connections()).toBe(0)
})

test('aborting and closing end what is in flight and what waits', async () => {
  let arrived = () => {}
  const inData = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const { server } = await scripted({ DOT: () => arrived() })
  const abort = new AbortController()
  const pending = perform(request(server), 5_000, abort.signal)
  await inData
  abort.abort()
  expect(await pending).toMatchObject({ failure: 'aborted', reached: true })

  const hanging = await scripted({ GREETING: undefined })
  const waiting = Array.from({ length: 30 }, () => perform(request(hanging.server)))
  await transport.close()
  for (const reply of await Promise.all(waiting))
    expect(reply).toMatchObject({ kind: 'failure', failure: 'aborted', reached: false })
})

test('a mail larger than the server takes is never transmitted', async () => {
  const { server, commands } = await scripted({ EHLO: '250-hi\r\n250 SIZE 1000' })
  expect(await perform(request(server, { text: 'x\n'.repeat(2_000) }))).toMatchObject({
    failure: 'too_large',
    reached: false,
  })
  expect(commands).not.toContain('DATA')
})
