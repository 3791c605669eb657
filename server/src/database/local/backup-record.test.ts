/** The time of the last whole copy: only a copy that was read to its end counts, and a record that fails harms no copy. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import { recordedBackup } from './backup-record.ts'

const log = createLog('silent')
const newFolder = () => mkdtempSync(join(tmpdir(), 'postrider-backup-record-'))

async function* whole() {
  yield new Uint8Array([1])
  yield new Uint8Array([2])
}
async function* broken() {
  yield new Uint8Array([1])
  throw new Error('the database is away')
}
async function read(copy: AsyncIterable<Uint8Array>): Promise<number[]> {
  const bytes: number[] = []
  for await (const chunk of copy) bytes.push(...chunk)
  return bytes
}

test('a copy that was read to its end is recorded with its start, and nothing else is left', async () => {
  const folder = newFolder()
  const backup = recordedBackup(folder, log, whole, () => 1_000)
  expect(await backup.last()).toBeUndefined()
  expect(await read(backup.copy())).toEqual([1, 2])
  expect(await backup.last()).toBe(1_000)
  expect(readdirSync(folder)).toEqual(['last-backup'])
})

test('a copy whose reader stops, or that fails, is none', async () => {
  const backup = recordedBackup(newFolder(), log, whole)
  for await (const _chunk of backup.copy()) break
  expect(await backup.last()).toBeUndefined()
  const failing = recordedBackup(newFolder(), log, broken)
  await expect(read(failing.copy())).rejects.toThrow('away')
  expect(await failing.last()).toBeUndefined()
})

test('a copy that started later stays the last one, whichever ends first', async () => {
  let time = 1_000
  const backup = recordedBackup(newFolder(), log, whole, () => time)
  const earlier = backup.copy()[Symbol.asyncIterator]()
  await earlier.next()
  time = 2_000
  await read(backup.copy())
  time = 3_000
  while (!(await earlier.next()).done);
  expect(await backup.last()).toBe(2_000)
})

test('a time to come, of a clock that was wrong, is replaced', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'last-backup'), '2999-01-01T00:00:00.000Z')
  const backup = recordedBackup(folder, log, whole, () => 1_000)
  await read(backup.copy())
  expect(await backup.last()).toBe(1_000)
})

test('a record that cannot be read or written harms no copy', async () => {
  const folder = newFolder()
  mkdirSync(join(folder, 'last-backup'))
  const backup = recordedBackup(folder, log, whole)
  expect(await read(backup.copy())).toEqual([1, 2])
  expect(await backup.last()).toBeUndefined()
  expect(readdirSync(folder)).toEqual(['last-backup'])
})

test('a record that holds no time is none', async () => {
  const folder = newFolder()
  writeFileSync(join(folder, 'last-backup'), '')
  expect(await recordedBackup(folder, log, whole).last()).toBeUndefined()
})
