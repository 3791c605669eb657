/**
 * Other users of the machine, and other programs of the user that PostgreSQL runs as, reach neither the local database
 * nor the data folder.
 * @module-tag safety
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { writeAccessRules } from '@postrider/server/internal/database/local/cluster'
import { makeDataFolder } from '@postrider/server/internal/database/local/data-folder'
import { openLocal } from '@postrider/server/internal/database/local/local'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newDataFolder } from '../support/databases.ts'
import { postmasterOf } from './processes.ts'

const isRoot = process.getuid?.() === 0
const modeOf = (path: string) => statSync(path).mode & 0o777

const opened: Engine[] = []
afterEach(async () => {
  for (const engine of opened.splice(0)) await engine.close()
})

async function open(folder: string): Promise<Engine> {
  const engine = await openLocal({ folder, log: createLog('silent') })
  opened.push(engine)
  return engine
}

const clusterIn = (folder: string) => join(folder, 'postgres-18')

/** Root lets PostgreSQL's user enter the folder, and everyone who enters use the socket. */
async function folderOfEarlierRelease(): Promise<string> {
  const folder = await newDataFolder()
  chmodSync(folder, 0o711)
  writeFileSync(join(clusterIn(folder), 'pg_hba.conf'), 'local all all trust\n')
  return folder
}

// https://www.postgresql.org/docs/current/protocol-message-formats.html: StartupMessage, and the first reply to it.
const ATTEMPTS = `
const [cluster, pid] = process.argv.slice(1)
const fs = require('node:fs')
const done = []
const attempt = (name, work) => { try { work(); done.push(name) } catch {} }
attempt('file', () => fs.readFileSync(cluster + '/PG_VERSION'))
attempt('rules', () => fs.appendFileSync(cluster + '/pg_hba.conf', ''))
attempt('folder of the process', () => fs.readFileSync('/proc/' + pid + '/cwd/PG_VERSION'))
attempt('memory', () => fs.closeSync(fs.openSync('/proc/' + pid + '/mem', 'r')))
const words = Buffer.from('user\\0postrider\\0database\\0postgres\\0\\0')
const head = Buffer.alloc(8)
head.writeInt32BE(8 + words.length)
head.writeInt32BE(196608, 4)
const socket = require('node:net').connect(cluster + '/.s.PGSQL.5432', () => socket.write(Buffer.concat([head, words])))
const end = (session) => { console.log(JSON.stringify({ done, session })); process.exit() }
socket.on('error', (error) => end(error.code))
socket.on('data', (reply) => end(reply[0] === 69 ? reply.toString('latin1').match(/M([^\\0]+)/)[1] : reply.readInt32BE(5) === 0 ? 'accepted' : 'a password'))
`

/** Which attempts of another program of PostgreSQL's user on a running server succeed. */
function attemptsOn(folder: string): { done: string[]; session: string } {
  const { uid, gid } = statSync(clusterIn(folder))
  const args = ['-e', ATTEMPTS, clusterIn(folder), String(postmasterOf(folder)?.pid)]
  return JSON.parse(execFileSync(process.execPath, args, { uid, gid, cwd: '/', env: {}, encoding: 'utf8' }))
}

describe.runIf(isRoot)('another program of the user that root has PostgreSQL run as', () => {
  test('reaches neither files nor socket nor process, also in a folder of an earlier release', async () => {
    const folder = await folderOfEarlierRelease()
    const engine = await open(folder)
    expect(statSync(clusterIn(folder)).uid).not.toBe(0)
    expect(attemptsOn(folder)).toEqual({ done: [], session: 'EACCES' })
    const memory = readFileSync(`/proc/${postmasterOf(folder)?.pid}/maps`, 'utf8').split('\n')
    expect(memory.filter((line) => line.includes('/dev/shm/PostgreSQL'))).toEqual([])
    expect((await engine.run({ text: 'select count(*) from messages', values: [] })).rows).toHaveLength(1)
  })

  test('gets no session where the folder was opened to it by hand, also after a start that died', async () => {
    const folder = await folderOfEarlierRelease()
    const script = fileURLToPath(new URL('../dist/local/holder.js', import.meta.url))
    const holder: ChildProcess = spawn(process.execPath, [script, folder, 'mid-access-rules'], { stdio: 'ignore' })
    await once(holder, 'exit')
    expect(holder.signalCode).toBe('SIGKILL')
    await open(folder)
    chmodSync(folder, 0o711)
    expect(attemptsOn(folder).session).toContain('Peer authentication failed')
  })

  test('has root write through no link that it has put there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'postrider-linked-'))
    const target = join(folder, 'precious')
    writeFileSync(target, 'kept')
    for (const name of ['pg_hba.conf', 'pg_hba.conf.new', 'pg_ident.conf', 'pg_ident.conf.new'])
      symlinkSync(target, join(folder, name))
    writeAccessRules({ folder, major: 18 }, { uid: 65_534, gid: 65_534 })
    expect(readFileSync(target, 'utf8')).toBe('kept')
    expect(statSync(target).uid).toBe(0)
    expect(readFileSync(join(folder, 'pg_hba.conf'), 'utf8')).toBe('local all all peer map=postrider\n')
  })
})

