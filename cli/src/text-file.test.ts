/** A text is read as it was meant or refused; no sign is replaced by another one. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readText } from './text-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-text-'))
const fileOf = (content: string | Buffer) => {
  const path = join(folder, 'text')
  writeFileSync(path, content)
  return path
}
const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16()

test.each([
  ['UTF-8', 'Schöne Grüße 😀'],
  ['UTF-8 with a byte order mark', '\ufeffSchöne Grüße 😀'],
  ['UTF-16', Buffer.from('\ufeffSchöne Grüße 😀', 'utf16le')],
  ['UTF-16 in network order', utf16be('\ufeffSchöne Grüße 😀')],
])('%s is read', (_name, content) => expect(readText(fileOf(content))).toBe('Schöne Grüße 😀'))

test.each([
  ['Latin-1', Buffer.from('Schöne Grüße', 'latin1')],
  ['half a sign', Buffer.from('Grüße').subarray(0, 3)],
])('%s is refused', (_name, content) => expect(() => readText(fileOf(content))).toThrow(/text is not UTF-8$/))
