/** The real server as a process of its own: started with an environment, watched, killed. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'

export interface ServerProcess {
  pid: number
  /** Base address of the API. */
  url: string
  /** Everything written so far, standard output and error together. */
  output(): string
  kill(signal?: NodeJS.Signals): void
  /** Settles when the process has ended: its code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>
}

export interface ProcessOptions {
  /** Added to an environment that holds PATH, HOME and TMPDIR only. */
  env?: Record<string, string>
  args?: string[]
  /** From the root of the checkout. */
  script?: string
  /** Covers a first start, which creates the local database. */
  readyTimeoutMs?: number
}

const root = checkout(dirname(fileURLToPath(import.meta.url)))

/** This file runs from its source and from `dist`, so the root is found by its lock file. */
function checkout(folder: string): string {
  return existsSync(join(folder, 'package-lock.json')) ? folder : checkout(dirname(folder))
}

/** A process that runs for seconds gains nothing from code that is optimized early, where Node has the option. */
export const nodeFlags = process.versions.node.startsWith('20.') ? ['--interrupt-budget=1500000'] : []

/** Starts a process without waiting for it; POSTRIDER_PORT is a free port unless `env` names one. */
export async function spawnServer(options: ProcessOptions = {}): Promise<ServerProcess> {
  const { env = {}, args = ['serve'], script = 'cli/dist/postrider.js' } = options
  const port = env.POSTRIDER_PORT ?? String(await freePort())
  const kept = Object.fromEntries(['PATH', 'HOME', 'TMPDIR'].flatMap((name) => pair(name, process.env[name])))
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(
    process.execPath,
    [...nodeFlags, script, ...args],
    {
      cwd: root,
      env: { ...kept, ...env, POSTRIDER_PORT: port },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  let output = ''
  const collect = (text: string) => {
    // 1 MB is far more than a test reads and keeps a chatty campaign bounded.
    output = (output + text).slice(-1_048_576)
  }
  child.stdout.setEncoding('utf8').on('data', collect)
  child.stderr.setEncoding('utf8').on('data', collect)
  const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(signal ?? code ?? 0))
  })
  return {
    pid: child.pid ?? 0,
    url: `http://127.0.0.1:${port}`,
    output: () => output,
    kill: (signal = 'SIGTERM') => void child.kill(signal),
    exited,
  }
}

/** In the output when another program took the free port first. */
const PORT_TAKEN = 'is in use by another program'
const PORTS_TRIED = 3
const LISTENS = 'Postrider is listening on'

/** Starts a process and waits until `/readyz` answers 200; throws with its output when it ends or stays silent. */
export async function startServer(options: ProcessOptions = {}, tries = PORTS_TRIED): Promise<ServerProcess> {
  const server = await spawnServer(options)
  const timeoutMs = options.readyTimeoutMs ?? 60_000
  const deadline = Date.now() + timeoutMs
  let ended: number | NodeJS.Signals | undefined
  server.exited.then(
    (how) => {
      ended = how
    },
    () => {
      ended = 1
    },
  )
  while (ended === undefined && Date.now() < deadline) {
    if (await isReady(server)) return server
    await pause(25)
  }
  server.kill('SIGKILL')
  const isOurs = options.env?.POSTRIDER_PORT === undefined
  if (isOurs && tries > 1 && server.output().includes(PORT_TAKEN)) return startServer(options, tries - 1)
  const reason =
    ended === undefined ? `was not ready within ${timeoutMs} ms` : `ended with ${ended} before it was ready`
  throw new Error(`The server ${reason}:\n${server.output()}`)
}

const ANSWER_MS = 2_000

/** Cheap enough to be polled: nothing is requested before the log has the line of the listener. */
export async function isReady({ url, output }: ServerProcess): Promise<boolean> {
  // Another program on this port may have been given it in the meantime.
  if (!output().includes(LISTENS)) return false
  try {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS) })
    await reply.arrayBuffer()
    return reply.status === 200
  } catch {
    return false
  }
}

function pair(name: string, value: string | undefined): [string, string][] {
  return value === undefined ? [] : [[name, value]]
}
