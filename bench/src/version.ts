/** A built checkout whose product is measured: this one, or another one beside it through its own compiled modules. */
import { execFileSync, type StdioOptions } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Engine } from '@postrider/server/internal/database/engine'

/** The part of the engine that both versions have. */
export type StorageEngine = Pick<Engine, 'run' | 'batch' | 'close'>

export interface Version {
  /** For tables and pictures. */
  label: string
  /** The file that runs the command. */
  command: string
  /** Opens the configured database while no product has it open. */
  open(env: Readonly<Record<string, string>>): Promise<StorageEngine>
  /** Makes the partitions of the week of this time, where that version has them. */
  makePartitions(engine: StorageEngine, now: number): Promise<void>
}

/** The modules of a checkout that the bench calls. */
interface Modules {
  config: { readConfig(env: Readonly<Record<string, string>>): unknown }
  log: { createLog(level: 'error'): unknown }
  context: { openDatabase(config: unknown, log: unknown): Promise<StorageEngine> }
  partitions: { makePartitions(engine: StorageEngine, now: number): Promise<void> }
}

/** Under the names they have had: an older checkout is measured beside this one. Older ones have another `app.js`. */
const FILES = {
  config: ['config.js'],
  log: ['base/log.js'],
  context: ['service-context.js', 'context.js', 'app.js'],
  partitions: ['database/partitions.js'],
} satisfies Record<keyof Modules, readonly string[]>

export const thisVersion = (): Version => versionAt(fileURLToPath(new URL('../../', import.meta.url)))

/** Throws when the folder is no built checkout. */
export function versionAt(folder: string): Version {
  const root = resolve(process.env.INIT_CWD ?? '', folder)
  const command = join(root, 'cli/bin/postrider.js')
  const dist = join(root, 'server/dist')
  const missing = (file: string) =>
    new Error(`${file} is missing: --product names a checkout after "npm ci && npm run build"`)
  if (!existsSync(command)) throw missing(command)
  const fileOf = (name: keyof Modules): string => {
    const [newest, ...older] = FILES[name].map((file) => join(dist, file))
    const file = [newest, ...older].find((path) => path !== undefined && existsSync(path))
    if (file === undefined) throw missing(newest ?? dist)
    return file
  }
  const files = {
    config: fileOf('config'),
    log: fileOf('log'),
    context: fileOf('context'),
    partitions: fileOf('partitions'),
  }
  const load = async <Name extends keyof Modules>(name: Name): Promise<Modules[Name]> =>
    await import(pathToFileURL(files[name]).href)
  return {
    label: commitOf(root),
    command,
    async open(env) {
      const [config, log, context] = await Promise.all([load('config'), load('log'), load('context')])
      return context.openDatabase(config.readConfig(env), log.createLog('error'))
    },
    makePartitions: async (engine, now) => (await load('partitions')).makePartitions(engine, now),
  }
}

function commitOf(root: string): string {
  try {
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore']
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8', stdio }).trim()
  } catch {
    return basename(root)
  }
}
