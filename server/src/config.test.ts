/** What follows from a variable is usable for whatever the variable may be. */
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4600'],
  ['localhost', 'http://localhost:4600'],
  ['::1', 'http://[::1]:4600'],
])('listening on %s it is found at %s', (host, url) => expect(readConfig({ POSTRIDER_HOST: host }).publicUrl).toBe(url))

test.each([
  ['POSTRIDER_PORT', '0x10'],
  ['POSTRIDER_PORT', '1e3'],
  ['POSTRIDER_PORT', '65536'],
  ['POSTRIDER_HOST', '999.1.1.1'],
  ['POSTRIDER_PUBLIC_URL', 'notify'],
  ['POSTRIDER_DATABASE_URL', 'mysql://localhost/x'],
  ['POSTRIDER_DATABASE_URL', 'postgres://me@127.0.0.1:99999/x'],
])('%s=%s is refused by its own name', (name, value) => {
  const key = Buffer.alloc(32, 7).toString('base64')
  const read = () => readConfig({ POSTRIDER_SECRET_KEY: key, [name]: value })
  expect(read).toThrow(expect.objectContaining({ issues: [expect.stringMatching(`^${name} `)] }))
})
