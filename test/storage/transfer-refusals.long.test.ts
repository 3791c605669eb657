/** An export or import that cannot be right is refused in words, and changes nothing. */
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, migrate } from '@postrider/server'
import { MINUTE } from '@postrider/server/internal/base/time/duration'
import { beforeAll, describe, expect, test } from 'vitest'
import { openApp, settled } from '../support/app.ts'
import {
  abandonOn,
  contentsOf,
  exportOf,
  type Installation,
  importInto,
  newInstallation,
  onDatabaseOf,
} from '../support/installation.ts'

/** When the delayed messages are due: delays end with a minute. */
const later = { now: () => Date.now() + 2 * MINUTE }

const migrateOn = (installation: Installation) =>
  onDatabaseOf(installation, (engine) => migrate(engine, createLog('error')))

const newFolder = async () => join(await mkdtemp(join(tmpdir(), 'postrider-move-')), 'move')

const tablesOf = (installation: Installation) =>
  onDatabaseOf(installation, async (engine) => {
    const text = `select relname::text as name from pg_class where relnamespace = 'public'::regnamespace`
    return (await engine.run({ text, values: [] })).rows
  })

describe('an export', () => {
  let source: Installation
  let folder: string
  let waits: string
  beforeAll(async () => {
    source = await newInstallation()
    folder = await newFolder()
    const app = await openApp({ env: source })
    const { messageId } = await app.client.send({ event: 'welcome', recipient: 'ada', delay: { duration: 1_000 } })
    waits = messageId
    await app.stop()
    await exportOf(source, folder)
  }, 60_000)

  const copyOf = async () => {
    const copy = await newFolder()
    await cp(folder, copy, { recursive: true })
    return copy
  }
  const chunk = 'messages_live-000001.jsonl.gz'

  test.each<[string, string, (copy: string) => Promise<void>]>([
    [
      'with a changed byte',
      `${chunk} has another SHA-256`,
      async (copy) => {
        const bytes = await readFile(join(copy, chunk))
        bytes[20] = (bytes[20] ?? 0) ^ 1
        await writeFile(join(copy, chunk), bytes)
      },
    ],
    [
      'that is cut off',
      `${chunk} has 30 bytes instead of`,
      async (copy) => writeFile(join(copy, chunk), (await readFile(join(copy, chunk))).subarray(0, 30)),
    ],
    ['without one of its files', `${chunk} is missing`, (copy) => rm(join(copy, chunk))],
    ['without its journal', 'chunks.jsonl is missing', (copy) => rm(join(copy, 'chunks.jsonl'))],
    ['without its manifest', 'is not finished: run "postrider export"', (copy) => rm(join(copy, 'manifest.json'))],
    [
      'with a journal of fewer chunks',
      'chunks.jsonl is not the one that was exported',
      async (copy) => {
        const lines = (await readFile(join(copy, 'chunks.jsonl'), 'utf8')).split('\n')
        await writeFile(join(copy, 'chunks.jsonl'), [...lines.slice(0, -2), ''].join('\n'))
      },
    ],
    ['of a newer schema', 'or a newer one', (copy) => withSchema(copy, 1)],
    ['of an older schema', 'postrider migrate', (copy) => withSchema(copy, -1)],
  ])('%s is not imported', async (_title, words, damage) => {
    const copy = await copyOf()
    await damage(copy)
    const target = await newInstallation()
    await expect(importInto(target, copy)).rejects.toThrow(words)
    expect(await tablesOf(target)).toEqual([])
  })

  async function withSchema(copy: string, more: number) {
    const manifest = JSON.parse(await readFile(join(copy, 'manifest.json'), 'utf8'))
    manifest.schema.version += more
    await writeFile(join(copy, 'manifest.json'), JSON.stringify(manifest))
  }

  test('is not imported under another secret key, nor without one', async () => {
    const target = await newInstallation(Buffer.alloc(32, 8))
    await expect(importInto(target, folder)).rejects.toThrow('secret.key')
    expect(await tablesOf(target)).toEqual([])
    const empty = await mkdtemp(join(tmpdir(), 'postrider-empty-'))
    const keyless = importInto({ POSTRIDER_DATA_DIR: empty }, folder)
    await expect(keyless).rejects.toThrow(`${join(empty, 'secret.key')} does not exist`)
    expect(await readdir(empty)).toEqual([])
  })

  test('is not imported where there are rows, nor where a node runs, nor from a folder without one', async () => {
    const target = await newInstallation()
    const app = await openApp({ env: target })
    const before = await contentsOf(target)
    await expect(importInto(target, folder)).rejects.toThrow('Another Postrider is connected')
    await expect(exportOf(target, await newFolder())).rejects.toThrow('Stop every node first')
    await app.stop()
    await expect(importInto(target, folder)).rejects.toThrow('The database is not empty')
    await expect(importInto(target, await newFolder())).rejects.toThrow('holds no export')
    expect(await contentsOf(target)).toEqual(before)
  }, 60_000)

  test('an empty database, and a folder with other files, are refused', async () => {
    const empty = await newInstallation()
    await expect(exportOf(empty, await newFolder())).rejects.toThrow('The database is empty')
    await migrateOn(empty)
    await expect(exportOf(empty, await newFolder())).rejects.toThrow('The database is empty')
    const filled = await mkdtemp(join(tmpdir(), 'postrider-filled-'))
    await writeFile(join(filled, 'letter.txt'), '')
    const other = await newInstallation()
    await (await openApp({ env: other })).stop()
    await expect(exportOf(other, filled)).rejects.toThrow('letter.txt')
    // It was not marked.
    await (await openApp({ env: other })).stop()
  }, 60_000)

  test('a finished export allows no second one until it is abandoned', async () => {
    const moved = await newInstallation()
    const app = await openApp({ env: moved })
    const { messageId } = await app.client.send({ event: 'welcome', recipient: 'bea', delay: { duration: 1_000 } })
    await app.stop()
    const first = await newFolder()
    await exportOf(moved, first)
    for (const keep of [false, true])
      await expect(exportOf(moved, await newFolder(), { keep })).rejects.toThrow(`was exported to ${first}`)
    await expect(openApp({ env: moved })).rejects.toThrow(`was exported to ${first}`)
    expect(await abandonOn(moved)).toMatchObject({ folder: first, discarded: true })
    expect(await abandonOn(moved)).toBeUndefined()
    await expect(importInto(await newInstallation(), first)).rejects.toThrow('holds no export')
    const again = await openApp({ env: moved, clock: later })
    expect(await settled(again.client, messageId)).toMatchObject({ status: 'DELIVERED' })
    await again.stop()
  }, 60_000)

  test('an imported export cannot be abandoned: its waiting messages would be delivered twice', async () => {
    const moved = await newInstallation()
    await (await openApp({ env: moved })).stop()
    const first = await newFolder()
    await exportOf(moved, first)
    await importInto(await newInstallation(), first)
    await expect(abandonOn(moved)).rejects.toThrow(/was imported already/)
    await expect(openApp({ env: moved })).rejects.toThrow(`was exported to ${first}`)
  }, 60_000)

  test('with --keep leaves the installation in use, and its copy has what waits as well', async () => {
    const kept = await newInstallation()
    const app = await openApp({ env: kept })
    const delay = { duration: 1_000 }
    const { messageId } = await app.client.send({ event: 'welcome', recipient: 'eve', delay })
    await app.stop()
    const copy = await newFolder()
    await exportOf(kept, copy, { keep: true })
    const target = await newInstallation()
    await importInto(target, copy)
    expect(await contentsOf(target)).toEqual(await contentsOf(kept))
    for (const installation of [kept, target]) {
      const otherApp = await openApp({ env: installation, clock: later })
      expect(await settled(otherApp.client, messageId)).toMatchObject({ status: 'DELIVERED' })
      await otherApp.stop()
    }
  }, 60_000)

  test('is imported into a schema without rows, where what waited is delivered, and into no second database', async () => {
    const target = await newInstallation()
    await migrateOn(target)
    await importInto(target, folder)
    const app = await openApp({ env: target, clock: later })
    expect(await settled(app.client, waits)).toMatchObject({ status: 'DELIVERED' })
    await app.stop()
    const second = await newInstallation()
    await expect(importInto(second, folder)).rejects.toThrow('was imported already')
    expect(await tablesOf(second)).toEqual([])
    await rm(join(folder, 'imported.json'))
    await importInto(second, folder)
  }, 60_000)

  test('into a folder that cannot be written leaves the installation as it is', async () => {
    const other = await newInstallation()
    await (await openApp({ env: other })).stop()
    await expect(exportOf(other, '/proc/postrider/move')).rejects.toThrow('/proc/postrider/move cannot be written')
    await (await openApp({ env: other })).stop()
  }, 60_000)
})
