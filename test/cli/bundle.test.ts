/** The files of a bundle are ASCII; the digest that spares a build follows the content of its sources, and not their times. */
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'

const { digestOfInputs } = (await import(new URL('../../cli/build/inputs.js', import.meta.url).href)) as {
  digestOfInputs(root: string): string
}

const cli = new URL('../../cli/', import.meta.url)
const { asciiOnly } = (await import(new URL('build/options.js', cli).href)) as {
  asciiOnly: { generateBundle(options: unknown, bundle: Record<string, { type: string; code: string }>): void }
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
  ['an alert changes', 'deploy/prometheus/alerts.yml', 'groups: []'],
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

test('a build is needed when a picture of the dashboard changes that a guide shows, and not for another one', async () => {
  await write('docs/guides/page.md', '![Start](../dashboard/start-light.webp)')
  await write('docs/dashboard/start-light.webp', 'picture')
  const before = digestOfInputs(root)
  await write('docs/dashboard/start-dark.webp', 'picture')
  expect(digestOfInputs(root)).toBe(before)
  await write('docs/dashboard/start-light.webp', 'changed')
  expect(digestOfInputs(root)).not.toBe(before)
})

test('the bundle has the pictures of the dashboard that its guides show, and no other ones', async () => {
  const dist = new URL('dist/', cli)
  const guides = (await readdir(new URL('guides/', dist))).filter((name) => name.endsWith('.md'))
  const contents = await Promise.all(guides.map((name) => readFile(new URL(`guides/${name}`, dist), 'utf8')))
  const shown = contents.flatMap((content) => content.match(/[\w-]+\.webp/g) ?? [])
  expect(shown).toContain('sign-in-light.webp')
  expect(await readdir(new URL('dashboard-pictures/', dist))).toEqual([...new Set(shown)].sort())
})

test('the bundle has the dashboard for Grafana and the alert rules, without their tests', async () => {
  const dist = new URL('dist/', cli)
  expect(await readdir(new URL('grafana/', dist))).toEqual(['postrider.json'])
  expect((await readdir(new URL('prometheus/', dist))).sort()).toEqual(['alerts.yml', 'prometheus.yml'])
})

test('every file of the bundle is ASCII, so that V8 keeps it with one byte a character', async () => {
  const dist = new URL('dist/', cli)
  const files = (await readdir(dist)).filter((file) => file.endsWith('.js'))
  expect(files).toContain('postrider.js')
  const texts = await Promise.all(
    files.map(async (file) => [file, await readFile(new URL(file, dist), 'latin1')] as const),
  )
  expect(texts.flatMap(([file, text]) => (/[^\0-\x7f]/.test(text) ? [file] : []))).toEqual([])
})

test.each([
  ["'… \\… \\\\… 😀 \\😀'", 'a string'],
  ['`…${1}\\…\\\\…`', 'a template'],
  ["'a—😀—b'.split(/—|[…-😀]/u)", 'a pattern'],
  ["'a—b'.split(/\\—/)", 'a pattern with a needless escape'],
  ["((größe) => größe)('…')", 'a name'],
])('%s means the same without characters beyond ASCII: %s', (code) => {
  const chunk = { type: 'chunk', code }
  asciiOnly.generateBundle({}, { chunk })
  expect(chunk.code).toMatch(/^[\0-\x7f]+$/)
  const evaluated = (source: string): unknown => new Function(`return ${source}`)()
  expect(evaluated(chunk.code)).toEqual(evaluated(code))
})
