/** What a request must be before it is sent: one plain address, and headers that stay headers. */
import { expect, test } from 'vitest'
import type { HttpRequest } from '../../base/exchange.ts'
import { httpTarget } from './target.ts'

function post(url: string, headers: Record<string, string> = {}): HttpRequest {
  return { kind: 'http', method: 'POST', url, headers, body: '{}', final: true }
}

test('a url is taken apart, and headers are in lower case', () => {
  expect(httpTarget(post('https://API.example:8443/a?b=c#d', { 'X-A': 'b' }))).toEqual({
    origin: 'https://api.example:8443',
    host: 'api.example:8443',
    path: '/a?b=c',
    headers: { 'x-a': 'b', 'accept-encoding': 'identity' },
  })
})

test.each([
  ['no address', 'nonsense'],
  ['another scheme', 'ftp://example.com/'],
  ['a file', 'file:///etc/passwd'],
  ['a script', 'javascript:alert(1)'],
  ['a user name', 'http://user@127.0.0.1/'],
  ['a password', 'http://:secret@127.0.0.1/'],
  ['a blank', 'http://127.0.0.1/a b'],
  ['a line break', 'http://127.0.0.1/\r\nX: y'],
  ['a tab in the host', 'http://127.0\t.0.1/'],
  ['a backslash', 'http:\\\\127.0.0.1\\'],
  ['a port out of range', 'http://127.0.0.1:99999/'],
  ['too many characters', `http://127.0.0.1/${'a'.repeat(9_000)}`],
])('a url with %s is not a request', (_what, url) => {
  expect(httpTarget(post(url))).toMatchObject({ failure: 'invalid_request', reached: false })
})

test.each([
  ['x-a', 'b\r\nX-Evil: c'],
  ['x-a', 'b\nc'],
  ['x-a', 'b\0c'],
  ['x-a', '漢'],
  ['x-a\r\nX-Evil', 'b'],
  ['x a', 'b'],
  ['', 'b'],
  ['Host', 'evil.example'],
  ['Content-Length', '3'],
  ['Transfer-Encoding', 'chunked'],
  ['Connection', 'upgrade'],
  ['Expect', '100-continue'],
  ['x-a', 'x'.repeat(17_000)],
])('the header %j: %j is not sent', (name, value) => {
  const target = httpTarget(post('http://127.0.0.1/', { [name]: value }))
  expect(target).toMatchObject({ failure: 'invalid_request', reached: false })
})
