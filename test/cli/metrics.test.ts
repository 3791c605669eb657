/** `postrider metrics grafana` and `alerts` print the files of `deploy`, for installations without a checkout. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../documents/markdown.ts'
import { json, run } from './in-process.ts'

test.each([
  ['grafana', 'deploy/grafana/postrider.json'],
  ['alerts', 'deploy/prometheus/alerts.yml'],
])('metrics %s prints %s as it is', async (name, path) => {
  const { code, out } = await run(['metrics', name])
  expect([code, out]).toEqual([0, readFileSync(join(root, path), 'utf8')])
})

test('as JSON they are the dashboard, and the rules as one string', async () => {
  expect(await json(['metrics', 'grafana'])).toMatchObject({ uid: 'postrider' })
  expect(await json(['metrics', 'alerts'])).toEqual({ rules: expect.stringMatching(/^groups:$/m) })
})
