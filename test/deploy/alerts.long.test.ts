/** Each alert fires when it should, and none does in a quiet or a busy installation that is well: the unit tests of the rules, by promtool. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../documents/markdown.ts'

const promtool = (...args: string[]) => {
  const { status, stdout, stderr, error } = spawnSync('promtool', args, {
    cwd: join(root, 'deploy/prometheus'),
    encoding: 'utf8',
  })
  return { isMissing: error !== undefined, status, output: `${stdout}${stderr}` }
}

const isMissing = promtool('--version').isMissing

test.skipIf(isMissing && !process.env.CI).each([
  ['check', 'rules', 'alerts.yml'],
  ['check', 'config', '--syntax-only', 'prometheus.yml'],
  ['test', 'rules', 'alerts.test.yml'],
])('promtool %s %s', (...args) => {
  const { status, output } = promtool(...args)
  expect([status, output]).toEqual([0, expect.stringContaining('SUCCESS')])
})
