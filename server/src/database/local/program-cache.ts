/** Copies PostgreSQL programs that cannot run in place: a read-only folder without its links, or root's home. */
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
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join } from 'node:path'
import { type Account, canEnter } from './account.ts'

/** PostgreSQL checks its programs with access(2), which ignores capabilities: the account must be able to enter each folder. */
export function isReachable(bin: string, account: Account | undefined): boolean {
  return !account || canEnter(bin, account)
}

/** Shared by all data folders on the machine. */
const ROOT_CACHES = ['/var/cache/postrider', join(tmpdir(), 'postrider-cache')]
/** Only needed to compile extensions: a third of the files. */
const UNNEEDED = new Set(['pgxs', 'pkgconfig', 'include'])

/** Returns the folder of `bin`, `lib` and `share`; created once for each version, atomically. */
export function copyPrograms(root: string, account: Account | undefined, dataDir: string): string {
  const name = `postgres-programs-${versionOf(root)}`
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

function versionOf(root: string): string {
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
