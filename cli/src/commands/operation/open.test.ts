/** A link leads to the server of the command, also where that server knows no public address. */
import { expect, test } from 'vitest'
import { reachableLink } from './open.ts'

test.each([
  ['http://127.0.0.1:4600/app/#link=a', 'http://127.0.0.1:4600', 'http://127.0.0.1:4600/app/#link=a'],
  ['http://127.0.0.1:4600/app/#link=a', 'http://localhost:8080', 'http://localhost:8080/app/#link=a'],
  ['http://[::1]:4600/app/#link=a', 'http://10.0.0.5:4600', 'http://10.0.0.5:4600/app/#link=a'],
  ['https://notify.example.com/app/#link=a', 'http://10.0.0.5:4600', 'https://notify.example.com/app/#link=a'],
])('%s of the server at %s', (link, server, reachable) => expect(reachableLink(link, server)).toBe(reachable))
