/** Private addresses are refused unless the policy allows them, and the checked address is the one used. */
import { expect, test } from 'vitest'
import { type Address, addressGuard, isPublic, type NetworkPolicy } from './address-guard.ts'
import { nameServer } from './name-server.harness.ts'

test('the connection goes to the address that was checked, though the name has another one by then', async () => {
  let lookups = 0
  const rebinding = async (): Promise<Address[]> => {
    lookups += 1
    // Nothing listens on 127.0.0.9 at this port but the canary, which a second look-up would lead to.
    return [{ address: lookups === 1 ? '93.184.216.34' : '127.0.0.1', family: 4 }]
  }
  const guard = addressGuard(false, [], rebinding)
  expect(await guard.resolve('rebind.example', 80)).toEqual([{ address: '93.184.216.34', family: 4 }])
  await expect(guard.resolve('rebind.example', 80)).rejects.toMatchObject({ failure: 'address_refused' })
})

const outcome = (policy: NetworkPolicy, host: string, at = 80, closed: { host: string; port: number }[] = []) =>
  addressGuard(policy, closed, nameServer)
    .resolve(host, at)
    .then(
      () => 'open',
      (error) => error.failure,
    )

test.each(['93.184.216.34', '8.8.8.8', '2606:2800:220:1::1', '[2a00:1450::1]', 'public.example'])(
  'the public address %s is open',
  async (host) => {
    expect(await outcome(false, host)).toBe('open')
  },
)

test('an unknown name is a failure of the name service, not of the guard', async () => {
  expect(await outcome(false, 'nowhere.example')).toBe('dns')
})

test('a list of ranges opens what lies in them and nothing else', async () => {
  const ranges = ['10.0.0.0/8', 'fd12::/16', '127.0.0.1']
  expect(await outcome(ranges, '10.20.30.40')).toBe('open')
  expect(await outcome(ranges, '::ffff:10.0.0.1')).toBe('open')
  expect(await outcome(ranges, 'fd12::1')).toBe('open')
  expect(await outcome(ranges, 'localhost')).toBe('open')
  expect(await outcome(ranges, '8.8.8.8')).toBe('open')
  expect(await outcome(ranges, '127.0.0.2')).toBe('address_refused')
  expect(await outcome(ranges, '192.168.0.1')).toBe('address_refused')
  expect(() => addressGuard(['10.0.0.0/99'], [])).toThrow()
})

test.each(['169.254.169.254', '::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'metadata.example', 'fd00:ec2::254'])(
  'the metadata address %s opens only when it is named itself',
  async (host) => {
    expect(await outcome(true, host)).toBe('address_refused')
    expect(await outcome(['0.0.0.0/0', '::/0'], host)).toBe('address_refused')
    expect(await outcome(['169.254.169.254/32', 'fd00:ec2::254'], host)).toBe('open')
  },
)

test('our own database stays closed under each of its names, other ports of its machine do not', async () => {
  const closed = [{ host: 'private.example', port: 5432 }]
  for (const host of ['private.example', 'PRIVATE.example', '10.1.2.3', '::ffff:10.1.2.3']) {
    expect(await outcome(true, host, 5432, closed), host).toBe('address_refused')
    expect(await outcome(['10.0.0.0/8'], host, 5432, closed), host).toBe('address_refused')
    expect(await outcome(true, host, 80, closed), host).toBe('open')
    expect(await outcome(['10.1.2.3/32'], host, 5432, closed), host).toBe('open')
  }
})

test('an error names the host as it was given, and no address that it resolved to', async () => {
  const said = (host: string, closed: { host: string; port: number }[] = []) =>
    addressGuard(closed.length > 0, closed, nameServer)
      .resolve(host, 5432)
      .then(
        () => 'open',
        (error: Error) => `${error.message} ${String(error.cause ?? '')}`,
      )
  for (const host of ['private.example', 'metadata.example'])
    expect(await said(host)).toMatch(
      new RegExp(`^${host} is not open to outgoing connections; POSTRIDER_\\w+ can open it $`),
    )
  expect(await said('private.example', [{ host: '10.1.2.3', port: 5432 }])).toMatch(
    /^private\.example:5432 is not open/,
  )
  expect(await said('10.1.2.3')).toMatch(/^10\.1\.2\.3 is not open/)
})

test('everything private is open where the policy says so', async () => {
  for (const host of ['127.0.0.1', '::1', '10.0.0.1', '192.168.1.1', 'localhost', 'fe80::1']) {
    expect(isPublic(host === 'localhost' ? '127.0.0.1' : host)).toBe(false)
    expect(await outcome(true, host)).toBe('open')
  }
})

test('a literal address is refused without a look-up, a name only when it is this machine', () => {
  const isInvalid = (policy: boolean | string[]) =>
    ['127.0.0.1', '[fd00::1]', 'localhost', 'a.localhost', '169.254.169.254', '1.1.1.1', 'example.com'].map(
      (host) => addressGuard(policy, []).blockedReason(host) !== undefined,
    )
  expect(isInvalid(false)).toEqual([true, true, true, true, true, false, false])
  expect(isInvalid(true)).toEqual([false, false, false, false, true, false, false])
  expect(isInvalid(['127.0.0.0/8'])).toEqual([false, true, false, false, true, false, false])
})
