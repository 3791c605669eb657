/** The digest that spares a build follows the content of the sources of a bundle, and not their times. */
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const { digestOfInputs } = (await import(new URL('../../cli/build/inputs.js', import.meta.url).href)) as {
  digestOfInputs(root: string): string
}

let root: string

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true })
  await writeFile(join(root, path), text)
}

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'postrider-inputs-'))
  for (const folder of ['cli/build', 'cli/src', 'client/src', 'contract/src', 'server/src/database', 'docs/guides'])
    await write(`${folder}/file.ts`, 'export {}')
  for (const file of ['cli/bundle.js', 'cli/package.json', 'package-lock.json']) await write(file, '{}')
})
afterEach(() => rm(root, { recursive: true, force: true }))

test.each([
  ['a source changes', 'server/src/database/file.ts', 'export const changed = 1'],
  ['a source is added', 'contract/src/new.ts', ''],
  ['a guide changes', 'docs/guides/file.ts', '# Changed'],
  ['the lockfile changes', 'package-lock.json', '{ }'],
  ['npm installs other packages', 'node_modules/.package-lock.json', '{}'],
])('a build is needed when %s', async (_, path, text) => {
  const before = digestOfInputs(root)
  await write(path, text)
  expect(digestOfInputs(root)).not.toBe(before)
})

test('a build is needed when a source moves or goes', async () => {
  const digests = [digestOfInputs(root)]
  await rm(join(root, 'client/src/file.ts'))
  digests.push(digestOfInputs(root))
  await write('client/src/other.ts', 'export {}')
  digests.push(digestOfInputs(root))
  expect(new Set(digests).size).toBe(3)
})

test('no build is needed for a test, nor when a file has only been written again', async () => {
  const before = digestOfInputs(root)
  await write('server/src/file.test.ts', 'changed')
  await utimes(join(root, 'server/src/database/file.ts'), 1, 1)
  expect(digestOfInputs(root)).toBe(before)
})
