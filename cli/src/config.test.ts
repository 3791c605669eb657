/** The command finds the server of this machine, or the one that is configured. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasScreen, readClientConfig } from './config.ts'

test.each([
  [{}, 'http://127.0.0.1:4600'],
  [{ POSTRIDER_PORT: '8080' }, 'http://127.0.0.1:8080'],
  [{ POSTRIDER_HOST: '0.0.0.0' }, 'http://127.0.0.1:4600'],
  [{ POSTRIDER_HOST: '::' }, 'http://[::1]:4600'],
  [{ POSTRIDER_HOST: 'box.example' }, 'http://box.example:4600'],
])('%o leads to %s, and a database of this machine may stand in', (env, url) =>
  expect(readClientConfig(env)).toMatchObject({ url, urlGiven: false }),
)

test('a named server is the one that is meant', () =>
  expect(readClientConfig({ POSTRIDER_URL: 'https://notify.example/ ', POSTRIDER_PORT: '1' })).toMatchObject({
    url: 'https://notify.example',
    urlGiven: true,
  }))

test('the key comes from the environment, or from a file named there', () => {
  expect(readClientConfig({ POSTRIDER_API_KEY: ' pk_prod_a ' }).apiKey).toBe('pk_prod_a')
  const file = join(mkdtempSync(join(tmpdir(), 'postrider-cli-')), 'key')
  writeFileSync(file, 'pk_prod_b\n')
  expect(readClientConfig({ POSTRIDER_API_KEY: 'pk_prod_a', POSTRIDER_API_KEY_FILE: file }).apiKey).toBe('pk_prod_b')
  expect(() => readClientConfig({ POSTRIDER_API_KEY_FILE: `${file}-not` })).toThrow('cannot be read')
})

test('NO_COLOR and a dumb terminal mean no colors', () => {
  expect(readClientConfig({}).color).toBe(true)
  expect(readClientConfig({ NO_COLOR: '1' }).color).toBe(false)
  expect(readClientConfig({ TERM: 'dumb' }).color).toBe(false)
})

test.each<[string, NodeJS.Platform, Record<string, string>, boolean]>([
  ['a desktop', 'linux', { DISPLAY: ':0' }, true],
  ['a desktop', 'linux', { WAYLAND_DISPLAY: 'wayland-0' }, true],
  ['Linux on Windows', 'linux', { WSL_DISTRO_NAME: 'Debian' }, true],
  ['a server', 'linux', {}, false],
  ['a Mac', 'darwin', {}, true],
  ['a session from elsewhere', 'darwin', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
  ['a session from elsewhere', 'linux', { SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22', DISPLAY: 'localhost:10' }, false],
])('whether %s (%s, %j) has a screen', (_title, platform, env, expected) => {
  expect(hasScreen(env, platform)).toBe(expected)
})
