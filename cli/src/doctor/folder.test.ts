/** The data folder is judged as the server will find it. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lookAtFolder, room } from './folder.ts'

test('a folder that does not exist yet is judged by where it will be', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'postrider-folder-')), 'a', 'b')
  const [writable] = await lookAtFolder(folder)
  expect(writable).toMatchObject({ state: 'ok', detail: `${folder} will be created` })
})

test('a file in its place is a failure', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'postrider-folder-')), 'file')
  writeFileSync(file, '')
  for (const folder of [file, join(file, 'data')])
    expect(await lookAtFolder(folder)).toMatchObject([{ state: 'fail', detail: `${file} is not a folder` }])
})

test('little room is a warning, none is a failure', () => {
  expect([2e9, 5e8, 5e7].map((free) => room(free).state)).toEqual(['ok', 'warn', 'fail'])
})
