/** The samples of a send, run as they are copied: by a shell, and as TypeScript. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandOf, curlOf, sdkOf, typescriptOf } from './send-samples.ts'

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

test('TypeScript hands fetch the address, the key and the very body', async () => {
  const code = typescriptOf(ORIGIN, body)
  expect(code).toContain("to: { user_id: 'ada' },")
  const calls: unknown[] = []
  const logged: unknown[] = []
  const fetched = async (
    url: string,
    { method, headers, body: text }: Record<'method' | 'headers' | 'body', string>,
  ) => {
    calls.push([url, method, headers, JSON.parse(text)])
    return { status: 202, json: async () => ({ requestId: 'R' }) }
  }
  const run = new Function('fetch', 'process', 'console', `return (async () => {${code}})()`)
  await run(fetched, { env: { POSTRIDER_API_KEY: 'pk_1' } }, { log: (...values: unknown[]) => logged.push(...values) })
  const headers = { Authorization: 'Bearer pk_1', 'Content-Type': 'application/json' }
  expect(calls).toEqual([['https://notify.example.com/send', 'POST', headers, body]])
  expect(logged).toEqual([202, { requestId: 'R' }])
})

const send = {
  event: 'order-shipped',
  recipient: "o'hara",
  profile: { email: 'ada@example.com', locale: 'de_DE' },
  data: { name: 'Ada & "co" $HOME', items: [{ count: 2 }], total: 120, at: '', 'a $(b)': 1 },
}

test('a shell hands the command the server, the event, the recipient and each value', () => {
  const shell = `postrider() { printf '%s\\0' "$POSTRIDER_URL" "$@"; }\n${commandOf(ORIGIN, send)}`
  const out = execFileSync('sh', ['-c', shell], { encoding: 'utf8' })
  expect(out.split('\0').slice(0, -1)).toEqual([
    ...[ORIGIN, 'send', 'order-shipped', "o'hara"],
    ...['--profile', 'email=ada@example.com', '--profile', 'locale=de_DE'],
    ...['--data', 'name=Ada & "co" $HOME', '--data', 'items:=[{"count":2}]', '--data', 'total:=120', '--data', 'at='],
    ...['--data', 'a $(b):=1'],
    '--wait',
  ])
})

test('the other SDK gets the address, and the same send in its form', () => {
  const calls: unknown[] = []
  class Courier {
    send = { message: (sent: object) => calls.push(sent) }

    constructor(options: object) {
      calls.push(options)
    }
  }
  const script = sdkOf(ORIGIN, send)
    .replace(/^import .*\n/u, '')
    .replace('await ', '')
  new Function('Courier', 'process', script)(Courier, { env: { POSTRIDER_API_KEY: 'pk_1' } })
  const to = { user_id: "o'hara", email: 'ada@example.com', locale: 'de_DE' }
  expect(calls).toEqual([
    { baseURL: ORIGIN, apiKey: 'pk_1' },
    { message: { template: 'order-shipped', to, data: send.data } },
  ])
})
