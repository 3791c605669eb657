/** A copy of the database is a tar that unpacks where it is told to. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { relativeNames } from './relative-names.ts'

test('names lose what leads to the root, and tar reads the rest as it was', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-tar-'))
  try {
    mkdirSync(join(folder, 'global'))
    writeFileSync(join(folder, 'PG_VERSION'), '17\n')
    writeFileSync(join(folder, 'global', 'pg_control'), Buffer.alloc(1_300, 7))
    const path = join(folder, 'copy.tar')
    const names = ['PG_VERSION', 'global/pg_control'].map((name) => join(folder, name))
    const absolute = `--transform=s,^${folder},,`
    execFileSync('tar', ['-P', '--format=ustar', absolute, '-cf', path, ...names])
    const list = () => execFileSync('tar', ['-Ptf', path], { encoding: 'utf8' }).trimEnd().split('\n')
    expect(list()).toEqual(['/PG_VERSION', '/global/pg_control'])

    const tar = readFileSync(path)
    relativeNames(tar)
    writeFileSync(path, tar)
    expect(list()).toEqual(['PG_VERSION', 'global/pg_control'])
    const control = execFileSync('tar', ['-xOf', path, 'global/pg_control'])
    expect(control.equals(Buffer.alloc(1_300, 7))).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('what is no tar is refused', () => {
  expect(() => relativeNames(Buffer.alloc(1_024, 0x2e))).toThrow(/not readable/)
})
