/** `npm run dev`: builds, serves, and starts again with each change of a source or a guide. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { until } from '../support/until.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** As an editor that saves a file without a change of its text. */
const save = (path: string) => utimesSync(join(root, path), new Date(), new Date())

let dev: ChildProcess
let output = ''
let url: string

beforeAll(async () => {
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  dev = spawn(process.execPath, [join(root, 'cli/dev.js')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      POSTRIDER_DATA_DIR: join(mkdtempSync(join(tmpdir(), 'postrider-dev-')), 'data'),
      POSTRIDER_PORT: String(port),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [dev.stdout, dev.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  await answered()
})
afterAll(async () => {
  dev.kill('SIGTERM')
  if (dev.exitCode === null) await once(dev, 'exit')
})

const READY = '"msg":"listening"'
const starts = () => output.split(READY).length - 1
const statusOf = async (path: string) => (await fetch(`${url}${path}`).catch(() => undefined))?.status
const shown = (holds: () => boolean) =>
  until(
    async () => output,
    () => holds(),
  )
const answered = () =>
  until(
    () => statusOf('/readyz'),
    (status) => status === 200,
  )

test('a change of a source is built, named, and served by a new process', async () => {
  expect(output).toMatch(/Built in [\d.]+ s/)
  const before = starts()
  save('server/src/server.ts')
  await shown(() => output.includes('server/src/server.ts changed: built in'))
  await shown(() => starts() > before)
  await answered()
})

test('a change of a guide starts the service again without a build', async () => {
  const before = starts()
  save('docs/guides/lists.md')
  await shown(() => output.includes('docs/guides/lists.md changed\n'))
  await shown(() => starts() > before)
  await answered()
})

test('it ends with the service when it is interrupted', async () => {
  dev.kill('SIGINT')
  expect(await once(dev, 'exit')).toEqual([0, null])
  expect(await statusOf('/livez')).toBeUndefined()
})
