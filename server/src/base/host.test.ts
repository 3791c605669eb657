/** A host is a name or an address with a port, and nothing that ends the place where it is written. */
import { expect, test } from 'vitest'
import { isHost } from './host.ts'

test.each([
  ...['localhost', 'notify.example.com', 'notify.example.com.', 'a_b:4600', 'xn--bcher-kva.example', '127.0.0.1:65535'],
  ...['[::1]', '[::1]:4600', '[::ffff:127.0.0.1]'],
])('%s is one', (text) => expect(isHost(text)).toBe(true))

test.each([
  ...['', ':4600', '.', 'a..b', '.a', 'a:', 'a:b', 'a:65536', 'a:123456', '[::1', '::1', '[x]', 'a/b', 'a?b', 'a#b'],
  ...['user@a', 'user:password@a', 'a, b', 'a b', 'a\t', 'a;b', 'a,b', "a'b", 'a"b', '*.a', 'a%41', 'ä', 'a\n'],
])('%j is none', (text) => expect(isHost(text)).toBe(false))
