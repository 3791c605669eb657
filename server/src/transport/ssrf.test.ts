/** No form of an address reaches a private network, however it is written or looked up. */
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { HttpRequest } from '../base/exchange.ts'
import { systemClock } from '../base/time/clock.ts'
import { addressGuard } from './address-guard.ts'
import { nameServer } from './name-server.harness.ts'
import { createTransport } from './transport.ts'

const canaries: Server[] = []
let touched = 0
let port = 0

beforeAll(async () => {
  const listen = (host: string) =>
    new Promise<void>((resolve) => {
      const canary = createServer((socket) => {
        touched += 1
        socket.destroy()
      })
      canaries.push(canary)
      canary.once('error', () => resolve())
      canary.listen(port, host, () => {
        port = (canary.address() as { port: number }).port
        resolve()
      })
    })
  await listen('0.0.0.0')
  await listen('::1')
})
afterAll(() => {
  for (const canary of canaries) canary.close()
})

const hosts = `
  127.0.0.1 127.1 127.0.1 127.255.255.254 0 0.0.0.0 0x7f.1 0x7f.0.0.1 0x7f000001 0X7F000001 2130706433
  017700000001 0177.0.0.1 0177.0.0.01 127.0.0.1. 127.1. 127。0。0。1 ①②⑦.⓪.⓪.① %31%32%37.0.0.1 localhost LOCALHOST
  localhost. a.localhost ⓛⓞⓒⓐⓛⓗⓞⓢⓣ [::1] [::] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::ffff:127.0.0.1] [::ffff:7f00:1]
  [0:0:0:0:0:ffff:127.0.0.1] [::ffff:0:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1]
  [2002:7f00:1::] [2001:0:7f00:1::] [fe80::1] [fec0::1] [fc00::1] [fd00:ec2::254] [ff02::1] [100::1]
  [2001:db8::1] [4000::1] 10.0.0.1 172.16.0.1 172.31.255.255 192.168.0.1 100.64.0.1 100.100.100.200
  169.254.169.254 0xa9fea9fe 2852039166 169.254.1.1 192.0.0.1 192.0.2.1 198.18.0.1 198.19.255.255 198.51.100.1
  203.0.113.1 224.0.0.1 239.255.255.255 240.0.0.1 255.255.255.255 loopback.example loopback6.example
  private.example mixed.example mapped.example metadata.example metadata6.example nat64.example link.example
`
  .trim()
  .split(/\s+/)

test(`none of ${hosts.length} ways to write a private address, over http or https, touches the machine`, async () => {
  const transport = createTransport({ addresses: addressGuard(false, [], nameServer), clock: systemClock })
  const { signal } = new AbortController()
  for (const host of hosts) {
    for (const scheme of ['http', 'https']) {
      const request: HttpRequest = {
        kind: 'http',
        method: 'POST',
        url: `${scheme}://${host}:${port}/`,
        headers: {},
        body: 'x',
        final: true,
      }
      const reply = await transport.perform(request, { signal, timeoutMs: 2_000 })
      expect(reply, request.url).toMatchObject({ kind: 'failure', failure: 'address_refused', reached: false })
      expect(reply, request.url).toMatchObject({ message: expect.stringContaining('POSTRIDER_ALLOW_PRIVATE_NETWORK') })
    }
  }
  await transport.close()
  expect(hosts.length).toBeGreaterThanOrEqual(60)
  expect(touched).toBe(0)
})

test('an SMTP server at a private address is refused in every form as well', async () => {
  const transport = createTransport({ addresses: addressGuard(false, []), clock: systemClock })
  const { signal } = new AbortController()
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0',
    '[::1]',
    '::1',
    '::ffff:127.0.0.1',
    'localhost',
  ]) {
    const reply = await transport.perform(
      {
        kind: 'mail',
        final: true,
        server: { host, port, security: 'opportunistic' },
        mail: {
          messageId: 'a@b.example',
          date: 0,
          from: { address: 'a@b.example' },
          to: [{ address: 'c@d.example' }],
          subject: '',
          text: '',
        },
      },
      { signal, timeoutMs: 5_000 },
    )
    expect(reply, host).toMatchObject({ kind: 'failure', failure: 'address_refused', reached: false })
  }
  await transport.close()
  expect(touched).toBe(0)
})

test('the connection goes where the guard says, and the name is never looked up again', async () => {
  const guard = addressGuard(true, [], async () => [{ address: '127.0.0.1', family: 4 }])
  const transport = createTransport({ addresses: guard, clock: systemClock })
  const before = touched
  const request: HttpRequest = {
    kind: 'http',
    method: 'GET',
    url: `http://no.such.name.invalid:${port}/`,
    headers: {},
    final: true,
  }
  const reply = await transport.perform(request, { signal: new AbortController().signal, timeoutMs: 5_000 })
  expect(reply).toMatchObject({ kind: 'failure', failure: 'reset' })
  expect(touched).toBe(before + 1)
  await transport.close()
})
