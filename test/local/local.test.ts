/** The local PostgreSQL server is made, started, kept running and ended, wherever its data folder lies. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { findBinaries } from '@postrider/server/internal/database/local/binaries'
import { type LocalOptions, openLocal } from '@postrider/server/internal/database/local/local'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { isLong } from '../support/run/long.ts'
import { until } from '../support/until.ts'
import { backendsOf, postmasterOf, processes, watcherOf } from './processes.ts'

const log = createLog('silent')
const isRoot = process.getuid?.() === 0
const opened: Engine[] = []
const folders: string[] = []
const children: ChildProcess[] = []
let template: string

beforeAll(async () => {
  template = join(newFolder(), 'data')
  await (await openLocal({ folder: template, log })).close()
  folders.length = 0
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await Promise.all(opened.splice(0).map((engine) => engine.close()))
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

function newFolder(parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'postrider-local-'))
  folders.push(folder)
  return folder
}

/** A data folder with an empty database, which takes a tenth of the time of making one. */
function madeFolder(parent = newFolder(), name = 'data'): string {
  const folder = join(parent, name)
  execFileSync('cp', ['-a', template, folder])
  return folder
}

async function open(folder: string, options: Partial<LocalOptions> = {}): Promise<Engine> {
  const engine = await openLocal({ folder, log, ...options })
  opened.push(engine)
  return engine
}

const selectOne = async (engine: Engine) =>
  (await engine.run<{ n: number }>({ text: 'select 1 as n', values: [] })).rows

async function seen<T>(what: string, look: () => T | undefined | Promise<T | undefined>): Promise<T> {
  const holds = (result: T | undefined) => result !== undefined && result !== false
  const result = await until(async () => look(), holds).catch((cause: unknown) => {
    throw new Error(`Not seen: ${what}`, { cause })
  })
  return result as T
}

/** Statements may fail while the server is away; they work again without anything being done. */
const answersAgain = (engine: Engine) =>
  seen('the database answers', () =>
    selectOne(engine).then(
      ([row]) => row?.n === 1 || undefined,
      () => undefined,
    ),
  )

const pidOf = (folder: string) => seen('a server runs', () => postmasterOf(folder)).then(({ pid }) => pid)

describe('a data folder', () => {
  test('keeps what was written, and leaves no process when it is closed', async () => {
    const folder = join(newFolder(), 'deep', 'data')
    const first = await openLocal({ folder, log })
    await first.run({ text: 'create table kept (n integer)' })
    await first.run({ text: 'insert into kept values ($1)', values: [7] })
    expect(statSync(join(folder, 'postgres-18')).mode & 0o777).toBe(0o700)
    await first.close()
    expect(processes().filter(({ command }) => command.includes(folder))).toEqual([])
    const second = await open(folder)
    expect((await second.run({ text: 'select n from kept', values: [] })).rows).toEqual([{ n: 7 }])
  })

  test('with a path of more than 200 characters, spaces and quotes works', async () => {
    const parent = join(newFolder(), `it's "long" ${'x'.repeat(150)}`, 'ü'.repeat(30))
    mkdirSync(parent, { recursive: true })
    expect((await selectOne(await open(madeFolder(parent)))).length).toBe(1)
  })

  test.runIf(isRoot && isLong)('in a folder that only root may enter works, by a server that is not root', async () => {
    const folder = madeFolder(newFolder('/root'))
    expect((await selectOne(await open(folder))).length).toBe(1)
    const status = readFileSync(`/proc/${await pidOf(folder)}/status`, 'utf8')
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).not.toBe('0')
    // dac_override alone.
    expect(/^CapEff:\s+(\w+)$/m.exec(status)?.[1]).toBe('0000000000000002')
  })

  test.runIf(isRoot && isLong)(
    "a folder of another user is served as that user, without any of root's rights",
    async () => {
      const folder = join(newFolder(), 'data')
      mkdirSync(folder)
      execFileSync('chmod', ['755', join(folder, '..')])
      chownSync(folder, 1, 1)
      expect((await selectOne(await open(folder))).length).toBe(1)
      const status = readFileSync(`/proc/${await pidOf(folder)}/status`, 'utf8')
      expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe('1')
      expect(/^CapEff:\s+(\w+)$/m.exec(status)?.[1]).toBe('0000000000000000')
    },
  )

  test.runIf(isRoot)(
    'a folder of a user without a name is refused with the remedy, and nothing partial is left',
    async () => {
      const folder = join(newFolder(), 'data')
      mkdirSync(folder)
      chownSync(folder, 54_321, 54_321)
      execFileSync('chmod', ['755', join(folder, '..')])
      await expect(open(folder)).rejects.toMatchObject({
        name: 'LocalServerError',
        hint: expect.stringContaining('/etc/passwd'),
      })
      expect(execFileSync('ls', ['-A', folder], { encoding: 'utf8' })).not.toContain('new-')
    },
  )

  test.runIf(isLong)('is made and served in any locale', async () => {
    const before = { ...process.env }
    Object.assign(process.env, {
      LANG: 'xx_XX.UTF-8',
      LC_ALL: 'tr_TR.UTF-8',
      PGDATA: '/nowhere',
      PGPORT: '1',
      PGHOST: '/',
    })
    try {
      const engine = await open(join(newFolder(), 'data'))
      const { rows } = await engine.run({ text: `select lower('İIÄ') as low, 'ä' > 'z' as bytes`, values: [] })
      expect(rows).toEqual([{ low: 'iiä', bytes: true }])
    } finally {
      process.env = before
    }
  })

  test.runIf(isLong)('over loopback accepts no session without the password', async () => {
    const folder = join(newFolder(), 'data')
    const engine = await open(folder, { sockets: false })
    expect((await selectOne(engine)).length).toBe(1)
    expect(statSync(join(folder, 'postgres.password')).mode & 0o077).toBe(0)
    const port = readFileSync(join(folder, 'postgres-18', 'postmaster.pid'), 'utf8').split('\n')[3]
    const { Client } = (await import('pg')).default
    const unauthenticated = new Client({
      host: '127.0.0.1',
      port: Number(port),
      user: 'postrider',
      database: 'postgres',
      password: 'guess',
    })
    await expect(unauthenticated.connect()).rejects.toThrow(/password authentication failed/)
  })

  test('with databases of two versions, or of the engine before, is refused by name', async () => {
    const folder = madeFolder()
    mkdirSync(join(folder, 'postgres-17'))
    await expect(open(folder)).rejects.toThrow(/more than one database: .*postgres-1[78], .*postgres-1[78]/)
    const old = newFolder()
    mkdirSync(join(old, 'database'))
    await expect(open(old)).rejects.toThrow(/another database engine, which this version cannot open/)
    expect(existsSync(join(old, 'postgres-18'))).toBe(false)
  })

  test('a damaged database is refused with the last log lines of PostgreSQL', async () => {
    const folder = madeFolder()
    writeFileSync(join(folder, 'postgres-18', 'global', 'pg_control'), Buffer.alloc(8_192, 1))
    await expect(open(folder)).rejects.toMatchObject({
      message: expect.stringMatching(/does not start .*FATAL|PANIC/s),
      hint: expect.stringContaining('postrider backup'),
    })
    expect(processes().filter(({ command }) => command.includes(folder))).toEqual([])
  })
})

