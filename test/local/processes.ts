/** The processes of the operating system that tests of the local database need. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

export interface OsProcess {
  pid: number
  parent: number
  /** With its arguments. */
  command: string
}

export function processes(): OsProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
        const [, parent] = /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8')) ?? []
        return command ? [{ pid: Number(name), parent: Number(parent), command }] : []
      } catch {
        // It has ended meanwhile.
        return []
      }
    })
}

/** The PostgreSQL server of a data folder, without its backends. */
export const postmasterOf = (folder: string): OsProcess | undefined =>
  processes().find(({ command }) => command.includes(`-D ${folder}/postgres-`))

export const backendsOf = (pid: number): OsProcess[] => processes().filter(({ parent }) => parent === pid)

export const watcherOf = (pid: number): OsProcess | undefined =>
  processes().find(({ command }) => command.endsWith(`postrider-watcher ${pid}`))
