/** The error of a failed encryption is plain text: no memory addresses, no C files. */
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { addressGuard } from './address-guard.ts'
import { connectionErrorText, dial } from './connect.ts'

const raw = (reason: string) =>
  `80CC6911B07F0000:error:0A00010B:SSL routines:ssl3_get_record:${reason}:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n`
const errorOf = (code: string, reason: string, more: object = { reason }) =>
  Object.assign(new Error(raw(reason)), { code, library: 'SSL routines', ...more })

test.each([
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number', 'does not speak TLS on this port (wrong version number)'],
  ['ERR_SSL_UNSUPPORTED_PROTOCOL', 'unsupported protocol', 'offers no TLS from version 1.2 on (unsupported protocol)'],
  ['ERR_SSL_BAD_SIGNATURE', 'bad signature', 'TLS failed: bad signature'],
])('%s', (code, reason, words) => {
  expect(connectionErrorText(errorOf(code, reason))).toBe(words)
  expect(connectionErrorText(errorOf(code, reason, {}))).toBe(words)
})

test('without a code the reason alone is left', () => {
  expect(connectionErrorText(new Error(raw('bad record mac')))).toBe('bad record mac')
  const alert = `write EPROTO ${raw('sslv3 alert handshake failure').replace('.c:350:', '.c:1605:SSL alert number 40')}`
  expect(connectionErrorText(new Error(alert))).toBe('write EPROTO sslv3 alert handshake failure')
})

test.each([
  'self-signed certificate',
  'connect ECONNREFUSED 127.0.0.1:25',
  "Hostname/IP does not match certificate's altnames: IP: 127.0.0.1 is not in the cert's list: ",
])('%s is said already', (text) => {
  expect(connectionErrorText(new Error(text))).toBe(text.trim())
})

test('a refused connection is said once, with the address only where the host is a name', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  const addresses = addressGuard(true, [], async () => [{ address: '127.0.0.1', family: 4 }])
  const errorOf = async (host: string) => {
    const to = { host, port, encrypted: false, signal: new AbortController().signal }
    return ((await dial(addresses, to).catch((error: unknown) => error)) as Error).message
  }
  expect(await errorOf('127.0.0.1')).toBe(`127.0.0.1:${port}: connection refused (ECONNREFUSED)`)
  expect(await errorOf('mail.test')).toBe(`mail.test:${port}: connection refused (ECONNREFUSED, 127.0.0.1)`)
})
