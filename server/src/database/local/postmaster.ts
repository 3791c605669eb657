/** One PostgreSQL server process of a cluster: configured, started, watched, stopped; servers of dead processes are ended. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, Socket } from 'node:net'
import { dirname, join, parse } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { failpoint } from '../../base/failpoint.ts'
import type { Log } from '../../base/log.ts'
import { MINUTE, SECOND } from '../../base/time/duration.ts'
import { type Binaries, programPath } from './binaries.ts'
import type { Cluster } from './cluster.ts'
import { type Endpoint, hasSockets, shortPath } from './endpoint.ts'
import { hintFor, LocalServerError } from './errors.ts'
import { type Account, launch, programEnvironment, searchPath } from './launch.ts'

export interface Postmaster {
  /** Resolves when the process has ended, with its exit code or signal and its last output. */
  exited: Promise<Exit>
  /** Closes all connections and writes a checkpoint; after a timeout stops without one. */
  stop(): Promise<void>
}

interface Exit {
  /** Exit code or signal. */
  code: number | NodeJS.Signals | null
  /** The last lines that it wrote. */
  lastOutput: string
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
/** After a crash the server first replays the log since the last checkpoint, 1 GB at most. */
const READY_TIMEOUT_MS = 15 * MINUTE
const REPORT_MS = 5 * SECOND
/** A checkpoint of 64 MB of pages on a slow disk. */
const FAST_STOP_MS = 10 * SECOND
const KILL_AFTER_MS = 5 * SECOND
const LAST_LINES = 20
const LINE_CHARACTERS_MAX = 2_000

/**
 * Resolves when the server accepts connections. Throws `LocalServerError` with its last output when it ends before, and
 * the reason of `stopped` after it was stopped.
 */
export async function startPostmaster(options: PostmasterOptions, stopped?: AbortSignal): Promise<Postmaster> {
  const { cluster, log } = options
  await endLeftover(cluster.folder, log)
  const child = spawnServer(options)
  const output = collectOutput(child, log)
  let ended: Exit | undefined
  const exited = new Promise<Exit>((resolve) => {
    const end = (code: Exit['code']) => resolve((ended = { code, lastOutput: output() }))
    child.once('error', (error) => {
      output(error.message)
      end(null)
    })
    child.once('close', (code, signal) => end(signal ?? code))
  })
  const { pid } = child
  failpoint('before-database-watcher')
  const watcher = pid === undefined ? undefined : startWatcher(pid, log)
  openGate(child)
  void exited.then(() => watcher?.dismiss())
  // The running server does not keep this process alive; a stop does, until the server has ended.
  setReference(child, 'unref')
  const stop = async () => {
    setReference(child, 'ref')
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
        `The local database was not ready within ${READY_TIMEOUT_MS / MINUTE} minutes: ${output()}`,
      )
    }
    if (Date.now() > reportAt) {
      log.info({ event: 'database.recovering', output: output() }, 'waiting for the local database')
      reportAt += REPORT_MS
    }
    await pause(POLL_MS)
  }
  return { exited, stop }
}