/** Backends end by themselves when others are killed. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

describe('a server that is killed', () => {
  test('is started again, and statements work again', async () => {
    const folder = madeFolder()
    const engine = await open(folder)
    const before = await pidOf(folder)
    process.kill(before, 'SIGKILL')
    await answersAgain(engine)
    expect(await pidOf(folder)).not.toBe(before)
  })

  test('in one of its backends recovers without a restart', async () => {
    const folder = madeFolder()
    const engine = await open(folder)
    await selectOne(engine)
    const server = await pidOf(folder)
    const backend = await seen('a backend', () =>
      backendsOf(server).find(({ command }) => command.includes('postrider postgres')),
    )
    process.kill(backend.pid, 'SIGKILL')
    await seen('the backend has ended', () => !existsSync(`/proc/${backend.pid}`) || undefined)
    await answersAgain(engine)
    expect(await pidOf(folder)).toBe(server)
  })

  test('together with its backends and its watcher comes back with a watcher', async () => {
    const folder = madeFolder()
    const engine = await open(folder)
    const server = await pidOf(folder)
    const watcher = await seen('a watcher', () => watcherOf(server))
    for (const { pid } of [watcher, ...backendsOf(server), { pid: server }]) kill(pid)
    await answersAgain(engine)
    const next = await pidOf(folder)
    await seen('a new watcher', () => watcherOf(next))
  })
})

test('a watcher that is killed is replaced', async () => {
  const folder = madeFolder()
  await open(folder)
  const server = await pidOf(folder)
  const first = await seen('a watcher', () => watcherOf(server))
  process.kill(first.pid, 'SIGKILL')
  await seen('another watcher', () => (watcherOf(server)?.pid ?? first.pid) !== first.pid || undefined)
})

describe('a process that is killed', () => {
  async function hold(folder: string): Promise<ChildProcess> {
    const script = fileURLToPath(new URL('../dist/local/holder.js', import.meta.url))
    const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
    children.push(child)
    await once(child.stdout!, 'data')
    return child
  }

  test('leaves no server behind', async () => {
    const folder = madeFolder()
    const holder = await hold(folder)
    await pidOf(folder)
    const ended = once(holder, 'exit')
    holder.kill('SIGKILL')
    await ended
    await seen('the server has ended', () => postmasterOf(folder) === undefined || undefined)
  })

  test.runIf(isLong)('with its watcher leaves a server that the next start ends', async () => {
    const folder = madeFolder()
    const holder = await hold(folder)
    const server = await pidOf(folder)
    const watcher = await seen('a watcher', () => watcherOf(server))
    const ended = once(holder, 'exit')
    // Stopped first, so that it starts no other watcher.
    holder.kill('SIGSTOP')
    process.kill(watcher.pid, 'SIGKILL')
    holder.kill('SIGKILL')
    await ended
    expect(postmasterOf(folder)?.pid).toBe(server)
    expect((await selectOne(await open(folder))).length).toBe(1)
    expect(await pidOf(folder)).not.toBe(server)
  })

  test("leaves a file with a number that may be another process's by now", async () => {
    const cluster = join(madeFolder(), 'postgres-18')
    const { uid, gid } = statSync(cluster)
    children.push(spawn('sleep', ['60'], isRoot ? { uid, gid } : {}))
    const lines = [children[0]?.pid, cluster, 1_700_000_000, 5_432, '.', '', ' 1 1', 'ready']
    for (const name of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(join(cluster, name), `${lines.join('\n')}\n`, { mode: 0o600 })
      chownSync(join(cluster, name), uid, gid)
    }
    expect((await selectOne(await open(dirname(cluster)))).length).toBe(1)
  })
})

describe.runIf(isLong && canMount())('a disk that is full', () => {
  let disk: string
  afterEach(() => execFileSync('umount', [disk]))

  test('refuses the first start with what to do, and nothing half-made stays', async () => {
    disk = mounted('30m')
    await expect(open(join(disk, 'data'))).rejects.toMatchObject({
      name: 'LocalServerError',
      message: expect.stringContaining('No space left on device'),
      hint: expect.stringMatching(/^Free about 100 MB on the disk of /),
    })
    expect(execFileSync('ls', ['-A', join(disk, 'data')], { encoding: 'utf8' })).toBe('')
  })

  test('makes the database unavailable, and nothing else, until there is room', async () => {
    disk = mounted('120m')
    const engine = await open(join(disk, 'data'))
    await engine.run({ text: 'create table kept (n integer, filling text)' })
    const put = (n: number) =>
      engine.run({ text: `insert into kept select $1, repeat('x', 7000) from generate_series(1, 50)`, values: [n] })
    await put(1)
    expect(() => writeFileSync(join(disk, 'filling'), Buffer.alloc(120_000_000))).toThrow(/ENOSPC/)
    const refused = await seen('a failed write', () =>
      put(2).then(
        () => undefined,
        (error: unknown) => error,
      ),
    )
    expect(refused).toMatchObject({ name: 'DatabaseUnavailable' })
    rmSync(join(disk, 'filling'))
    await seen('an insert', () =>
      put(3).then(
        () => true,
        () => undefined,
      ),
    )
    const { rows } = await engine.run({ text: 'select distinct n from kept where n <> 2 order by 1', values: [] })
    expect(rows).toEqual([{ n: 1 }, { n: 3 }])
    await engine.close()
  })
})

/** A file system in memory of this size. */
function mounted(size: string): string {
  const disk = newFolder()
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk])
  return disk
}

