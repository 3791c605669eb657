/** The data folder: created with its parents, or refused with the obstacle; flushed, because flushing a file does not flush its name. */
import { accessSync, closeSync, constants, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { FolderUnusable, isErrno } from './errors.ts'

/** PostgreSQL's user may enter root's folder but not list it; the database in it is closed to other users. */
const MODE = process.getuid?.() === 0 ? 0o711 : 0o700

/** Throws `FolderUnusable`. */
export function makeDataFolder(folder: string): void {
  const missing: string[] = []
  let existing = resolve(folder)
  for (; !existsSync(existing); existing = dirname(existing)) missing.unshift(existing)
  if (!statSync(existing).isDirectory())
    throw new FolderUnusable(`The data folder cannot be ${folder}: ${existing} is not a folder`)
  try {
    accessSync(existing, constants.W_OK | constants.X_OK)
    // One by one: on a file system that refuses folders, Node's recursive mode never returns.
    for (const path of missing) makeOne(path)
    statSync(folder)
  } catch (cause) {
    throw new FolderUnusable(`The data folder cannot be ${folder}: ${existing} cannot be written`, { cause })
  }
}

/** Another process may create it concurrently. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: MODE })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

/** Created, renamed and removed names survive a power failure afterwards. */
export function fsyncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
