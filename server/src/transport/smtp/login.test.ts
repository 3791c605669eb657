/** What signing in promises: the methods servers ask for, the server's word when it fails, and no word to whoever may listen in. */
import { SMTPServer, type SMTPServerAuthentication } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import type { SmtpServer } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport } from '../transport.ts'
import { scriptedSmtp } from './scripted-server.ts'

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

async function asking(authMethods: string[]): Promise<{ port: number; methods: string[] }> {
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
])('of %j the method is %s; the right password is taken, a wrong one told', async (offered, method) => {
  const { port, methods } = await asking(offered)
  expect(await sendTo({ port })()).toMatchObject({ kind: 'mail', code: 250 })
  expect(await sendTo({ port, password: 'wrong' })()).toMatchObject({ kind: 'mail', code: 535 })
  expect(methods).toEqual([method, method])
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

test('what is said in the clear after the word to encrypt ends the conversation', async () => {
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
  if (outcome === 'tls') expect(reply).toMatchObject({ failure: 'tls', message: expect.stringContaining(answer) })
  else expect(reply).toMatchObject({ kind: 'mail', code: outcome ?? 250 })
  expect(smtp.commands.includes('AUTH')).toBe(outcome === undefined)
})
