/** The data folder: created with its parents or refused with the obstacle, closed to other users, flushed, and held by one process. */

import { randomBytes } from 'node:crypto'
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { shortPath } from './endpoint.ts'
import { FolderUnusable, isErrno } from './errors.ts'

const OWNER_ONLY = 0o700
const OTHERS = 0o077
const OTHERS_WRITE = 0o022

/** Private afterwards, also one that existed. Throws `FolderUnusable`. */
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
  closeFolder(folder)
}

/** Another process may create it concurrently. */
function makeOne(path: string): void {
  try {
    mkdirSync(path, { mode: OWNER_ONLY })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

const SECRET_FILES = /^(secret\.key|postgres\.password)/
/** Folders in a data folder. With others in it, it may be one that the machine needs open, as /tmp or /var/lib. */
const FOLDERS = /^(postgres-|new-|database$|lost\+found$|\.)/

/**
 * A process of root closes its folder to the user that PostgreSQL runs as, too, which other programs may have. A link
 * counts as what it leads to.
 */
function closeFolder(folder: string): void {
  const uid = process.geteuid?.()
  // Windows has no such modes.
  if (uid === undefined) return
  const path = realpathSync(folder)
  const { uid: owner } = statSync(path)
  const refused = (reason: string) => new FolderUnusable(`The data folder cannot be ${folder}: ${reason}`)
  if (uid !== 0 && owner !== uid)
    throw refused(
      `${path} belongs to user ${owner} and this process runs as user ${uid}. Start as that user, run chown -R ${uid} ${path} as root, or name a new folder inside it`,
    )
  const entries = readdirSync(path, { withFileTypes: true })
  const isShared = entries.some((entry) => entry.isDirectory() && !FOLDERS.test(entry.name))
  if (!isShared) close(path)
  const { mode } = statSync(path)
  if ((mode & OTHERS_WRITE) !== 0 || (owner === 0 && (mode & OTHERS) !== 0))
    throw refused(
      `other users may ${(mode & OTHERS_WRITE) !== 0 ? 'write' : 'enter'} it${isShared ? ', and it holds more than a database' : ''}. Run chmod 700 ${path} if only Postrider uses it, or name a folder of its own`,
    )
  for (const { name } of entries.filter(({ name }) => SECRET_FILES.test(name))) {
    const file = join(path, name)
    // Not the target of a link, as to a mounted secret.
    if (!lstatSync(file).isSymbolicLink()) close(file)
    const secret = statSync(file)
    if (![0, uid, owner].includes(secret.uid) || (secret.mode & OTHERS_WRITE) !== 0)
      throw refused(
        `${file} may be changed by other users. If its content is yours, run chown ${owner} ${file} and chmod 600 ${file}`,
      )
  }
}

/** A file system without modes, or a file of root, stays as it is. */
function close(path: string): void {
  const { mode } = statSync(path)
  if ((mode & OTHERS) === 0) return
  try {
    chmodSync(path, mode & OWNER_ONLY)
  } catch (error) {
    if (!['EPERM', 'EROFS', 'ENOTSUP'].some((code) => isErrno(error, code))) throw error
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

// A listening socket also works between containers that share a volume.
export class FolderTaken extends Error {
  override readonly name = 'FolderTaken'
  /** `Postrider (process 123)`, as far as the holder says it. */
  readonly holder: string

  constructor(folder: string, processId: string | undefined) {
    const holder = `Postrider${processId ? ` (process ${processId})` : ''}`
    super(
      `The data folder ${folder} is in use by another ${holder}. Stop it first, or set POSTRIDER_DATA_DIR to another folder.`,
    )
    this.holder = holder
  }
}

export interface FolderLock {
  release(): Promise<void>
}

const ANSWER_TIMEOUT_MS = 500
// Two processes that replace a stale lock concurrently detect within this time which one came last.
const SETTLE_MS = 60

/** Throws `FolderTaken` when a live process holds the folder. */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const short = shortPath(resolve(folder), 'lock-0123456789abcdef')
  const lock = join(short.path, 'lock')
  const token = randomBytes(8).toString('hex')
  const mine = join(short.path, `lock-${token}`)

  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`${token} ${process.pid}\n`)
  })
  await new Promise<void>((resolved, rejected) => {
    server.once('error', rejected)
    server.listen(mine, resolved)
  })
  const release = async () => {
    if ((await readHolder(lock))?.startsWith(token)) unlinkSync(lock)
    await new Promise((closed) => server.close(closed))
    short.remove()
  }

  try {
    await place(mine, lock, folder)
    const answer = await readHolder(lock)
    if (!answer?.startsWith(token)) throw folderTaken(folder, answer)
    await removeStale(short.path, mine)
  } catch (error) {
    await release()
    throw error
  }
  server.unref()
  return { release }
}

/** Throws `FolderTaken` when a live process holds the folder; does not take the lock. */
export async function refuseHeld(folder: string): Promise<void> {
  const answer = await holderOf(folder)
  if (answer !== undefined) throw folderTaken(folder, answer)
}

/** Whether a live process holds the folder; does not take the lock. */
export const isHeld = async (folder: string): Promise<boolean> => (await holderOf(folder)) !== undefined

/** Also undefined for a folder that this process may not enter: opening it fails with the reason. */
async function holderOf(folder: string): Promise<string | undefined> {
  try {
    accessSync(folder, constants.X_OK)
  } catch {
    return undefined
  }
  const short = shortPath(resolve(folder), 'lock-0123456789abcdef')
  try {
    return await readHolder(join(short.path, 'lock'))
  } finally {
    short.remove()
  }
}

async function place(mine: string, lock: string, folder: string): Promise<void> {
  try {
    linkSync(mine, lock)
    return
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
  const stale = inode(lock)
  const holder = await readHolder(lock)
  if (holder !== undefined || inode(lock) !== stale) throw folderTaken(folder, holder)
  renameSync(mine, lock)
  await new Promise((resolved) => setTimeout(resolved, SETTLE_MS))
}

/** Removes the sockets of killed processes. */
async function removeStale(folder: string, mine: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('lock-') && path !== mine && (await readHolder(path)) === undefined)
      rmSync(path, { force: true })
  }
}

const folderTaken = (folder: string, holder: string | undefined): FolderTaken =>
  new FolderTaken(folder, holder?.split(' ')[1]?.trim())

/** The token and process id of the holder; undefined for a stale lock. A holder that hangs counts as alive. */
function readHolder(lock: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(lock)
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy()
      resolve(text)
    })
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
    })
    socket.on('error', (error) =>
      resolve(['ECONNREFUSED', 'ENOENT', 'ENOTDIR'].some((code) => isErrno(error, code)) ? undefined : text),
    )
    socket.on('close', () => resolve(text))
  })
}

function inode(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch {
    return undefined
  }
}
