/** One PostgreSQL server process of a cluster: started, watched, stopped; and what an earlier process left running, ended. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { dirname, join, parse } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import { type Account, launch } from './account.ts'
import { type Binaries, programPath } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { type Endpoint, hasSockets } from './endpoint.ts'
import { programEnvironment } from './environment.ts'
import { hintFor, LocalServerError } from './errors.ts'
import { settings } from './settings.ts'
import { shortPath } from './short-path.ts'
import { startWatcher } from './watcher.ts'

export interface Postmaster {
  /** Settles when the process has ended, with how it ended and its last words. */
  exited: Promise<Exit>
  /** Disconnects everybody, writes a checkpoint and ends; after a while without one. */
  stop(): Promise<void>
}

export interface Exit {
  /** Exit code or signal. */
  how: number | NodeJS.Signals | null
  /** The last lines it wrote. */
  lastWords: string
}

export interface PostmasterOptions {
  cluster: Cluster
  binaries: Binaries
  account: Account | undefined
  endpoint: Endpoint
  isDurable: boolean
  log: Log
}

const SOCKET = '.s.PGSQL.5432'
const POLL_MS = 10
/** After a crash the log since the last checkpoint, 1 GB at most, is replayed first. */
const READY_TIMEOUT_MS = 15 * MINUTE
const REPORT_MS = 5 * SECOND
/** A checkpoint of 64 MB of pages on a slow disk. */
const FAST_STOP_MS = 10 * SECOND
const KILL_AFTER_MS = 5 * SECOND
const LAST_LINES = 20
const LINE_CHARACTERS_MAX = 2_000

/**
 * Resolves when it takes connections. Throws `LocalServerError` with its last words when it ends before, and the reason
 * of `stopped` after it has ended for that.
 */
export async function startPostmaster(options: PostmasterOptions, stopped?: AbortSignal): Promise<Postmaster> {
  const { cluster, log } = options
  await endLeftover(cluster.folder, log)
  const child = spawnServer(options)
  const words = collectWords(child, log)
  let ended: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    const end = (how: Exit['how']) => resolve((ended = { how, lastWords: words() }))
    child.once('error', (error) => {
      words(error.message)
      end(null)
    })
    child.once('close', (code, signal) => end(signal ?? code))
  })
  const { pid } = child
  failpoint('before-database-watcher')
  const watcher = pid === undefined ? undefined : startWatcher(pid, log)
  openGate(child)
  void exited.then(() => watcher?.dismiss())
  // The server does not keep this process alive while it runs; stopping it does, until it has ended.
  hold(child, 'unref')
  const stop = async () => {
    hold(child, 'ref')
    for (const [signal, waitMs] of [
      ['SIGINT', FAST_STOP_MS],
      ['SIGQUIT', KILL_AFTER_MS],
      ['SIGKILL', KILL_AFTER_MS],
    ] as const) {
      if (ended) return
      signalTo(pid, signal)
      await Promise.race([exited, pause(waitMs, undefined, { ref: false })])
    }
  }
  const started = Date.now()
  for (let reportAt = started + REPORT_MS; !isReady(cluster.folder, pid); ) {
    if (ended) throw startError(ended, cluster.folder)
    if (stopped?.aborted) {
      await stop()
      stopped.throwIfAborted()
    }
    if (Date.now() - started > READY_TIMEOUT_MS) {
      await stop()
      throw new LocalServerError(
        `The local database was not ready within ${READY_TIMEOUT_MS / MINUTE} minutes: ${words()}`,
      )
    }
    if (Date.now() > reportAt) {
      log.info({ event: 'database.recovering', said: words() }, 'waiting for the local database')
      reportAt += REPORT_MS
    }
    await pause(POLL_MS)
  }
  return { exited, stop }
}