function spawnServer({ cluster, binaries, account, endpoint, isDurable }: PostmasterOptions): ChildProcess {
  const parameters = Object.entries({
    ...settings(binaries.major),
    ...endpoint.settings,
    hba_file: join(cluster.folder, 'pg_hba.conf'),
    ident_file: join(cluster.folder, 'pg_ident.conf'),
    ...(!isDurable && { fsync: 'off' }),
    // In the cluster instead of /dev/shm, which another program of that user may open.
    ...(account && { dynamic_shared_memory_type: 'mmap' }),
  })
  const args = ['-D', cluster.folder, ...parameters.flatMap(([name, value]) => ['-c', `${name}=${value}`])]
  const { file, args: command, ...as } = launch(programPath(binaries, 'postgres'), args, cluster.folder, account)
  const gated = hasGate
    ? { file: '/bin/sh', args: ['-c', GATE, 'postrider-gate', file, ...command] }
    : { file, args: command }
  return spawn(gated.file, gated.args, {
    ...as,
    cwd: parse(cluster.folder).root,
    env: programEnvironment(),
    // A separate process group: Ctrl+C in the terminal reaches only the service, which stops the server last.
    detached: true,
    windowsHide: true,
    stdio: [hasGate ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
}

/** Delays the server until its watcher runs: if this process is killed before, the pipe closes and no server starts. */
const GATE = 'read -r line && exec "$@" </dev/null'
/** Windows has no such shell, and no watcher. */
const hasGate = process.platform !== 'win32'

function openGate({ stdin }: ChildProcess): void {
  stdin?.on('error', () => undefined)
  stdin?.end('\n')
}

/** Ends the PostgreSQL server when this process dies, however it dies: a shell that waits for the end of a pipe. */
interface Watcher {
  /** Called when the server has ended: its process id may be reused. */
  dismiss(): void
}

// Fast shutdown, after a second immediate shutdown: the server ends within two seconds of this process.
const WATCHER_SCRIPT = `
trap '' HUP INT TERM
while read -r line; do :; done
kill -INT "$1" || exit 0
for i in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.1
  kill -0 "$1" || exit 0
done
kill -QUIT "$1"`

/** Where no process can be started, an immediate retry would fail as well. */
const WATCHER_RESTART_PAUSE_MS = 200

/** A watcher that is killed is restarted. Windows has no such shell: there the next start ends the old server. */
function startWatcher(pid: number, log: Log): Watcher {
  let current: ChildProcess | undefined
  let dismissed = false
  const startAgain = () => {
    setTimeout(() => dismissed || start(), WATCHER_RESTART_PAUSE_MS).unref()
  }
  const start = () => {
    const child = spawn('/bin/sh', ['-c', WATCHER_SCRIPT, 'postrider-watcher', String(pid)], {
      cwd: '/',
      env: { PATH: searchPath() },
      // Ctrl+C in the terminal must not end the watcher before this process.
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    child.stdin?.on('error', () => undefined)
    if (child.stdin instanceof Socket) child.stdin.unref()
    child.unref()
    child.once('error', (error) => {
      log.warn(
        { event: 'database.unwatched', err: error },
        'no watcher: if this process is killed, its PostgreSQL server keeps running',
      )
      startAgain()
    })
    child.once('exit', startAgain)
    current = child
  }
  if (process.platform !== 'win32') start()
  return {
    dismiss() {
      dismissed = true
      current?.kill('SIGKILL')
    },
  }
}

/** Logs each line and returns the last ones; a line that is passed is added to them. */
function collectOutput(child: ChildProcess, log: Log): (line?: string) => string {
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

function startError({ code, lastOutput }: Exit, folder: string): LocalServerError {
  return new LocalServerError(
    `The local database in ${folder} does not start (${code ?? 'not started'}): ${lastOutput || 'PostgreSQL wrote no reason'}`,
    { hint: hintFor(lastOutput, dirname(folder)) ?? 'A copy made by postrider backup can take its place.' },
  )
}

/** Whether a child process and its pipes keep this process alive. */
function setReference(child: ChildProcess, how: 'ref' | 'unref'): void {
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
    // Removed meanwhile.
    return undefined
  }
}

function isReady(folder: string, pid: number | undefined): boolean {
  const file = readPidFile(folder)
  return file !== undefined && file.pid === pid && file.lines[7]?.trim() === 'ready'
}

/** A server's watcher ends it within two seconds; a server without a watcher is ended here. */
const LEFTOVER_STEPS = [
  ['SIGINT', 3 * SECOND],
  ['SIGQUIT', 3 * SECOND],
  ['SIGKILL', 2 * SECOND],
] as const

/** Called under the lock of the data folder: a server that still runs belongs to a dead process. */
export async function endLeftover(folder: string, log: Log): Promise<void> {
  const file = readPidFile(folder)
  if (file && (await isServing(folder, file.pid))) await endServer(folder, file.pid, log)
  disown(folder)
}

async function endServer(folder: string, pid: number, log: Log): Promise<void> {
  log.info({ event: 'database.leftover', pid }, 'ending the PostgreSQL server of an earlier process')
  for (const [signal, waitMs] of LEFTOVER_STEPS) {
    // In another container the process id belongs to another process.
    if (isServer(folder, pid)) signalTo(pid, signal)
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await pause(POLL_MS))
      if (!(await isServing(folder, pid))) return
  }
  throw new LocalServerError(`Another PostgreSQL server works on ${folder} and does not end`, {
    hint: `It was started outside of this Postrider, perhaps in another container: stop it first (process ${pid}).`,
  })
}

/**
 * After a restart of the machine the process id in the file may belong to another process, which PostgreSQL would take for
 * a running server. It ignores its parent's id, and still checks the shared memory named in the file.
 */
function disown(folder: string): void {
  // The lock file of the socket repeats the process id and holds nothing else.
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

/** The command line; empty when it cannot be read. */
function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    if (process.platform === 'win32') return ''
    return execFileSync('ps', ['-p', String(pid), '-o', 'args='], { encoding: 'utf8', timeout: SECOND })
  } catch {
    return ''
  }
}

/** A server in another container has no process here, but accepts connections on its socket. */
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
    // The process has ended.
  }
}

/** The configuration of the local PostgreSQL server: little memory, two cores, commits flushed to disk. */
const settings = (major: number): Record<string, string> => ({
  // Every 2xx depends on these; set here so that no postgresql.conf can weaken them.
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  // Eight connections of the service and its listener, commands, psql, and three kept for a superuser.
  max_connections: '24',
  // The pages that queues use; older pages come from the system's cache.
  shared_buffers: '32MB',
  work_mem: '4MB',
  maintenance_work_mem: '16MB',
  // A sample of 9,000 rows instead of 30,000: ANALYZE holds them in memory, and the plans need no more.
  default_statistics_target: '30',
  // Checkpoints by time, spread over most of it: written evenly, never in a burst that commits wait for.
  checkpoint_timeout: '5min',
  checkpoint_completion_target: '0.9',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  wal_buffers: '4MB',
  // Full-page images after a checkpoint are most of the log; compressed they take a third.
  wal_compression: 'on',
  // A backup reads the log through a slot; nothing is replicated.
  wal_level: 'replica',
  max_wal_senders: '0',
  max_replication_slots: '2',
  // Two cores, short statements: neither parallel workers nor JIT compilation pay off.
  max_worker_processes: '2',
  max_parallel_workers: '0',
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  ...(major >= 18 && { io_method: 'sync' }),
  // Queues create dead rows at the rate of delivery: frequent vacuums in small slices.
  autovacuum: 'on',
  autovacuum_naptime: '20s',
  autovacuum_max_workers: '2',
  autovacuum_vacuum_cost_delay: '2ms',
  autovacuum_vacuum_cost_limit: '400',
  // Start, stop, recovery and fatal errors. The service itself logs refused statements.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
  log_line_prefix: '',
  logging_collector: 'off',
  log_destination: 'stderr',
  timezone: 'UTC',
})
