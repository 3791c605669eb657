/** Derived settings are usable for every valid value of a variable. */
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4600'],
  ['localhost', 'http://localhost:4600'],
  ['::1', 'http://[::1]:4600'],
  ['0.0.0.0', 'http://127.0.0.1:4600'],
  ['::', 'http://[::1]:4600'],
])('listening on %s it is found at %s', (host, url) => expect(readConfig({ POSTRIDER_HOST: host }).publicUrl).toBe(url))

test.each([
  ['too short', 'c2hvcnQ=', 'is 5 bytes'],
  ['no base64', `${Buffer.alloc(32, 7).toString('base64')} x!`, 'is a string that is not base64'],
])('a secret key that is %s gives one line, which is true', (_what, key, problem) => {
  const read = () => readConfig({ POSTRIDER_SECRET_KEY: key, POSTRIDER_DATABASE_URL: 'postgres://me@127.0.0.1/x' })
  expect(read).toThrow(
    expect.objectContaining({
      issues: [`POSTRIDER_SECRET_KEY must be 32 bytes in base64, and ${problem}; a new one: openssl rand -base64 32`],
    }),
  )
})

test('environments with strict sends are named one by one', () => {
  expect([...readConfig({ POSTRIDER_STRICT_SENDS: 'test, production' }).strictSends]).toEqual(['production', 'test'])
  expect(() => readConfig({ POSTRIDER_STRICT_SENDS: 'staging' })).toThrow(
    'POSTRIDER_STRICT_SENDS must be a list of `production`, `test`, or empty',
  )
})

test('trusted proxies are networks', () => {
  expect(readConfig({}).trustedProxies).toEqual([])
  expect(readConfig({ POSTRIDER_TRUSTED_PROXIES: '10.0.0.0/8, ::1/128' }).trustedProxies).toEqual([
    '10.0.0.0/8',
    '::1/128',
  ])
})

test.each([
  ['https://me:s3cret@notify.example.com', 'must have no user name and no password'],
  ['https://s3cret@notify.example.com/path', 'must have no user name and no password'],
  ['https://@notify.example.com', 'must have no user name and no password'],
  ['https://notify.example.com/?key=s3cret', 'must have no query and no fragment'],
  ['https://notify.example.com?', 'must have no query and no fragment'],
  ['https://notify.example.com/path#s3cret', 'must have no query and no fragment'],
])('the public address %s is refused without being repeated', (address, rule) => {
  const read = () => readConfig({ POSTRIDER_PUBLIC_URL: address })
  expect(read).toThrow(`POSTRIDER_PUBLIC_URL ${rule}`)
  expect(read).not.toThrow(/s3cret/)
})

test.each([
  ['https://notify.example.com/', 'https://notify.example.com'],
  ['HTTP://[::1]:4600', 'HTTP://[::1]:4600'],
  ['https://bücher.example/@notify/a%20b//', 'https://bücher.example/@notify/a%20b'],
])('the public address %s may be %s', (address, url) =>
  expect(readConfig({ POSTRIDER_PUBLIC_URL: address }).publicUrl).toBe(url),
)

test('LMTP is off without a port, and listens on the loopback address', () => {
  expect(readConfig({ POSTRIDER_LMTP_HOST: '0.0.0.0' }).lmtp).toBeUndefined()
  expect(readConfig({ POSTRIDER_LMTP_PORT: '2424' }).lmtp).toEqual({ host: '127.0.0.1', port: 2424 })
})

test.each([
  ['POSTRIDER_PORT', '0x10'],
  ['POSTRIDER_PORT', '1e3'],
  ['POSTRIDER_PORT', '65536'],
  ['POSTRIDER_LMTP_PORT', '0'],
  ['POSTRIDER_DATABASE_CONNECTIONS', '1'],
  ['POSTRIDER_DATABASE_CONNECTIONS', '101'],
  ['POSTRIDER_HOST', '999.1.1.1'],
  ['POSTRIDER_TRUSTED_PROXIES', '10.0.0.1'],
  ['POSTRIDER_PUBLIC_URL', 'notify'],
  ['POSTRIDER_PUBLIC_URL', 'ftp://notify.example.com'],
  ['POSTRIDER_PUBLIC_URL', 'https:notify.example.com'],
  ['POSTRIDER_PUBLIC_URL', 'https://'],
  ['POSTRIDER_PUBLIC_URL', 'https:///notify'],
  ['POSTRIDER_PUBLIC_URL', 'https://a;b'],
  ['POSTRIDER_PUBLIC_URL', 'https://notify.example.com/a b'],
  ['POSTRIDER_PUBLIC_URL', 'https://notify.example.com/a>b'],
  ['POSTRIDER_PUBLIC_URL', 'https://notify.example.com\\a'],
  ['POSTRIDER_DATABASE_URL', 'mysql://localhost/x'],
  ['POSTRIDER_DATABASE_URL', 'postgres://me@127.0.0.1:99999/x'],
])('%s=%s is refused by its own name', (name, value) => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const read = () => readConfig({ POSTRIDER_SECRET_KEY: key, [name]: value })
  expect(read).toThrow(expect.objectContaining({ issues: [expect.stringMatching(`^${name} `)] }))
})

const unknownIn = (env: Record<string, string>) => readConfig(env).unknownVariables

test.each([
  ['POSTRIDER_PUBLIC_ULR', 'POSTRIDER_PUBLIC_URL'],
  ['POSTRIDER_SECRETKEY_FILE', 'POSTRIDER_SECRET_KEY_FILE'],
  ['POSTRIDER_LOGLEVEL', 'POSTRIDER_LOG_LEVEL'],
  ['POSTRIDER_RETENTION_DAY', 'POSTRIDER_RETENTION_DAYS'],
])('%s is named without its value, with the nearest variable', (name, nearest) =>
  expect(unknownIn({ [name]: 's3cret' })).toEqual([`Unknown variable \`${name}\`. Did you mean \`${nearest}\`?`]),
)

test('an unknown variable that is near none leads to their list, and one that makes a start fail is named with it', () => {
  expect(unknownIn({ POSTRIDER_COLOR_OF_MAIL: 's3cret' })).toEqual([
    'Unknown variable `POSTRIDER_COLOR_OF_MAIL`. They are listed by: postrider serve --help',
  ])
  const read = () => readConfig({ POSTRIDER_DATABASE_URL: 'postgres://me@127.0.0.1/x', POSTRIDER_SECRETKEY: 's3cret' })
  expect(read).toThrow('Did you mean `POSTRIDER_SECRET_KEY`?')
  expect(read).not.toThrow(/s3cret/)
})

test('variables of the command and of tests are no mistakes, nor are those that Kubernetes sets beside a Service', () => {
  const names = ['URL', 'SOURCE_API_KEY', 'SOURCE_API_KEY_FILE', 'TEST_SEED', 'FAILPOINT']
  const service = ['SERVICE_HOST', 'SERVICE_PORT', 'SERVICE_PORT_HTTP', 'PORT_4600_TCP', 'PORT_4600_TCP_ADDR']
  for (const name of [...names, ...service, ...service.map((part) => `DB_${part}`)])
    expect([name, unknownIn({ [`POSTRIDER_${name}`]: 'x' })]).toEqual([name, []])
  expect(unknownIn({ POSTRIDER_DB_PORT: 'tcp://10.0.0.1:5432' })).toEqual([])
})

test('a port that Kubernetes has set is refused with the remedy', () =>
  expect(() => readConfig({ POSTRIDER_PORT: 'tcp://10.96.0.7:4600' })).toThrow(
    /Kubernetes .*enableServiceLinks: false/,
  ))
