/** The service and its PostgreSQL server under strace: every flush, read and write is recorded, and flushes can be made to fail. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../support/free-port.ts'

export interface Traced {
  url: string
  output(): string
  /** Kills it, and gives what strace wrote. */
  end(): Promise<string>
}

export const hasStrace = spawnSync('strace', ['--version']).status === 0

const root = fileURLToPath(new URL('../../', import.meta.url))
// Every traced call stops the process: a start takes several times as long.
const READY_MS = 60_000

/** `failFrom`: in each process, flushes of the log from this one on fail. */
export async function startTraced(env: Record<string, string>, failFrom?: number): Promise<Traced> {
  const folder = await mkdtemp(join(tmpdir(), 'postrider-trace-'))
  const file = join(folder, 'trace')
  const port = await freePort()
  const faults = failFrom === undefined ? [] : ['-e', `inject=fdatasync:error=EIO:when=${failFrom}+`]
  const flags = ['-f', '--seccomp-bpf', '-yy', '-qq', '-s', '48', '-e', 'signal=none', '-o', file]
  const calls = ['-e', 'trace=read,write,writev,fsync,fdatasync', ...faults]
  const child = spawn('strace', [...flags, ...calls, process.execPath, 'cli/dist/postrider.js', 'serve'], {
    cwd: root,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, POSTRIDER_PORT: String(port), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-100_000)
    })
  let over = false
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => {
      over = true
      resolve()
    })
  })
  const url = `http://127.0.0.1:${port}`
  const deadline = Date.now() + READY_MS
  while ((await fetch(`${url}/readyz`).catch(() => undefined))?.status !== 200) {
    if (over || Date.now() > deadline) throw new Error(`The traced service does not start:\n${output}`)
    await pause(50)
  }
  return {
    url,
    output: () => output,
    async end() {
      const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8')
      for (const pid of children.trim().split(' ')) if (pid) process.kill(Number(pid), 'SIGKILL')
      await ended
      const trace = await readFile(file, 'utf8')
      await rm(folder, { recursive: true })
      return trace
    },
  }
}