/** False without root, and in containers that may not. */
function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('programs', () => {
  test('configured programs that are missing are an error with the possible remedies', async () => {
    const empty = newFolder()
    await expect(open(join(newFolder(), 'data'), { binFolder: empty })).rejects.toMatchObject({
      message: expect.stringContaining(`${empty} has no initdb and postgres`),
      hint: expect.stringMatching(/npm ci[\s\S]*POSTRIDER_POSTGRES_BIN[\s\S]*POSTRIDER_DATABASE_URL/),
    })
  })

  test('programs of another version than the database are an error with the remedy', async () => {
    const folder = madeFolder()
    renameSync(join(folder, 'postgres-18'), join(folder, 'postgres-16'))
    await expect(open(folder)).rejects.toThrow(/holds a database of PostgreSQL 18: rename it to postgres-18/)
    writeFileSync(join(folder, 'postgres-16', 'PG_VERSION'), '16\n')
    const { bin } = findBinaries({ named: undefined, major: undefined, account: undefined, dataDir: folder })
    await expect(open(folder, { binFolder: bin })).rejects.toMatchObject({
      message: expect.stringMatching(/was made by PostgreSQL 16, which was not found: .* is PostgreSQL 18/),
      hint: expect.stringMatching(/postrider export.*postrider import/),
    })
  })

  test.runIf(isRoot && isLong)("where others may not enter are copied to where the server's user may", () => {
    const { bin } = findBinaries({ named: undefined, major: undefined, account: undefined, dataDir: template })
    const root = newFolder('/root')
    cpSync(join(bin, '..'), join(root, 'native'), { recursive: true, verbatimSymlinks: true })
    const version = `0.0.0-test-${process.pid}`
    writeFileSync(join(root, 'package.json'), JSON.stringify({ version }))
    const account = { uid: 65_534, gid: 65_534 }
    const binaries = findBinaries({ named: join(root, 'native', 'bin'), major: undefined, account, dataDir: root })
    try {
      expect(binaries.bin).toBe(`/var/cache/postrider/postgres-programs-${version}/bin`)
      expect(binaries.major).toBe(18)
    } finally {
      rmSync(`/var/cache/postrider/postgres-programs-${version}`, { recursive: true, force: true })
    }
  })
})
