/** The first words of the service are enough to sign in and to send a first message. */
import { expect, test } from 'vitest'
import { banner } from './serve.ts'

const url = 'http://127.0.0.1:4600'
const dashboardUrl = `${url}/app/`
const signInLink = `${dashboardUrl}#link=kq3Vw0m8b1LrPzXc5nTgYA`
const plainly = (text: string) => text

test('the first start shows the address, a link to the dashboard, the key once and a command that stays whole', () => {
  const curl = `curl ${url}/send \\\n  -d '{"event":"welcome"}'`
  const text = banner({ url, dashboardUrl, signInLink, firstStart: { apiKey: 'pk_prod_a', curl } }, plainly)
  expect(text).toContain(`listening on ${url}`)
  expect(text).toContain(`  Guides         ${url}/docs/guides\n  API reference  ${url}/docs\n`)
  expect(text).toContain(`Dashboard      ${signInLink}\n`)
  expect(text).toContain('postrider open')
  expect(text).toContain('pk_prod_a')
  expect(text).toContain(`  curl ${url}/send \\\n    -d '{"event":"welcome"}'\n`)
  // Wrapped, a link is one no more.
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
})

test('a first key that stays in a log comes with the commands that replace it', () => {
  const firstStart = { apiKey: 'pk_prod_a', keyId: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7', curl: 'curl' }
  const text = banner({ url, firstStart, isLogged: true }, plainly)
  expect(text).toMatch(
    /It stays in the log of this service\. .*:\n +postrider keys create --name operator\n +postrider keys revoke T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7\n/,
  )
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
  expect(banner({ url, firstStart }, plainly)).not.toContain('keys revoke')
})

test('later starts show no key, but how to come by one', () => {
  const text = banner({ url, dashboardUrl, signInLink }, plainly)
  expect(text).toContain(signInLink)
  expect(text).not.toMatch(/pk_|curl/)
  expect(text).toContain('postrider keys create')
})

test('without a link there is the address of the dashboard, and without a dashboard none', () => {
  expect(banner({ url, dashboardUrl, signInLink: undefined }, plainly)).toContain(`Dashboard      ${dashboardUrl}\n`)
  expect(banner({ url }, plainly)).not.toMatch(/\/app\/|postrider open/)
})
