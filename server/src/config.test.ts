/** What follows from a variable is usable for whatever the variable may be. */
import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

test.each([
  ['127.0.0.1', 'http://127.0.0.1:4600'],
  ['localhost', 'http://localhost:4600'],
  ['::1', 'http://[::1]:4600'],
])('listening on %s it is found at %s', (host, url) => expect(readConfig({ POSTRIDER_HOST: host }).publicUrl).toBe(url))
