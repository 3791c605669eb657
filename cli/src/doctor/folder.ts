/** The data folder: it can be written, and there is room. */
import { constants, existsSync, statSync } from 'node:fs'
import { access, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { bytes } from '../plain.ts'
import { type Check, check } from './check.ts'

// PostgreSQL stops when a disk is full; a log segment alone has 16 MB.
const FREE_WARN = 1_000_000_000
const FREE_FAIL = 100_000_000

export async function lookAtFolder(folder: string): Promise<Check[]> {
  const existing = nearest(folder)
  const name = 'data folder'
  if (!statSync(existing).isDirectory())
    return [check(name, 'fail', `${existing} is not a folder`, 'Set POSTRIDER_DATA_DIR to another folder.')]
  try {
    await access(existing, constants.W_OK | constants.X_OK)
  } catch {
    return [check(name, 'fail', `${existing} is not writable`, 'Make it writable for the user that runs the server.')]
  }
  const writable = check(name, 'ok', existing === folder ? folder : `${folder} will be created`)
  return [writable, room(await freeBytes(existing))]
}

/** The bytes that an ordinary user may still write. */
async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}

export function room(free: number): Check {
  const state = free < FREE_FAIL ? 'fail' : free < FREE_WARN ? 'warn' : 'ok'
  const needed = state === 'fail' ? `; about ${bytes(FREE_FAIL)} are needed` : ''
  const hint = state === 'ok' ? undefined : 'Free space, or move the data folder (POSTRIDER_DATA_DIR) to another disk.'
  return check('free space', state, `${bytes(free)}${needed}`, hint)
}

const nearest = (folder: string): string => (existsSync(folder) ? folder : nearest(dirname(folder)))