function spawnServer({ cluster, binaries, account, endpoint, isDurable }: PostmasterOptions): ChildProcess {
  const given = Object.entries({
    ...settings(binaries.major),
    ...endpoint.settings,
    ...(!isDurable && { fsync: 'off' }),
  })
  const args = ['-D', cluster.folder, ...given.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const { file, args: command, ...as } = launch(programPath(binaries, 'postgres'), args, cluster.folder, account)
  const gated = hasGate
    ? { file: '/bin/sh', args: ['-c', GATE, 'postrider-gate', file, ...command] }
    : { file, args: command }
  return spawn(gated.file, gated.args, {
    ...as,
    cwd: parse(cluster.folder).root,
    env: programEnvironment(),
    // A group of its own: Ctrl+C in the terminal reaches the service, which stops the server last.
    detached: true,
    windowsHide: true,
    stdio: [hasGate ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
}

/** The server starts behind its watcher: a process that is killed before it has one closes the pipe, and nothing starts. */
const GATE = 'read -r line && exec "$@" </dev/null'
/** Windows has neither this shell nor a watcher. */
const hasGate = process.platform !== 'win32'

function openGate({ stdin }: ChildProcess): void {
  stdin?.on('error', () => undefined)
  stdin?.end('\n')
}

/** Keeps the last lines, logs each, and gives what it has. */
function collectWords(child: ChildProcess, log: Log): (line?: string) => string {
  const lines: string[] = []
  const add = (line: string) => {
    lines.push(line.slice(0, LINE_CHARACTERS_MAX))
    if (lines.length > LAST_LINES) lines.shift()
    log.debug({ event: 'database.log', line: line.slice(0, LINE_CHARACTERS_MAX) }, 'PostgreSQL')
  }
  for (const stream of [child.stdout, child.stderr]) {
    let rest = ''
    stream?.setEncoding('utf8').on('data', (text: string) => {
      const whole = (rest + text).split('\n')
      rest = (whole.pop() ?? '').slice(-LINE_CHARACTERS_MAX)
      for (const line of whole) if (line) add(line)
    })
  }
  return (line) => {
    if (line) add(line)
    return lines.join('\n')
  }
}

function startError({ how, lastWords }: Exit, folder: string): LocalServerError {
  return new LocalServerError(
    `The local database in ${folder} does not start (${how ?? 'not started'}): ${lastWords || 'PostgreSQL wrote no reason'}`,
    { hint: hintFor(lastWords, dirname(folder)) ?? 'A copy made by postrider backup can take its place.' },
  )
}

/** A process and its pipes, as far as they keep this one from ending. */
function hold(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream[how]()
}

interface PidFile {
  pid: number
  lines: string[]
}

/** https://www.postgresql.org/docs/current/storage-file-layout.html: the pid first, the state in the eighth line. */
function readPidFile(folder: string): PidFile | undefined {
  const path = join(folder, 'postmaster.pid')
  if (!existsSync(path)) return undefined
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 0 ? { pid, lines } : undefined
  } catch {
    // Removed in between.
    return undefined
  }
}

function isReady(folder: string, pid: number | undefined): boolean {
  const file = readPidFile(folder)
  return file !== undefined && file.pid === pid && file.lines[7]?.trim() === 'ready'
}

/** Its watcher ends a server within two seconds; one that lost its watcher too is ended here. */
const LEFTOVER_STEPS = [
  ['SIGINT', 3 * SECOND],
  ['SIGQUIT', 3 * SECOND],
  ['SIGKILL', 2 * SECOND],
] as const

/** Under the lock of the data folder: whatever still serves this cluster belongs to a process that is dead. */
export async function endLeftover(folder: string, log: Log): Promise<void> {
  const file = readPidFile(folder)
  if (file && (await isServing(folder, file.pid))) await endServer(folder, file.pid, log)
  disown(folder)
}

async function endServer(folder: string, pid: number, log: Log): Promise<void> {
  log.info({ event: 'database.leftover', pid }, 'ending the PostgreSQL server that an earlier process left')
  for (const [signal, waitMs] of LEFTOVER_STEPS) {
    // In another container the number is another process's.
    if (isServer(folder, pid)) signalTo(pid, signal)
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await pause(POLL_MS))
      if (!(await isServing(folder, pid))) return
  }
  throw new LocalServerError(`Another PostgreSQL server works on ${folder} and does not end`, {
    hint: `It was started outside of this Postrider, perhaps in another container: stop it first (process ${pid}).`,
  })
}

/**
 * After a restart of the machine or container the number in the file may be another process's, and PostgreSQL would take
 * that for a running server. The number of its parent it takes for none, and still checks the shared memory named there.
 */
function disown(folder: string): void {
  // The file beside the socket says the same again; nothing else is known by it.
  rmSync(join(folder, `${SOCKET}.lock`), { force: true })
  const file = readPidFile(folder)
  if (!file || !isAlive(file.pid)) return
  const lines = [String(process.pid), ...file.lines.slice(1)]
  writeFileSync(join(folder, 'postmaster.pid'), lines.join('\n'), { flag: 'r+' })
}

async function isServing(folder: string, pid: number): Promise<boolean> {
  if (isServer(folder, pid)) return true
  return hasSockets && (await isListening(folder))
}

const isServer = (folder: string, pid: number) => isAlive(pid) && commandOf(pid).includes(folder)

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** With its arguments; empty when it cannot be known. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (process.platform === 'win32') return ''
    return execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8', timeout: SECOND })
  } catch {
    return ''
  }
}

/** A server in another container has no process here, but its socket answers. */
function isListening(folder: string): Promise<boolean> {
  const short = shortPath(folder, SOCKET)
  return new Promise<boolean>((resolve) => {
    const socket = connect(join(short.path, SOCKET))
    socket.setTimeout(SECOND, () => socket.destroy(new Error('no answer')))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  }).finally(short.remove)
}

function signalTo(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