describe('a data folder', () => {
  let parent: string
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'postrider-others-'))
    chmodSync(parent, 0o755)
  })
  afterEach(() => rmSync(parent, { recursive: true }))

  function folderWith(mode: number, ...files: [name: string, mode: number][]): string {
    const folder = join(parent, 'data')
    mkdirSync(folder)
    for (const [name, fileMode] of files) {
      writeFileSync(join(folder, name), 'x')
      chmodSync(join(folder, name), fileMode)
    }
    chmodSync(folder, mode)
    return folder
  }

  test.each(['777', '1777', '770', '755', '711'])('with the mode %s is made private, with its secrets', (mode) => {
    const folder = folderWith(
      Number.parseInt(mode, 8),
      ['secret.key', 0o644],
      ['secret.key.next', 0o666],
      ['backup.tar.gz', 0o644],
    )
    mkdirSync(clusterIn(folder))
    makeDataFolder(folder)
    expect(modeOf(folder)).toBe(0o700)
    expect(modeOf(join(folder, 'secret.key'))).toBe(0o600)
    expect(modeOf(join(folder, 'secret.key.next'))).toBe(0o600)
    expect(modeOf(join(folder, 'backup.tar.gz'))).toBe(0o644)
  })

  test('behind a link is made private where the link leads to', () => {
    const folder = folderWith(0o777)
    symlinkSync(folder, join(parent, 'link'))
    makeDataFolder(join(parent, 'link'))
    expect(modeOf(folder)).toBe(0o700)
  })

  test('is private whatever the umask is, with the folders made for it', () => {
    const before = process.umask(0)
    try {
      makeDataFolder(join(parent, 'deep', 'data'))
    } finally {
      process.umask(before)
    }
    expect([modeOf(join(parent, 'deep')), modeOf(join(parent, 'deep', 'data'))]).toEqual([0o700, 0o700])
  })

  test('with other folders in it, which others may write, is refused and stays as it is', () => {
    const folder = folderWith(0o1777)
    mkdirSync(join(folder, 'of-another-program'))
    expect(() => makeDataFolder(folder)).toThrow(
      `other users may write it, and it holds more than a database. Run chmod 700 ${folder} if only Postrider uses it`,
    )
    expect(modeOf(folder)).toBe(0o777)
  })

  test('with a link to a secret that others may write is refused, and the secret stays as it is', () => {
    const folder = folderWith(0o755)
    const secret = join(parent, 'key')
    writeFileSync(secret, 'x')
    chmodSync(secret, 0o666)
    symlinkSync(secret, join(folder, 'secret.key'))
    expect(() => makeDataFolder(folder)).toThrow(`${join(folder, 'secret.key')} may be changed by other users`)
    expect(modeOf(secret)).toBe(0o666)
  })

  test.runIf(!isRoot)('which belongs to root, as /tmp does, is refused', () => {
    expect(() => makeDataFolder('/tmp')).toThrow('/tmp belongs to user 0')
  })

  describe.runIf(isRoot)('with another user as its owner', () => {
    const user = 54_321
    /** With the rights of that user, for work without a pause. */
    function asUser(work: () => void): void {
      process.seteuid?.(user)
      try {
        work()
      } finally {
        process.seteuid?.(0)
      }
    }

    test.each([0, 12_345])('as %i is refused, also where everyone may write and behind a link', (owner) => {
      const folder = folderWith(0o777)
      chownSync(folder, owner, owner)
      symlinkSync(folder, join(parent, 'link'))
      for (const path of [folder, join(parent, 'link')])
        asUser(() =>
          expect(() => makeDataFolder(path)).toThrow(
            `The data folder cannot be ${path}: ${folder} belongs to user ${owner} and this process runs as user ${user}.`,
          ),
        )
      expect(modeOf(folder)).toBe(0o777)
    })

    test('is made private by root, and stays that of its user', () => {
      const folder = folderWith(0o777)
      chownSync(folder, user, user)
      makeDataFolder(folder)
      expect(modeOf(folder)).toBe(0o700)
      expect(statSync(folder).uid).toBe(user)
      asUser(() => makeDataFolder(folder))
    })

    test('with other folders in it is refused where PostgreSQL’s user could enter', () => {
      const folder = folderWith(0o711)
      mkdirSync(join(folder, 'of-another-program'))
      expect(() => makeDataFolder(folder)).toThrow('other users may enter it')
    })

    test.each([0, user])('takes a secret of %i that only its owner may write', (owner) => {
      const folder = folderWith(0o700, ['secret.key', 0o444])
      chownSync(join(folder, 'secret.key'), owner, owner)
      chownSync(folder, user, user)
      asUser(() => makeDataFolder(folder))
    })

    test('with a secret of a third one is refused', () => {
      const folder = folderWith(0o700, ['secret.key', 0o600])
      chownSync(join(folder, 'secret.key'), 12_345, 12_345)
      expect(() => makeDataFolder(folder)).toThrow('secret.key may be changed by other users')
    })
  })
})
