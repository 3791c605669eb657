/** The processes of a local database, found and killed from outside. Linux only. */
import { readlinkSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { backendsOf, type OsProcess, postmasterOf, processes, watcherOf } from '../local/processes.ts'

/** `server`: the postmaster. `everything`: it, all its processes and its watcher. */
export const targets = ['server', 'backend', 'watcher', 'everything'] as const
export type Target = (typeof targets)[number]

/** Every process that names the data folder or works in it: PostgreSQL's do both. */
export function databaseProcesses(folder: string): OsProcess[] {
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

/** Kills what serves `folder`; false when it was not found. */
export function killDatabase(folder: string, target: Target): boolean {
  const server = postmasterOf(folder)
  if (!server) return false
  const children = backendsOf(server.pid)
  const sessions = children.filter(({ command }) => /^postgres: postrider postgres/.test(command))
  const watcher = watcherOf(server.pid)
  const victims = {
    server: [server],
    backend: sessions.slice(0, 1),
    watcher: watcher ? [watcher] : [],
    everything: [...(watcher ? [watcher] : []), server, ...children],
  }[target]
  for (const { pid } of victims) kill(pid)
  return victims.length > 0
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
