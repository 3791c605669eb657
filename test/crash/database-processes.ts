/** The processes of a local database, found and killed from outside. Linux only. */
import { readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { backendsOf, type OsProcess, postmasterOf, processes, watcherOf } from '../local/processes.ts'

/** `server`: the postmaster. `everything`: it, all its processes and its watcher. */
export const targets = ['server', 'backend', 'watcher', 'everything'] as const
export type Target = (typeof targets)[number]

/** Every process that names the data folder or works in it: PostgreSQL's do both. */
function databaseProcesses(folder: string): OsProcess[] {
  return processes().filter(({ pid, command }) => command.includes(folder) || workingFolder(pid).startsWith(folder))
}

function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    // It has ended, or belongs to another user.
    return ''
  }
}

/**
 * Kills what serves `folder`. Gives the processes that end by it, those of PostgreSQL that end with another included.
 */
export function killDatabase(folder: string, target: Target): OsProcess[] {
  const server = postmasterOf(folder)
  if (!server) return []
  const children = backendsOf(server.pid)
  const watcher = watcherOf(server.pid)
  const watchers = watcher ? [watcher] : []
  const [session] = children.filter(({ command }) => /^postgres: postrider postgres/.test(command))
  const targets = {
    server: [server],
    backend: session ? [session] : [],
    watcher: watchers,
    everything: [...watchers, server, ...children],
  }[target]
  for (const { pid } of targets) kill(pid)
  if (targets.length === 0) return []
  // The server takes its watcher along; a session that crashes takes all others along.
  return { server: [server, ...children, ...watchers], backend: children, watcher: watchers, everything: targets }[
    target
  ]
}

/** Resolves when all of them have ended; false after `timeoutMs`. */
export async function untilEnded(all: readonly OsProcess[], timeoutMs: number): Promise<boolean> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await pause(10)) {
    const alive = new Map(processes().map(({ pid, command }) => [pid, command]))
    // By name as well: the number may be given to another process.
    if (all.every(({ pid, command }) => alive.get(pid)?.slice(0, 12) !== command.slice(0, 12))) return true
  }
  return false
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It ended with the one killed before it.
  }
}

/** Milliseconds until no process of the database is left, or undefined when one is after `timeoutMs`. */
export async function untilDatabaseEnds(folder: string, since: number, timeoutMs: number): Promise<number | undefined> {
  for (;;) {
    if (databaseProcesses(folder).length === 0) return Date.now() - since
    if (Date.now() - since > timeoutMs) return undefined
    await pause(50)
  }
}
