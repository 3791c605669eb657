/** A file that appears whole or not at all: written beside its place, flushed, checked, renamed. */
import { existsSync, statSync } from 'node:fs'
import { link, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { exitCodes, Failure } from './failure.ts'

export interface WholeFileOptions {
  overwrite: boolean
  wrote(bytes: number): void
  /** Sees the finished file before it gets its name; what it throws takes the file away. */
  check(path: string): Promise<void>
}

/** Only the owner may read it. */
const MODE = 0o600

export function refuseExisting(path: string, force: boolean): void {
  if (existsSync(path) && statSync(path).isDirectory())
    throw new Failure(`${path} is a folder`, { hint: 'Give a file in it.', exitCode: exitCodes.wrong })
  if (existsSync(path) && !force)
    throw new Failure(`${path} exists already`, { hint: 'To replace it, use --force.', exitCode: exitCodes.wrong })
}

/** Gives the number of bytes written. */
export async function writeWhole(
  target: string,
  chunks: AsyncIterable<Uint8Array>,
  { overwrite, wrote, check }: WholeFileOptions,
): Promise<number> {
  const path = resolve(target)
  await removeAbandoned(path)
  const part = join(dirname(path), `.${basename(path)}.${process.pid}.part`)
  const file = await open(part, 'wx', MODE)
  let bytes = 0
  try {
    try {
      for await (const chunk of chunks) {
        await file.writeFile(chunk)
        bytes += chunk.length
        wrote(bytes)
      }
      await file.sync()
    } finally {
      await file.close()
    }
    await check(part)
    if (overwrite) await rename(part, path)
    else await place(part, path)
  } finally {
    await rm(part, { force: true })
  }
  await flushFolder(dirname(path))
  return bytes
}

/** Removes the partial files of a killed process. */
async function removeAbandoned(path: string): Promise<void> {
  const start = `.${basename(path)}.`
  for (const name of await readdir(dirname(path))) {
    const [, pid] = name.startsWith(start) ? (/^(\d+)\.part/.exec(name.slice(start.length)) ?? []) : []
    if (pid && (Number(pid) === process.pid || !isRunning(Number(pid))))
      await rm(join(dirname(path), name), { recursive: true, force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** A link fails where a rename would replace a file that another process wrote meanwhile. */
async function place(part: string, path: string): Promise<void> {
  try {
    await link(part, path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') refuseExisting(path, false)
    // A file system without links.
    refuseExisting(path, false)
    await rename(part, path)
  }
}

async function flushFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
