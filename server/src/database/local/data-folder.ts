/** The data folder, made with its parents, or a refusal that says what is in the way. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isErrno } from '../../base/errno.ts'
import { FolderUnusable } from './errors.ts'

/** Root's is passed through, not listed, by the user that PostgreSQL runs as; the database in it is closed to all others. */
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
    // One by one: of a file system that makes none, Node's recursive way never ends.
    for (const path of missing) makeOne(path)
    statSync(folder)
  } catch (cause) {
    throw new FolderUnusable(`The data folder cannot be ${folder}: ${existing} cannot be written`, { cause })
  }
}

/** Another process may be making it at the same time. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: MODE })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}
