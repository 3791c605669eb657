/** The first words of the service are enough to send a first message. */
import { expect, test } from 'vitest'
import { banner } from './serve.ts'

const url = 'http://127.0.0.1:4600'
const plainly = (text: string) => text

test('the first start shows the address, the key once and a command that stays whole', () => {
  const curl = `curl ${url}/send \\\n  -d '{"event":"welcome"}'`
  const text = banner({ url, dashboard: true, firstStart: { apiKey: 'pk_prod_a', curl } }, plainly)
  expect(text).toContain(`listening on ${url}`)
  expect(text).toContain(`${url}/docs`)
  expect(text).toContain(`Dashboard      ${url}/app/`)
  expect(text).toContain('pk_prod_a')
  expect(text).toContain(`  curl ${url}/send \\\n    -d '{"event":"welcome"}'\n`)
})

test('later starts show neither, but how to come by a key', () => {
  const text = banner({ url, dashboard: false }, plainly)
  expect(text).toContain(`listening on ${url}`)
  expect(text).not.toMatch(/pk_|curl|\/app\//)
  expect(text).toContain('postrider keys create')
})
