/**
 * A full disk is named, with what is free and needed: at the first start, by readiness, in the log, by doctor; and it
 * passes.
 * @module-tag safety
 */
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { run } from '../cli/run.ts'
import { clientOf } from '../support/app.ts'
import { startServer } from '../support/process.ts'
import { canMountDisk, mountDisk, type SmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const apiKey = 'pk_prod_0123456789abcdefghijklmnop'
const mounts = canMountDisk()
if (!mounts && process.env.CI) throw new Error('No disk can be mounted: run as root on Linux')
if (!mounts) console.warn('The tests of a full disk cannot run: mounting one takes root on Linux')

function newDisk(megabytes: number): SmallDisk {
  const disk = mountDisk(megabytes)
  onTestFinished(() => disk.remove())
  return disk
}

// While its files are made, while the schema is made, and while the first rows are written.
test.skipIf(!mounts).each([1, 30, 40, 43])(
  'a first start on a disk of %d MB names the full disk',
  async (megabytes) => {
    const env = { POSTRIDER_DATA_DIR: join(newDisk(megabytes).path, 'data'), POSTRIDER_LOG_LEVEL: 'silent' }
    const { code, out, err } = await run(['serve'], { env: { ...env, POSTRIDER_PORT: '0' } })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(
      /^error: The disk of \S+data is full: \d+(\.\d)? MB are free, about 100 MB are needed\nhint: Make room, or name /,
    )
  },
)

test.skipIf(!mounts)('a disk that fills up while the server runs', async () => {
  const disk = newDisk(150)
  const env = { POSTRIDER_DATA_DIR: join(disk.path, 'data'), POSTRIDER_API_KEY: apiKey }
  const server = await startServer({ env })
  onTestFinished(() => server.kill('SIGKILL'))
  const client = clientOf(server.url, apiKey)
  const readyz = () => fetch(`${server.url}/readyz`)
  // Not compressible: what is stored takes as much room.
  const text = () => Array.from({ length: 4_000 }, () => Math.random().toString(36)).join('')
  const send = () =>
    client
      .send({ event: 'welcome', recipient: 'ada', profile: { email: 'ada@example.com' }, data: { text: text() } })
      .then(
        ({ messageId }) => messageId,
        () => undefined,
      )
  const first = await send()
  expect((await readyz()).status).toBe(200)

  disk.fill(200_000)
  await until(send, (id) => id === undefined)
  const reply = await readyz()
  expect(reply.status).toBe(503)
  expect(await reply.json()).toMatchObject({
    message: 'Not ready: the disk of the database is full',
    type: 'api_error',
  })
  const lines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"event":"database.unavailable"'))
  expect(lines()).toHaveLength(1)
  expect(lines()[0]).toMatch(/the disk of \S+data is full: \d+(\.\d)? MB are free, about 100 MB are needed/)
  const { code, out } = await run(['doctor', '--json'], { env: { ...env, POSTRIDER_PORT: new URL(server.url).port } })
  expect(code).toBe(1)
  const failed = (JSON.parse(out) as { checks: { name: string; state: string; detail: string }[] }).checks
  expect(failed.filter(({ state }) => state === 'fail')).toEqual([
    expect.objectContaining({ name: 'server', detail: expect.stringContaining('the disk of the database is full') }),
    expect.objectContaining({ name: 'free space', detail: expect.stringContaining('about 100.0 MB are needed') }),
  ])

  disk.empty()
  await until(readyz, ({ status }) => status === 200)
  expect(server.output()).toContain('"event":"database.available"')
  const last = await until(send, (id) => id !== undefined)
  for (const id of [first, last]) expect(await client.messages.get(String(id))).toMatchObject({ id })
})
