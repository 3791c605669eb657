/** A copy that could not be restored is noticed while the database is still there. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { inspectArchive } from './archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'postrider-archive-'))
let made = 0

function file(content: Buffer): string {
  const path = join(folder, `${++made}.tar.gz`)
  writeFileSync(path, content)
  return path
}

function entry(name: string, content: string): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('ustar\0', 257)
  header.fill(' ', 148, 156)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512)
  body.write(content)
  return Buffer.concat([header, body])
}

const tar = (...entries: Buffer[]) => Buffer.concat([...entries, Buffer.alloc(1_024)])
const version = entry('/PG_VERSION', '18\n')
const control = entry('./global/pg_control', 'x'.repeat(700))

test('a whole copy is counted', async () =>
  expect(await inspectArchive(file(gzipSync(tar(version, control))))).toEqual({ files: 2, bytes: 703 }))

test('a copy of a large file is read in pieces', async () => {
  const big = entry('base/1/2', 'y'.repeat(3_000_000))
  expect(await inspectArchive(file(gzipSync(tar(big, version, control))))).toEqual({ files: 3, bytes: 3_000_703 })
})

test.each([
  ['not a gzip', Buffer.from('<html>'), 'cannot be unpacked'],
  ['cut short in the gzip', gzipSync(tar(version, control)).subarray(0, 60), 'cannot be unpacked'],
  ['without an end', gzipSync(Buffer.concat([version, control])), 'its end is missing'],
  ['cut short in a file', gzipSync(Buffer.concat([version, control.subarray(0, 600)])), 'its end is missing'],
  ['with a changed header', gzipSync(tar(version, Buffer.from(control).fill('z', 0, 4))), 'a header is wrong'],
  ['another folder', gzipSync(tar(entry('readme', 'hello'))), 'no PG_VERSION and no global/pg_control'],
])('a copy that is %s is refused', async (_name, content, message) => {
  await expect(inspectArchive(file(content))).rejects.toThrow(message)
})
