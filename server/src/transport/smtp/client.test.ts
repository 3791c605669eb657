/** Mails arrive byte for byte, each for its own recipients, over few connections. */
import PostalMime from 'postal-mime'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import type { MailRequest, SmtpServer } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport } from '../transport.ts'
import { mailTo } from './sample-mail.harness.ts'

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

const { signal } = new AbortController()
const perform = (mail: MailRequest, timeoutMs = 5_000, until = signal) =>
  transport.perform(mail, { signal: until, timeoutMs })

test('a mail arrives with its envelope, its blind copies and its lines of dots', async () => {
  const { server, received } = await realServer()
  const text = ['.', '..', '.hidden', 'a', '.', '', 'ü.', '.'].join('\n')
  const html = '<p>.</p>\n.\n.x'
  const reply = await perform(
    mailTo(server, { text, html, cc: [{ address: 'c@d.example' }], bcc: [{ address: 'b@c.example' }] }),
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
  await perform(mailTo(server))
  await perform(mailTo(server))
  expect(new Set(received.map(({ session }) => session)).size).toBe(1)
  await Promise.all(Array.from({ length: 300 }, () => perform(mailTo(server))))
  expect(received).toHaveLength(302)
  expect(most).toBeLessThanOrEqual(20)
})

test('another login is another session', async () => {
  const { server, received } = await realServer()
  await perform(mailTo({ ...server, user: 'a', password: 'right' }))
  await perform(mailTo({ ...server, user: 'b', password: 'right' }))
  await perform(mailTo(server))
  expect(received.map(({ user }) => user)).toEqual(['a', 'b', undefined])
})

test('a wrong password is the reply of the server, without the password in it', async () => {
  const { server, received } = await realServer()
  const reply = await perform(mailTo({ ...server, user: 'a', password: 'wr0ng-secret' }))
  expect(reply).toMatchObject({ kind: 'mail', code: 535 })
  expect(JSON.stringify(reply)).not.toContain('wr0ng-secret')
  expect(received).toHaveLength(0)
})

test('a refused mail leaves nothing behind in the next one', async () => {
  const { server, received } = await realServer({
    onRcptTo({ address }, _session, done) {
      done(address.startsWith('bad') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null)
    },
  })
  expect(await perform(mailTo(server, { to: [{ address: 'bad@d.example' }] }))).toMatchObject({ code: 550 })
  expect(await perform(mailTo(server))).toMatchObject({ code: 250 })
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
  expect(await perform(mailTo(server, { to: [bad], bcc: [good] }))).toMatchObject({ kind: 'mail', code: 550 })
  const sent = await perform(mailTo(server, { to: [good], cc: [bad] }))
  expect(sent).toMatchObject({
    kind: 'mail',
    code: 250,
    copiesNotTaken: [{ address: 'bad@d.example', isTemporary: false }],
  })
})
