/** Nothing of a run of tests stays, also when its processes are killed. */
import { spawn } from 'node:child_process'
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../../documents/markdown.ts'
import { until } from '../until.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-removal-'))
  // As root the run has its server under another user.
  await chmod(folder, 0o711)
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test.each(['SIGTERM', 'SIGKILL'] as const)('the folder and the server of a run are gone after %s', async (signal) => {
  const run = spawn('npx', ['--no-install', 'vitest', 'run', '--project', 'system', 'test/http'], {
    ...{ cwd: root, detached: true, stdio: 'ignore' },
    env: { ...process.env, TMPDIR: folder, POSTRIDER_TEST_LONG: undefined },
  })
  const ended = new Promise((resolve) => run.once('exit', resolve))
  const servers = async () =>
    (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('postmaster.pid'))
  await until(servers, ({ length }) => length > 0)
  process.kill(-(run.pid ?? Number.NaN), signal)
  await ended
  await until(
    () => readdir(folder),
    (names) => names.every((name) => !name.startsWith('postrider-test-')),
  )
  expect(await servers()).toEqual([])
})
