/** A full disk: recognized in errors, and measured. */
import { statfsSync } from 'node:fs'

/** A new database takes 45 MB, its log grows by files of 16 MB; with less than this a start or a burst fails soon. */
export const NEEDED_BYTES = 100_000_000
/** One file of the log does not fit. */
const NEARLY_FULL_BYTES = 16_777_216

/** The disk is full: a write failed. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull'
  readonly hint: string

  constructor(message: string, hint: string, options: { cause: unknown }) {
    super(message, options)
    this.hint = hint
  }
}

/** SQLSTATE of PostgreSQL, codes of the system, and messages of programs without a code. */
const CODES = new Set(['53100', 'ENOSPC', 'EDQUOT'])
const MESSAGES = /no space left on device|disk quota exceeded|could not extend file/i
/** Causes of an error do not nest deeper. */
const CAUSES_MAX = 8

export function isDiskFull(error: unknown): boolean {
  let next = error
  for (let depth = 0; depth < CAUSES_MAX && next instanceof Error; depth += 1) {
    if ('code' in next && CODES.has(String(next.code))) return true
    if (MESSAGES.test(next.message)) return true
    next = next.cause
  }
  return false
}

/** Undefined where it cannot be read. */
export function freeBytes(folder: string): number | undefined {
  const { free } = freeIn(folder)
  return Number.isFinite(free) ? free : undefined
}

/** False where the free space cannot be read. */
export function isNearlyFull(folder: string): boolean {
  const { free, files } = freeIn(folder)
  return free < NEARLY_FULL_BYTES || files === 0
}

/** `the disk of /data is full: 1.2 MB are free, about 100 MB are needed`. */
export function describeDisk(folder: string): string {
  const { free, files } = freeIn(folder)
  if (files === 0) return `the disk of ${folder} is full: it has room for no further file (inodes)`
  return `the disk of ${folder} is full: ${megabytes(free)} MB are free, about ${megabytes(NEEDED_BYTES)} MB are needed`
}

/** For the operator of a server or a command; `folder` is undefined for a remote database. */
export function diskFullError(cause: unknown, folder: string | undefined): DiskFull {
  if (folder === undefined)
    return new DiskFull(
      'The disk of the PostgreSQL server is full',
      `Free about ${megabytes(NEEDED_BYTES)} MB there. Nothing that was accepted is lost.`,
      { cause },
    )
  const description = describeDisk(folder)
  return new DiskFull(
    `T${description.slice(1)}`,
    'Make room, or name a folder on another disk with POSTRIDER_DATA_DIR. Nothing that was accepted is lost.',
    { cause },
  )
}

const megabytes = (bytes: number) => (bytes < 10_000_000 ? (bytes / 1e6).toFixed(1) : String(Math.round(bytes / 1e6)))

/** The space available to an unprivileged user. A file system without a file count cannot run out of files. */
function freeIn(folder: string): { free: number; files: number | undefined } {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder)
    return { free: bavail * bsize, files: files > 0 ? ffree : undefined }
  } catch {
    return { free: Number.POSITIVE_INFINITY, files: undefined }
  }
}
