/** A database that would break a promise does not pass. */
import { expect, test } from 'vitest'
import { connectionHint, databaseChecks } from './diagnostics.ts'

const sound = { versionNumber: 150_004, fsync: 'on', synchronousCommit: 'on', skewMs: 3 }
const states = (health: Partial<typeof sound>) =>
  Object.fromEntries(databaseChecks({ ...sound, ...health }).map(({ name, state }) => [name, state]))

test('a sound one passes', () =>
  expect(states({})).toEqual({ database: 'ok', fsync: 'ok', synchronous_commit: 'ok', clock: 'ok' }))

test.each([
  ['too old', { versionNumber: 140_011 }, 'database', 'fail'],
  ['without fsync', { fsync: 'off' }, 'fsync', 'fail'],
  ['that commits before it has written', { synchronousCommit: 'off' }, 'synchronous_commit', 'fail'],
  ['that waits for its replicas', { synchronousCommit: 'remote_apply' }, 'synchronous_commit', 'ok'],
  ['two seconds ahead', { skewMs: 2_000 }, 'clock', 'ok'],
  ['three seconds ahead', { skewMs: 3_000 }, 'clock', 'warn'],
  ['five minutes behind', { skewMs: -300_001 }, 'clock', 'fail'],
] as const)('one %s', (_name, health, check, state) => expect(states(health)[check]).toBe(state))

test('a clock that is behind is reported as behind', () => {
  const clock = databaseChecks({ ...sound, skewMs: 90_000 }).find(({ name }) => name === 'clock')
  expect(clock?.detail).toBe("90.0 s behind the database's")
})

test.each([
  [
    'address_refused: 10.1.2.3 is not open to outgoing connections',
    'Start the server with POSTRIDER_ALLOW_PRIVATE_NETWORK=10.0.0.0/8 (or true).',
  ],
  [
    'address_refused: mail.internal is not open to outgoing connections',
    'Start the server with POSTRIDER_ALLOW_PRIVATE_NETWORK=<the network of its address> (or true).',
  ],
  ['unencrypted: mail.example does not encrypt, and security=tls requires it. Set security=opportunistic', undefined],
  ['connect: ECONNREFUSED', 'otherwise'],
])('%s has one hint', (error, hint) => {
  expect(connectionHint(error, 'otherwise')).toBe(hint)
})
