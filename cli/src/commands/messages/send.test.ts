/** The body of a send is what the arguments and the file say together. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bodyOf } from './send.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-send-'))
const file = (text: string | Buffer) => {
  const path = join(folder, 'body.json')
  writeFileSync(path, text)
  return path
}

test('arguments alone make a body', () =>
  expect(bodyOf('welcome', 'user-7', { data: { name: 'Ada' }, profile: { email: 'a@b.c' } })).toEqual({
    event: 'welcome',
    recipient: 'user-7',
    data: { name: 'Ada' },
    profile: { email: 'a@b.c' },
  }))

test('arguments win over the file, key by key', () => {
  const jsonBody = file('{"event":"a","recipient":"r","data":{"x":1,"y":2},"delay":{"duration":1}}')
  expect(bodyOf('b', undefined, { jsonBody, data: { y: 3 } })).toEqual({
    event: 'b',
    recipient: 'r',
    data: { x: 1, y: 3 },
    delay: { duration: 1 },
  })
})

test.each([
  ['no recipient', () => bodyOf('welcome', undefined, {}), 'The recipient is missing'],
  ['a file that is not JSON', () => bodyOf('a', 'b', { jsonBody: file('{') }), 'is not JSON'],
  ['a list', () => bodyOf('a', 'b', { jsonBody: file('[]') }), 'is not a JSON object'],
  ['no file', () => bodyOf('a', 'b', { jsonBody: join(folder, 'none') }), 'cannot be read'],
  ['another encoding', () => bodyOf('a', 'b', { jsonBody: file(Buffer.from('{"a":"ö"}', 'latin1')) }), 'is not UTF-8'],
])('%s is refused', (_name, make, message) => expect(make).toThrow(message))
