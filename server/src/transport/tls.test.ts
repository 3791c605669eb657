/** Only a server with a trusted certificate gets a secret. */
import { createServer } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import type { MailRequest, Reply, SmtpServer } from '../base/exchange.ts'
import { systemClock } from '../base/time/clock.ts'
import { addressGuard } from './address-guard.ts'
import { localhost } from './localhost-certificate.harness.ts'
import { mayBePlain } from './smtp/session.ts'
import { createTransport, type Transport } from './transport.ts'

const { key, cert } = localhost

const ended: (() => unknown)[] = []
afterEach(async () => {
  // Clients first: a server waits for them.
  for (const end of ended.splice(0).reverse()) await end()
})

function transportTrusting(authorities?: string[]): Transport {
  const transport = createTransport({
    addresses: addressGuard(true, []),
    clock: systemClock,
    ...(authorities ? { authorities } : {}),
  })
  ended.push(() => transport.close())
  return transport
}

const limits = { signal: new AbortController().signal, timeoutMs: 5_000 }

async function httpsServer(options: object): Promise<number> {
  const server = createHttpsServer({ key, cert, ...options }, (_request, response) => response.end('hello'))
  ended.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

const get = (url: string) => ({ kind: 'http', method: 'GET', url, headers: {}, final: true }) as const

test('a trusted https server answers', async () => {
  const port = await httpsServer({})
  expect(await transportTrusting([cert]).perform(get(`https://localhost:${port}/`), limits)).toMatchObject({
    body: 'hello',
  })
})

test('the error for a port that does not speak TLS is plain text without internals', async () => {
  const server = createServer((_request, response) => response.end())
  ended.push(() => server.close())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const message = `localhost:${port}: does not speak TLS on this port (wrong version number)`
  const transport = transportTrusting()
  const expected = { kind: 'failure', failure: 'tls', message, reached: false }
  expect(await transport.perform(get(`https://localhost:${port}/`), limits)).toEqual(expected)
  const plain = await mailServer({ disabledCommands: ['STARTTLS'] })
  const request = mail({ host: 'localhost', port: plain.port, security: 'tls' })
  expect(await transport.perform(request, limits)).toEqual({
    ...expected,
    message: message.replace(String(port), String(plain.port)),
  })
})

test.each([
  ['an unknown authority signed', undefined, 'localhost', {}],
  ['names another host', [cert], '127.0.0.1', {}],
  [
    'comes with TLS 1.1',
    [cert],
    'localhost',
    { maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' },
  ],
])('a certificate that %s ends the attempt before anything is sent', async (_what, authorities, host, options) => {
  const port = await httpsServer(options)
  const reply = await transportTrusting(authorities).perform(get(`https://${host}:${port}/`), limits)
  expect(reply).toMatchObject({ kind: 'failure', failure: 'tls', reached: false })
})

interface Seen {
  mails: number
  passwords: number
  secure: boolean[]
}

async function mailServer(options: SMTPServerOptions): Promise<{ port: number; seen: Seen }> {
  const seen: Seen = { mails: 0, passwords: 0, secure: [] }
  const server = new SMTPServer({
    key,
    cert,
    authOptional: true,
    ...options,
    onAuth(_auth, _session, done) {
      seen.passwords += 1
      done(null, { user: 'u' })
    },
    onData(stream, session, done) {
      stream.resume().on('end', () => {
        seen.mails += 1
        seen.secure.push(session.secure)
        done()
      })
    },
  })
  server.on('error', () => {})
  ended.push(() => new Promise<void>((resolve) => server.close(resolve)))
  const port = await new Promise<number>((resolve) => {
    const listener = server.listen(0, '127.0.0.1', () => resolve((listener.address() as { port: number }).port))
  })
  return { port, seen }
}

function mail(server: SmtpServer): MailRequest {
  return {
    kind: 'mail',
    final: true,
    server,
    mail: {
      messageId: 'a@b.example',
      date: 0,
      from: { address: 'a@b.example' },
      to: [{ address: 'c@d.example' }],
      subject: 'x',
      text: 'y',
    },
  }
}

const refusedTls = { kind: 'failure', failure: 'tls', reached: false }
const login = { user: 'u', password: 'p' }

test('tls encrypts from the first byte', async () => {
  const { port, seen } = await mailServer({ secure: true })
  const request = mail({ host: 'localhost', port, security: 'tls', ...login })
  expect(await transportTrusting([cert]).perform(request, limits)).toMatchObject({ kind: 'mail', code: 250 })
  expect(await transportTrusting().perform(request, limits)).toMatchObject(refusedTls)
  expect(seen).toEqual({ mails: 1, passwords: 1, secure: [true] })
})

test('starttls encrypts before anything else is said', async () => {
  const { port, seen } = await mailServer({})
  const request = mail({ host: 'localhost', port, security: 'starttls', ...login })
  expect(await transportTrusting([cert]).perform(request, limits)).toMatchObject({ kind: 'mail', code: 250 })
  expect(await transportTrusting().perform(request, limits)).toMatchObject(refusedTls)
  expect(seen).toEqual({ mails: 1, passwords: 1, secure: [true] })
})

test.each([
  ['does not offer it', { disabledCommands: ['STARTTLS'] }],
  ['hides it', { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] }],
])('starttls never falls back to plain text when the server %s', async (_what, options) => {
  const { port, seen } = await mailServer({ ...options, allowInsecureAuth: true })
  const request = mail({ host: 'localhost', port, security: 'starttls', ...login })
  expect(await transportTrusting([cert]).perform(request, limits)).toMatchObject({
    ...refusedTls,
    failure: 'unencrypted',
  })
  expect(seen).toEqual({ mails: 0, passwords: 0, secure: [] })
})

test('opportunistic encrypts where it is offered, with any certificate, and otherwise sends unencrypted', async () => {
  const replies: Reply[] = []
  const seen: boolean[] = []
  for (const options of [{}, { disabledCommands: ['STARTTLS'] }]) {
    const server = await mailServer(options)
    const request = mail({ host: 'localhost', port: server.port, security: 'opportunistic' })
    replies.push(await transportTrusting().perform(request, limits))
    seen.push(...server.seen.secure)
  }
  expect(replies).toMatchObject([{ code: 250 }, { code: 250 }])
  expect(seen).toEqual([true, false])
})

test('a password goes in the clear, or to an unproven server, only on a private network', () => {
  const server: SmtpServer = { host: 'mail.example', port: 25, security: 'opportunistic' }
  for (const peer of ['8.8.8.8', '::ffff:8.8.8.8', '2606:2800:220:1::1', undefined]) {
    expect(mayBePlain({ ...server, ...login }, peer)).toBe(false)
    expect(mayBePlain(server, peer)).toBe(true)
  }
  for (const peer of ['127.0.0.1', '::1', '10.0.0.1', '::ffff:192.168.1.1', 'fd12::1']) {
    expect(mayBePlain({ ...server, ...login }, peer)).toBe(true)
    for (const security of ['tls', 'starttls'] as const) expect(mayBePlain({ ...server, security }, peer)).toBe(false)
  }
})

test('servers without a trusted certificate use up no connections', async () => {
  const { port, seen } = await mailServer({})
  const transport = transportTrusting()
  const request = mail({ host: 'localhost', port, security: 'starttls', ...login })
  // More than are open to one server at a time.
  for (let count = 0; count < 25; count += 1) expect(await transport.perform(request, limits)).toMatchObject(refusedTls)
  expect(seen).toEqual({ mails: 0, passwords: 0, secure: [] })
})

test('many mails go over one encrypted session', async () => {
  const { port, seen } = await mailServer({})
  const transport = transportTrusting([cert])
  const request = mail({ host: 'localhost', port, security: 'starttls', ...login })
  for (let count = 0; count < 5; count += 1)
    expect(await transport.perform(request, limits)).toMatchObject({ code: 250 })
  expect(seen).toEqual({ mails: 5, passwords: 1, secure: [true, true, true, true, true] })
})
