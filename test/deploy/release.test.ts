/** A release sets one version everywhere, and nothing else passes as one. */
import { spawnSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../documents/markdown.ts'
import { isLong } from '../support/run/long.ts'

let copy: string
beforeAll(async () => {
  copy = await mkdtemp(join(tmpdir(), 'postrider-release-'))
  const { stdout } = spawnSync('git', ['ls-files', '*package.json', 'package-lock.json'], {
    cwd: root,
    encoding: 'utf8',
  })
  const others = ['contract/src/generate/openapi.ts', 'docs/reference/openapi.json']
  for (const file of [...stdout.trim().split('\n'), ...others]) {
    await mkdir(dirname(join(copy, file)), { recursive: true })
    await cp(join(root, file), join(copy, file))
  }
  await writeFile(
    join(copy, 'CHANGELOG.md'),
    '# Changes\n\n## Unreleased\n\n- Something new.\n\n## 0.0.9 (2026-01-01)\n\n- Old.\n',
  )
})
afterAll(() => rm(copy, { recursive: true, force: true }))

function release(cwd: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, '.ci/release.mjs'), ...args], {
    cwd,
    encoding: 'utf8',
  })
  return { status, stdout, stderr: stderr.trim() }
}

test('this checkout has one version', () => {
  expect(release(root, 'check')).toEqual({ status: 0, stdout: '', stderr: '' })
})

test.runIf(isLong)('a release names its version in manifests, lock file, API document and changelog', async () => {
  const before = JSON.parse(await readFile(join(copy, 'package.json'), 'utf8')).version
  expect(release(copy, 'set', '9.8.7')).toMatchObject({ status: 0, stderr: '' })
  const stale = release(copy, 'check', 'v9.8.7')
  expect(stale).toMatchObject({ status: 1, stderr: expect.stringContaining(`docs/reference/openapi.json: ${before}`) })
  // The part of `npm run generate` that changes the document.
  const document = join(copy, 'docs/reference/openapi.json')
  await writeFile(document, (await readFile(document, 'utf8')).replace(`"version": "${before}"`, '"version": "9.8.7"'))
  expect(release(copy, 'check', 'v9.8.7')).toEqual({ status: 0, stdout: '- Something new.\n', stderr: '' })

  const read = async (file: string) => JSON.parse(await readFile(join(copy, file), 'utf8'))
  expect(await read('cli/package.json')).toMatchObject({
    version: '9.8.7',
    devDependencies: { '@postrider/server': '9.8.7', commander: expect.not.stringContaining('9.8.7') },
  })
  expect((await read('package-lock.json')).packages['examples/digest']).toMatchObject({
    version: '9.8.7',
    dependencies: { '@postrider/client': '9.8.7' },
  })
  expect(await readFile(join(copy, 'CHANGELOG.md'), 'utf8')).toMatch(
    /^# Changes\n\n## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n- Something new\.\n\n## 0\.0\.9/,
  )

  expect(release(copy, 'notes', 'v9.8.7').stdout).toBe('- Something new.\n')
  expect(release(copy, 'check', 'v9.8.8').stderr).toBe('The tag is v9.8.8, but the version is 9.8.7')
  expect(release(copy, 'set', '9.8.7').stderr).toBe('CHANGELOG.md has a section of 9.8.7 already')
  expect(release(copy, 'set', '9.9.0').stderr).toBe('CHANGELOG.md has nothing under "## Unreleased"')
  expect(release(copy, 'set', '9.9').stderr).toBe('Name the version, such as 0.2.0: 9.9')
})

test.runIf(isLong)('npm accepts the lock file of a release', () => {
  const args = ['ci', '--dry-run', '--offline', '--ignore-scripts', '--no-audit', '--no-fund']
  const { status, stderr } = spawnSync('npm', args, {
    cwd: copy,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  expect(stderr).not.toMatch(/in sync|ERESOLVE/)
  expect(status).toBe(0)
})
