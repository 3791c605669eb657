/** A real PostgreSQL server for tests, in a folder of its own, gone with the process that started it. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { findBinaries } from '@postrider/server/internal/database/local/binaries'
import { serverAccount } from '@postrider/server/internal/database/local/launch'
import pg from 'pg'
import { freePort } from './free-port.ts'

/** `fast` rolls back and disconnects; `immediate` is a crash: the next start recovers from the log. */
export type StopMode = 'smart' | 'fast' | 'immediate'

export interface PostgresServer {
  /** The database `postgres`, as superuser. */
  adminUrl: string
  /** A database that no other test uses. */
  url: string
  /** Makes a database, empty or as a copy of `template`, and gives its address; `file_copy` is quicker without `fsync`. */
  createDatabase(template?: string, strategy?: 'wal_log' | 'file_copy'): Promise<string>
  /** With the connections that it has. */
  dropDatabase(url: string): Promise<void>
  /** Stops the server and removes its folder. */
  stop(mode?: StopMode): Promise<void>
  /** Stops and starts again on the same port and folder; `meanwhile` runs while it is down. */
  restart(mode: StopMode, meanwhile?: () => Promise<void>): Promise<void>
}

const SIGNALS = { smart: 'SIGTERM', fast: 'SIGINT', immediate: 'SIGQUIT' } as const satisfies Record<StopMode, string>

const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  // Many small servers' worth of tests share two cores: little memory, enough connections for nodes that were killed too.
  shared_buffers: '32MB',
  max_connections: '300',
  max_wal_size: '128MB',
  autovacuum_naptime: '5s',
  listen_addresses: '127.0.0.1',
  log_min_messages: 'warning',
}

// When the test process ends, however it ends, its end of the pipe closes: the guard then stops the server and removes
// its folder. A server that ended by itself takes its guard along.
const GUARDED = `
"$@" & server=$!
exec 3<&0
( trap '' TERM
  cat <&3 >/dev/null
  kill -QUIT $server
  while kill -0 $server; do sleep 0.05; done
  rm -rf "$PWD" ) 2>/dev/null &
guard=$!
wait $server; code=$?
kill -KILL $guard 2>/dev/null
exit $code`

/** As the local database has it. */
const localeOf = (major: number) => [
  '--locale=C',
  ...(major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
]

/** The programs that npm brings, or those in POSTRIDER_TEST_POSTGRES_BIN. Takes about two seconds, most of it `initdb`. */
export async function startPostgres(settings: Record<string, string> = {}): Promise<PostgresServer> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-pg-'))
  const data = join(folder, 'data')
  await chmod(folder, 0o700)
  const account = serverAccount(folder)
  const { bin, major } = findBinaries({
    named: process.env.POSTRIDER_TEST_POSTGRES_BIN,
    major: undefined,
    account,
    dataDir: folder,
  })
  if (account) await chown(folder, account.uid, account.gid)
  const options = { cwd: folder, ...account }
  const initial = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '-N', ...localeOf(major)]
  execFileSync(join(bin, 'initdb'), initial, { ...options, stdio: 'pipe' })

  const port = await freePort()
  const settingOptions = Object.entries({ ...SETTINGS, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ])
  const args = [join(bin, 'postgres'), '-D', data, '-p', String(port), '-k', folder, ...settingOptions]
  const address = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const adminUrl = address('postgres')
  let running: Running | undefined
  const start = async () => {
    running = launch(args, options)
    await ready(adminUrl, running)
  }
  const halt = async (mode: StopMode) => {
    const pid = Number((await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0])
    if (running && pid) process.kill(pid, SIGNALS[mode])
    await running?.ended
    running?.child.stdin?.destroy()
    running = undefined
  }
  const createDatabase = async (template = 'template1', strategy = 'wal_log') => {
    const name = `t_${randomBytes(6).toString('hex')}`
    await runStatement(adminUrl, `create database ${name} template "${template}" strategy ${strategy}`)
    return address(name)
  }

  await start()
  return {
    adminUrl,
    url: await createDatabase(),
    createDatabase,
    dropDatabase: (url) => runStatement(adminUrl, `drop database "${new URL(url).pathname.slice(1)}" with (force)`),
    async stop(mode = 'immediate') {
      await halt(mode)
      await rm(folder, { recursive: true, force: true })
    },
    async restart(mode, meanwhile) {
      await halt(mode)
      await meanwhile?.()
      await start()
    },
  }
}

interface Running {
  child: ChildProcess
  /** Settles with everything the server wrote when it has ended. */
  ended: Promise<string>
  over: boolean
}

function launch(args: string[], options: { cwd: string; uid?: number; gid?: number }): Running {
  const child = spawn('/bin/sh', ['-c', GUARDED, 'sh', ...args], { ...options, stdio: ['pipe', 'ignore', 'pipe'] })
  let log = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    // The end of the log explains a failed start; 64 kB holds hundreds of lines.
    log = (log + text).slice(-65_536)
    // A crash of one session ends those of every test; the lines name the statement that was running.
    if (text.includes('was terminated by signal')) process.stderr.write(`PostgreSQL of the tests:\n${text}\n`)
  })
  child.stdin?.on('error', () => {})
  const running: Running = { child, over: false, ended: Promise.resolve('') }
  running.ended = new Promise((resolve) => {
    child.once('exit', () => {
      running.over = true
      resolve(log)
    })
  })
  return running
}

async function ready(url: string, running: Running): Promise<void> {
  // 30 s: a start after a crash replays the log first.
  const deadline = Date.now() + 30_000
  for (;;) {
    if (running.over) throw new Error(`PostgreSQL ended at start:\n${await running.ended}`)
    try {
      return await runStatement(url, 'select 1')
    } catch (cause) {
      if (Date.now() > deadline) throw new Error('PostgreSQL did not start within 30 s', { cause })
      await pause(20)
    }
  }
}

async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => {})
  }
}
