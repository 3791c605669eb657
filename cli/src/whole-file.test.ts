/** A copy appears whole or not at all, and replaces nothing without --overwrite. */
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writeWhole } from './whole-file.ts'

const place = () => mkdtempSync(join(tmpdir(), 'postrider-whole-'))
const quiet = { overwrite: false, wrote: () => undefined, check: async () => undefined }

async function* chunks(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

test('the written file is readable by its owner only', async () => {
  const folder = place()
  const seen: number[] = []
  const options = { ...quiet, wrote: (count: number) => void seen.push(count) }
  expect(await writeWhole(join(folder, 'copy'), chunks('ab', 'cde'), options)).toBe(5)
  expect(seen).toEqual([2, 5])
  expect(readFileSync(join(folder, 'copy'), 'utf8')).toBe('abcde')
  expect(statSync(join(folder, 'copy')).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['copy'])
})

test('a source that breaks off leaves nothing', async () => {
  const folder = place()
  async function* broken() {
    yield Buffer.from('ab')
    throw new Error('connection lost')
  }
  await expect(writeWhole(join(folder, 'copy'), broken(), quiet)).rejects.toThrow('connection lost')
  expect(readdirSync(folder)).toEqual([])
})

test('a copy that fails its check leaves the old one in place', async () => {
  const folder = place()
  writeFileSync(join(folder, 'copy'), 'old')
  const check = async (path: string) => {
    throw new Error(`bad: ${readFileSync(path, 'utf8')}`)
  }
  const options = { ...quiet, overwrite: true, check }
  await expect(writeWhole(join(folder, 'copy'), chunks('new'), options)).rejects.toThrow('bad: new')
  expect(readFileSync(join(folder, 'copy'), 'utf8')).toBe('old')
  expect(readdirSync(folder)).toEqual(['copy'])
})

test('a file that appeared meanwhile is kept, unless it is to be replaced', async () => {
  const folder = place()
  const path = join(folder, 'copy')
  const check = async () => writeFileSync(path, 'theirs')
  await expect(writeWhole(path, chunks('ours'), { ...quiet, check })).rejects.toThrow('exists already')
  expect(readFileSync(path, 'utf8')).toBe('theirs')
  await writeWhole(path, chunks('ours'), { ...quiet, overwrite: true })
  expect(readFileSync(path, 'utf8')).toBe('ours')
})
