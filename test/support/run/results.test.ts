/** The results that a run writes for the check name every failure, and the condition of every skipped test. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { until } from '../until.ts'
import type { Failure } from './results.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const vitest = (folder: string) => [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder]

const FILES = {
  'vitest.config.js': `export default {
    test: { globals: true, tags: [{ name: 'safety' }], includeTaskLocation: true, reporters: [${JSON.stringify(join(root, 'test/support/run/results.ts'))}] },
  }`,
  'outcomes.test.js': `describe('outcomes', () => {
    test('passes', () => {})
    test('fails', () => {
      expect({ a: 1 }).toEqual({ a: 2 })
    })
    test.runIf(process.env.NO_SUCH)('is left out', () => {})
  })
  describe.skipIf(true)('all of them', () => {
    test('first', () => {})
    test('second', () => {})
  })`,
  'setup.test.js': `describe('a suite', () => {
    beforeAll(() => { throw new Error('no server') })
    test('never runs', () => {})
  })`,
  'outside.test.js': `test('leaves a promise', async () => {
    Promise.reject(new Error('not awaited'))
    await new Promise((resolve) => setTimeout(resolve, 50))
  })`,
  'broken.test.js': `import './missing.js'`,
  'verdicts.test.js': `/**
   * Messages of a killed process.
   * @module-tag ${'safety'}
   */
  import { inTime } from ${JSON.stringify(join(root, 'test/support/in-time.ts'))}
  test('are lost', () => expect([1]).toEqual([]))
  test('are late', () => inTime(() => expect(2).toBeLessThan(1)))
  test('are waited for', () => { throw new Error('Not so within 5 ms') })
  describe('are made', () => {
    beforeAll(() => expect([1]).toEqual([]))
    test('never run', () => {})
  })`,
}

test('results of a run', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-results-'))
  try {
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(folder, name), text)
    const file = join(folder, 'results.json')
    const run = spawnSync(process.execPath, vitest(folder), {
      encoding: 'utf8',
      env: { ...process.env, POSTRIDER_TEST_RESULTS: file, NO_COLOR: '1' },
    })
    expect(run.status).toBe(1)
    const { failures, ...counts } = JSON.parse(await readFile(file, 'utf8'))
    expect(counts).toEqual({
      passed: 2,
      failed: 4,
      skipped: 5,
      skips: [
        { file: 'outcomes.test.js', tests: 1, condition: 'runIf(process.env.NO_SUCH)' },
        { file: 'outcomes.test.js', tests: 2, condition: 'skipIf(true)' },
      ],
    })
    expect(failures).toHaveLength(8)
    expect(failures).toEqual(
      expect.arrayContaining([
        {
          file: 'outcomes.test.js',
          test: 'outcomes › fails',
          name: 'outcomes fails',
          message: expect.stringMatching(/^AssertionError: expected .*-\s+"a": 2.*\nat .*outcomes\.test\.js:4$/s),
        },
        {
          file: 'setup.test.js',
          test: 'a suite',
          message: expect.stringMatching(/^Error: no server\nat .*setup\.test\.js:2$/),
        },
        {
          file: 'outside.test.js',
          test: 'an error outside of every test',
          message: expect.stringContaining('not awaited'),
        },
        { file: 'broken.test.js', test: 'the file', message: expect.stringContaining('missing.js') },
      ]),
    )
    const verdicts = (failures as Failure[]).filter((failure) => failure.file === 'verdicts.test.js')
    expect(Object.fromEntries(verdicts.map(({ test: name, verdict }) => [name, verdict]))).toEqual({
      'are lost': 'safety',
      'are late': 'time',
      'are waited for': undefined,
      'are made': 'safety',
    })
    expect(failures.filter(({ verdict }: Failure) => verdict)).toHaveLength(3)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a file that blocks its process is named while the run hangs', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-results-'))
  await writeFile(join(folder, 'vitest.config.js'), FILES['vitest.config.js'])
  await writeFile(join(folder, 'endless.test.js'), `test('blocks', () => { for (;;); })`)
  const results = join(folder, 'results.json')
  const run = spawn(process.execPath, vitest(folder), {
    env: { ...process.env, POSTRIDER_TEST_RESULTS: results },
    stdio: 'ignore',
    detached: true,
  })
  try {
    const started = () => readFile(`${results}.started`, 'utf8').catch(() => '')
    await until(started, (text) => text === '["endless.test.js"]')
  } finally {
    process.kill(-Number(run.pid), 'SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
})
