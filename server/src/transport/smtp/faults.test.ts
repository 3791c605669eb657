/** SMTP servers that refuse, break off or fall silent: each case has one outcome. */
import type { Socket } from 'node:net'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { MailRequest, SmtpServer } from '../../base/exchange.ts'
import { systemClock } from '../../base/time/clock.ts'
import { addressGuard } from '../address-guard.ts'
import { createTransport } from '../transport.ts'
import { mailTo } from './sample-mail.harness.ts'
import { type Script, scriptedSmtp } from './scripted-server.harness.ts'

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

async function scripted(script: Script) {
  const smtp = await scriptedSmtp(script)
  ended.push(smtp.close)
  const server: SmtpServer = { host: '127.0.0.1', port: smtp.port, security: 'opportunistic' }
  return { ...smtp, server }
}

/** Servers that take one command at a time, and servers that take them in groups. */
const dialects = [
  ['one by one', '250 hi'],
  ['in groups', '250-hi\r\n250-8BITMIME\r\n250 PIPELINING'],
] as const

const { signal } = new AbortController()
const perform = (mail: MailRequest, timeoutMs = 5_000, until = signal) =>
  transport.perform(mail, { signal: until, timeoutMs })

test('a server that offers no login gets no mail that requires one', async () => {
  const { server, commands } = await scripted({})
  const reply = await perform(mailTo({ ...server, user: 'a', password: 'right' }))
  expect(reply).toMatchObject({ kind: 'failure', failure: 'connect', reached: false })
  expect(commands).not.toContain('MAIL')
})

describe.each(dialects)('commands %s', (_way, EHLO) => {
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
    const { server } = await scripted({ EHLO, [verb]: answer })
    expect(await perform(mailTo(server))).toMatchObject({
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
      const { server } = await scripted({ EHLO, [verb]: (socket: Socket) => void act(socket) })
      expect(await perform(mailTo(server))).toMatchObject({ kind: 'failure', failure: kind, reached })
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
    const { server } = await scripted({ EHLO, [verb]: undefined })
    expect(await perform(mailTo(server), 200)).toMatchObject({ kind: 'failure', failure: 'timeout', reached })
  })
})

test('a refused connection, or a server that does not speak SMTP, never had the mail', async () => {
  const { server } = await scripted({ GREETING: 'HTTP/1.1 400 Bad Request' })
  expect(await perform(mailTo(server))).toMatchObject({ kind: 'failure', failure: 'reset', reached: false })
  const closed = await scripted({})
  await ended.pop()?.()
  expect(await perform(mailTo(closed.server))).toMatchObject({ kind: 'failure', failure: 'connect', reached: false })
})

test('a session the server gave up while idle costs nothing but another session', async () => {
  const { server, connections } = await scripted({})
  await perform(mailTo(server))
  const stale = await scripted({
    DOT: (socket) => socket.write('250 taken\r\n', () => setImmediate(() => socket.end('421 idle\r\n'))),
  })
  for (let count = 0; count < 5; count += 1) expect(await perform(mailTo(stale.server))).toMatchObject({ code: 250 })
  expect(connections()).toBe(1)
  expect(stale.connections()).toBeGreaterThanOrEqual(2)
})

test('a mail that cannot be built is an invalid request and opens no connection', async () => {
  const { server, connections } = await scripted({})
  const reply = await perform(mailTo(server, { to: [{ address: 'c@d.co\r\nBcc: x@y.co' }] }))
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
  const pending = perform(mailTo(server), 5_000, abort.signal)
  await inData
  abort.abort()
  expect(await pending).toMatchObject({ failure: 'aborted', reached: true })

  const hanging = await scripted({ GREETING: undefined })
  const waiting = Array.from({ length: 30 }, () => perform(mailTo(hanging.server)))
  await transport.close()
  for (const reply of await Promise.all(waiting))
    expect(reply).toMatchObject({ kind: 'failure', failure: 'aborted', reached: false })
  const other = await scripted({})
  expect(await perform(mailTo(other.server))).toMatchObject({ failure: 'aborted', reached: false })
  expect(other.connections()).toBe(0)
})

test('a mail larger than the server takes is never transmitted', async () => {
  const { server, commands } = await scripted({ EHLO: '250-hi\r\n250 SIZE 1000' })
  expect(await perform(mailTo(server, { text: 'x\n'.repeat(2_000) }))).toMatchObject({
    failure: 'unsupported',
    message: expect.stringMatching(/^The mail has \d,\d{3} bytes, and \S+ takes at most 1,000$/),
    reached: false,
  })
  expect(commands).not.toContain('DATA')
})

test('an idle session is ended with a word of goodbye', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  try {
    await transport.close()
    transport = fresh()
    let bye = () => {}
    const said = new Promise<string>((resolve) => {
      bye = () => resolve('bye')
    })
    const { server, commands } = await scripted({ QUIT: () => bye() })
    await perform(mailTo(server))
    vi.advanceTimersByTime(10_000)
    await perform(mailTo(server))
    expect(commands.filter((verb) => verb === 'EHLO')).toHaveLength(1)
    vi.advanceTimersByTime(21_000)
    expect(await said).toBe('bye')
  } finally {
    vi.useRealTimers()
  }
})
