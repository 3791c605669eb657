/** An installation moves to another database: every row is there, what waits is delivered once, and all keys still hold. */
import { mkdtemp, readdir, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { clientOf, openApp, sendAndSettle } from '../support/app.ts'
import { contentsOf, execute, filledTables, type Installation, newInstallation } from '../support/installation.ts'
import { type Recorder, startRecorder } from '../support/peers/recorder.ts'
import { until } from '../support/until.ts'
import { makePerson, personalTables } from '../support/whole-person.ts'
import { json, run } from './in-process.ts'
import { run as runProcess } from './run.ts'

const person = {
  id: 'ada:7(x)',
  email: 'ada.lovelace@example.com',
  phone: '+12025550143',
  marker: '\ufeffanalytical "engine"\\ \u2028 𝒜 \u0001',
  token: 'ExponentPushToken-of-ada',
}

/** Rows that the API does not write, and that a copy could get wrong. */
const unusual = [
  // Rows of 4 MB, stored apart and not compressible, and behind them in the same table narrow ones.
  `insert into mailbox select '1-0000000' || n || '-wide', 1, 'm', 'email', 'r', 9007199254740993 + n,
    (select string_agg(md5(n || ' ' || i), '') from generate_series(1, 131072) i) from generate_series(1, 5) n`,
  `insert into mailbox select '1-6' || lpad(n::text, 7, '0') || '-narrow', 1, 'm', 'email', 'r', n, e'\\ufeff\\n\\t' || n
    from generate_series(1, 3000) n`,
  `insert into digests values ('d1', 1, 'live', 't', 'r', '', 's', '{}', 3, '{}', 1, true, null, 9000000000000, null, 0)`,
  `insert into digest_events values ('d1', 'a', 1, 1, 0.1::float8 + 0.2::float8, '1'), ('d1', 'a', 2, 1, 1e308, '2'),
    ('d1', 'a', 3, 1, 'NaN', '3'), ('d1', 'a', 4, 1, '-Infinity', '4'), ('d1', 'a', 5, 1, null, '5')`,
  `insert into profiles values (1, 'numbers', '{"big": 123456789012345678901234567890.10, "tiny": 1e-300, "é": "\\u00e9"}', 1, 1, 1)`,
  // The parent sorts behind its child.
  `insert into tenants values (1, 'z-parent', 'Z', null, null, '{}', '{}', 1, 1)`,
  `insert into tenants values (1, 'a-child', 'A', 'z-parent', null, '{}', '{}', 1, 1)`,
  `insert into audience_changes (workspace_id, user_id) select 2, 'user-' || n from generate_series(1, 3) n`,
  'delete from audience_changes where id = (select max(id) from audience_changes)',
]

const waiting = 20
const DAY = 86_400_000
/** The limit of a command that moves 20 MB, on a busy machine. */
const timeoutMs = 60_000
const late = (recipient: string) => ({
  message: {
    to: { user_id: recipient },
    content: { title: 'Late', body: 'It waited' },
    routing: { method: 'single' as const, channels: ['webhook' as const] },
    delay: { duration: DAY },
  },
})

describe('an installation that moves', () => {
  let source: Installation
  let target: Installation
  let folder: string
  let peer: Recorder
  let before: Record<string, string>
  let keys: { production: string; test: string }
  const ids: string[] = []
  let settledId = ''
  const delivered = () =>
    peer.all
      .filter(({ path }) => path === '/late')
      .map(({ body }) => (JSON.parse(body) as { messageId: string }).messageId)
      .toSorted()

  beforeAll(async () => {
    peer = await startRecorder()
    peer.answer(
      () => true,
      ({ path }) => ({ status: path === '/late' ? 200 : 400 }),
    )
    source = await newInstallation()
    target = await newInstallation()
    folder = join(await mkdtemp(join(tmpdir(), 'postrider-move-')), 'move')
    const app = await openApp({ env: source })
    const { several } = await makePerson(app, person, peer.url)
    const test = await app.key('published', 'test')
    keys = { production: app.apiKey, test: test.apiKey }
    await test.client.providers.create({ provider: 'webhook', settings: { url: `${peer.url}/late` } })
    for (let number = 0; number < waiting; number += 1)
      ids.push((await test.client.send(late(`late-${number}`), { idempotencyKey: `late-${number}` })).requestId)
    settledId = (await sendAndSettle(app.client, { event: 'welcome', recipient: 'bea' })).id
    for (const id of several)
      await until(
        () => app.client.requests.get(id),
        ({ status }) => status === 'COMPLETED',
      )
    await app.stop()
    await execute(source, ...unusual)
    before = await contentsOf(source)
  }, 120_000)
  afterAll(() => peer.close())

  test('every row arrives as it was, and the files are for their owner only', async () => {
    expect(personalTables.filter((table) => !filledTables(before).includes(table))).toEqual([])
    const exported = await json<{ rows: number; continued: boolean }>(['export', folder], { env: source, timeoutMs })
    expect(exported.rows).toBeGreaterThan(3_000)
    const modes = await Promise.all(
      [folder, ...(await readdir(folder)).map((name) => join(folder, name))].map(
        async (path) => (await stat(path)).mode,
      ),
    )
    expect([...new Set(modes.map((mode) => (mode & 0o777).toString(8)))]).toEqual(['700', '600'])
    const imported = await json<{ rows: number; continued: boolean }>(['import', folder], { env: target, timeoutMs })
    expect(imported).toMatchObject({ rows: exported.rows, continued: false })
    expect(await contentsOf(target)).toEqual(before)
    expect(await contentsOf(source)).toEqual(before)
  }, 120_000)

  test('no server starts on the source, and the same export and import find everything done', async () => {
    const { code, err } = await runProcess(['serve'], {
      env: { ...source, POSTRIDER_PORT: '0', POSTRIDER_LOG_LEVEL: 'silent' },
    })
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining(`was exported to ${folder} on `) })
    expect(err).toContain('postrider export --abandon')
    const doctor = await run(['doctor'], { env: { ...source, POSTRIDER_PORT: '1', POSTRIDER_LOG_LEVEL: 'silent' } })
    expect(doctor).toMatchObject({
      code: 1,
      out: expect.stringContaining('fail  move: This installation was exported'),
    })
    expect(await json(['export', folder], { env: source, timeoutMs })).toMatchObject({ continued: true })
    expect(await json(['import', folder], { env: target, timeoutMs })).toMatchObject({ continued: true })
    expect(delivered()).toEqual([])
  }, 120_000)

  test('on the target keys, history and stored replies hold', async () => {
    const app = await openApp({ env: target })
    const production = clientOf(app.url, keys.production)
    expect(await production.messages.get(settledId)).toMatchObject({
      id: settledId,
      recipient: 'bea',
      status: 'DELIVERED',
    })
    expect((await production.messages.history(settledId)).results.length).toBeGreaterThan(2)
    const repeated = await clientOf(app.url, keys.test).send(late('late-3'), { idempotencyKey: 'late-3' })
    expect(repeated.requestId).toBe(ids[3])
    await app.stop()
    expect(delivered()).toEqual([])
  }, 120_000)

  test('a waiting message is delivered once, with its id', async () => {
    const app = await openApp({ env: target, clock: { now: () => Date.now() + 1.5 * DAY } })
    await until(
      async () => delivered(),
      (ids) => ids.length >= waiting,
    )
    await app.stop()
    expect(delivered()).toEqual(ids.toSorted())
  }, 120_000)
})
