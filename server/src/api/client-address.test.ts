/** The client is named by trusted proxies only. */
import { expect, test } from 'vitest'
import { clientAddress, trustedProxies } from './client-address.ts'

const proxies = trustedProxies(['10.0.0.0/8', 'fd00::/8'])

test.each([
  ['without the header', '10.0.0.1', undefined, '10.0.0.1'],
  ['from a trusted proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['from a trusted proxy over IPv6', '::ffff:10.0.0.1', '2001:db8::7', '2001:db8::7'],
  ['through two trusted proxies', 'fd00::1', '198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['with an entry that the client wrote', '10.0.0.1', '203.0.113.9, 198.51.100.7', '198.51.100.7'],
  ['from elsewhere, also a private address', '192.168.0.1', '198.51.100.7', '192.168.0.1'],
  ['with an entry that is no address', '10.0.0.1', 'unknown', '10.0.0.1'],
  ['with trusted proxies only', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
])('%s', (_case, remote, forwarded, address) => {
  expect(clientAddress(remote, forwarded, proxies)).toBe(address)
})

test('no proxy is trusted unless it is configured', () => {
  expect(clientAddress('127.0.0.1', '198.51.100.7', trustedProxies([]))).toBe('127.0.0.1')
})
