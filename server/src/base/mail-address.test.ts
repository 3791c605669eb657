/** A valid address is one recipient, safe in a command and in a header. */
import { expect, test } from 'vitest'
import { checkAddress, mailAddressError, parseMailAddress } from './mail-address.ts'
import { withinWork } from './processor-time.harness.ts'

test.each([
  ['a@b.co', 'a@b.co'],
  ["o'neil+tag=x@mail.example.co.uk", "o'neil+tag=x@mail.example.co.uk"],
  ['a@localhost', 'a@localhost'],
  ['a@bücher.example', 'a@xn--bcher-kva.example'],
  ['a@例え.テスト', 'a@xn--r8jz45g.xn--zckzah'],
])('%s is an address', (text, address) => {
  expect(checkAddress(text)).toBe(address)
})

test.each([
  '',
  '@',
  'a@',
  '@b.co',
  'a',
  'a@b@c.co',
  'a@b.co\r\nBcc: x@y.co',
  'a\r\n@b.co',
  'a@b.co ',
  ' a@b.co',
  'a b@c.co',
  'a,b@c.co',
  'a@b,c.co',
  'a@b.co>',
  '<a@b.co>',
  '"a"@b.co',
  'a(comment)@b.co',
  'a@[127.0.0.1]',
  'a@b..co',
  'a@b.co.',
  'a@-b.co',
  'a@b_c.co',
  'a\0@b.co',
  'jürgen@b.co',
  'a@ü\t.co',
  'a@ü\n.co',
  'a@ü>.co',
  `${'a'.repeat(65)}@b.co`,
  `a@${'b'.repeat(64)}.co`,
  `a@${'b.'.repeat(126)}co`,
  `a@${'ü'.repeat(200)}.co`,
])('%j is not an address', (text) => {
  expect(checkAddress(text)).toBeUndefined()
})

test.each([
  ['jürgen@b.co', 'jürgen@b.co'],
  ['ju\u0308rgen@b.co', 'jürgen@b.co'],
  ['用户@例え.テスト', '用户@xn--r8jz45g.xn--zckzah'],
  ['δοκιμή+x@b.co', 'δοκιμή+x@b.co'],
  [`${'ü'.repeat(32)}@b.co`, `${'ü'.repeat(32)}@b.co`],
])('%s is an address of a server with SMTPUTF8 only', (text, address) => {
  expect(checkAddress(text, 'unicode')).toBe(address)
  expect(checkAddress(text)).toBeUndefined()
})

test.each([
  'jü rgen@b.co',
  'jü\u00a0rgen@b.co',
  'jü\u2028@b.co',
  'jü\r\n@b.co',
  'jü\0@b.co',
  'jü\u0085@b.co',
  'jü\u202e@b.co',
  'jü\u200b@b.co',
  'jü\ud800@b.co',
  '"jü"@b.co',
  'jü<@b.co',
  'jü,ö@b.co',
  'jü@ö@b.co',
  '@b.co',
  `${'ü'.repeat(33)}@b.co`,
])('%j is no address either', (text) => {
  expect(checkAddress(text, 'unicode')).toBeUndefined()
})

test.each([
  ['a@b.co', { address: 'a@b.co' }],
  [' Jane Doe <a@b.co> ', { name: 'Jane Doe', address: 'a@b.co' }],
  ['<a@b.co>', { address: 'a@b.co' }],
  ['"Doe, Jane \\"JD\\"" <a@b.co>', { name: 'Doe, Jane "JD"', address: 'a@b.co' }],
  ['noreply@example.com <noreply@example.com>', { name: 'noreply@example.com', address: 'noreply@example.com' }],
  ["'ada@x.co' <a@b.co>", { name: "'ada@x.co'", address: 'a@b.co' }],
  ['sales/ada@x.co <a@b.co>', { name: 'sales/ada@x.co', address: 'a@b.co' }],
  ['Ada @ Work/Home @ Night <a@b.co>', { name: 'Ada @ Work/Home @ Night', address: 'a@b.co' }],
  ['Ada @ Work <a@b.co>', { name: 'Ada @ Work', address: 'a@b.co' }],
  ['@ada @bob <a@b.co>', { name: '@ada @bob', address: 'a@b.co' }],
  ['Jürgen Groß <a@bücher.example>', { name: 'Jürgen Groß', address: 'a@xn--bcher-kva.example' }],
])('%s is a named address', (text, expected) => {
  expect(parseMailAddress(text)).toEqual(expected)
})

test.each([
  'x@y.co, Jane <a@b.co>',
  'a@x.example, b@x.example <c@x.example>',
  'a@x.example; b@x.example <c@x.example>',
  'a@x.example b@x.example <c@x.example>',
  'a@x.example/b@x.example <c@x.example>',
  'a@x.example | b@x.example <c@x.example>',
  'Ada a@x.example|b@x.example <c@x.example>',
  '<a@x.example> <c@x.example>',
  'Jane <a@b.co>, x',
  'a@b.co>',
  'Jane\r\nBcc: x <a@b.co>',
  '"open <a@b.co>',
  'Jane <>',
  '',
])('%j is not one named address', (text) => {
  expect(parseMailAddress(text)).toBeUndefined()
})

test.each([
  ['ada(at)example', 'it has no `@`'],
  ['a@b.co, c@d.co', 'it is more than one'],
  ['@b.co', 'nothing stands before its `@`'],
  [' ada@ ', 'nothing stands behind its `@`'],
  ['ada @b.co', 'it must be written as `ada@example.com`'],
])('%j is no address, because %s', (text, rule) => {
  expect(mailAddressError(text)).toBe(`is not an email address: ${rule}`)
})

test('an address has no error', () => {
  expect(mailAddressError('Jürgen <jü@bücher.example>')).toBeUndefined()
})

test('a hostile text of 200 kB is refused at once', async () => {
  const read = () => {
    for (const piece of ['"\\', 'a@', 'a@b.co ', '<', 'ü', '.', ' ']) {
      parseMailAddress(`${piece.repeat(200_000)}<a@b.co>`)
      parseMailAddress(`"${piece.repeat(400)} <a@b.co>`)
      checkAddress(piece.repeat(200_000))
    }
  }
  await withinWork(200, read)
})
