/** One process per data folder, proved by a listening socket: it holds between containers that share a volume too. */
import { randomBytes } from 'node:crypto'
import { accessSync, constants, linkSync, readdirSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { isErrno } from '../../base/errno.ts'
import { shortPath } from './short-path.ts'

export class FolderTaken extends Error {
  override readonly name = 'FolderTaken'
}

export interface FolderLock {
  release(): Promise<void>
}

const ANSWER_TIMEOUT_MS = 500
// Two processes that both found a stale lock see within this time who came last.
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
    if ((await ask(lock))?.startsWith(token)) unlinkSync(lock)
    await new Promise((closed) => server.close(closed))
    short.remove()
  }

  try {
    await place(mine, lock, folder)
    const answer = await ask(lock)
    if (!answer?.startsWith(token)) throw taken(folder, answer)
    await removeStale(short.path, mine)
  } catch (error) {
    await release()
    throw error
  }
  server.unref()
  return { release }
}

/** Throws `FolderTaken` when a live process holds the folder at this moment; nothing is taken. */
export async function refuseHeld(folder: string): Promise<void> {
  const answer = await holderOf(folder)
  if (answer !== undefined) throw taken(folder, answer)
}

/** Whether a live process holds the folder at this moment; nothing is taken. */
export const isHeld = async (folder: string): Promise<boolean> => (await holderOf(folder)) !== undefined

/** Undefined also for a folder that this process may not enter: opening it fails with the reason. */
async function holderOf(folder: string): Promise<string | undefined> {
  try {
    accessSync(folder, constants.X_OK)
  } catch {
    return undefined
  }
  const short = shortPath(resolve(folder), 'lock-0123456789abcdef')
  try {
    return await ask(join(short.path, 'lock'))
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
  const found = inode(lock)
  const answer = await ask(lock)
  if (answer !== undefined || inode(lock) !== found) throw taken(folder, answer)
  renameSync(mine, lock)
  await new Promise((resolved) => setTimeout(resolved, SETTLE_MS))
}

/** What killed processes left: one file each. */
async function removeStale(folder: string, mine: string): Promise<void> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.startsWith('lock-') && path !== mine && (await ask(path)) === undefined) rmSync(path, { force: true })
  }
}

function taken(folder: string, answer: string | undefined): FolderTaken {
  const pid = answer?.split(' ')[1]?.trim()
  return new FolderTaken(
    `The data folder ${folder} is in use by another Postrider${pid ? ` (process ${pid})` : ''}. Stop it first, or set POSTRIDER_DATA_DIR to another folder.`,
  )
}

/** What the holder answers; undefined when nobody listens (stale). A holder that hangs counts as alive. */
function ask(lock: string): Promise<string | undefined> {
  return new Promise((answered) => {
    let text = ''
    const socket = connect(lock)
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => {
      socket.destroy()
      answered(text)
    })
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
    })
    socket.on('error', (error) =>
      answered(['ECONNREFUSED', 'ENOENT', 'ENOTDIR'].some((code) => isErrno(error, code)) ? undefined : text),
    )
    socket.on('close', () => answered(text))
  })
}

function inode(path: string): number | undefined {
  try {
    return statSync(path).ino
  } catch {
    return undefined
  }
}
