/** The samples of a send, run as they are copied: by a shell, and as TypeScript. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { curlOf, typescriptOf } from './send-samples.ts'

const ORIGIN = 'https://notify.example.com'
const body = {
  message: {
    to: { user_id: 'ada' },
    template: 'order-shipped',
    data: {
      quotes: `it's "$HOME" \`id\` $(id) !! \\ '; id; '`,
      lines: 'one\ntwo\t"key": ünï 🎈',
      'order-id': 7,
      nested: { class: [null, true, { 'a b': "''" }] },
    },
  },
}

test('a shell hands curl the address, the key and the very body', () => {
  // Prints its arguments, each after a NUL, in the place of curl.
  const shell = `curl() { printf '%s\\0' "$@"; }\n${curlOf(ORIGIN, body)}`
  const out = execFileSync('sh', ['-c', shell], { encoding: 'utf8', env: { POSTRIDER_API_KEY: 'pk_1' } })
  const [url, ...options] = out.split('\0').slice(0, -1)
  expect(url).toBe('https://notify.example.com/send')
  expect(options.slice(0, 5)).toEqual([
    '-H',
    'Authorization: Bearer pk_1',
    '-H',
    'Content-Type: application/json',
    '-d',
  ])
  expect(JSON.parse(options[5] ?? '')).toEqual(body)
})

test('TypeScript hands the client the address and the very body', () => {
  const code = typescriptOf(ORIGIN, body)
  expect(code).toContain('    user_id: ')
  const calls: unknown[] = []
  class Postrider {
    constructor(options: object) {
      calls.push(options)
    }
    send(sent: object) {
      calls.push(sent)
    }
  }
  const script = code.replace(/^import .*\n/u, '').replace('await ', '')
  new Function('Postrider', 'process', script)(Postrider, { env: { POSTRIDER_API_KEY: 'pk_1' } })
  expect(calls).toEqual([{ baseUrl: ORIGIN, apiKey: 'pk_1' }, body])
})
