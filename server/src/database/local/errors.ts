/** Errors of the local database: those that keep it from starting, with hints for operators, and those of the system by their code. */
import { OPEN_FILES_HINT } from '../../base/open-files.ts'

/** The data folder cannot be used. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable'
}

/** PostgreSQL was not found or does not run; `hint` says what to do. */
export class LocalServerError extends Error {
  override readonly name = 'LocalServerError'
  readonly hint: string | undefined

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.hint = options.hint
  }
}

/** Hints for operators by the last output of a PostgreSQL program. */
const HINTS: readonly [pattern: RegExp, hint: (dataDir: string) => string][] = [
  [
    /No space left on device/,
    (dataDir) => `Free about 100 MB on the disk of ${dataDir}. Nothing that was accepted is lost.`,
  ],
  [/insufficient file descriptors|too many open files/i, () => OPEN_FILES_HINT],
  [
    /could not look up effective user ID/,
    () =>
      'PostgreSQL requires a user with a name: add this user id to /etc/passwd, start as another user, or use POSTRIDER_DATABASE_URL.',
  ],
  [
    /setpriv/,
    () =>
      'PostgreSQL does not run as root, and its own user cannot enter this folder: install setpriv (util-linux), give the folder to another user (chown), or start as one.',
  ],
]

export const hintFor = (output: string, dataDir: string): string | undefined =>
  HINTS.find(([pattern]) => pattern.test(output))?.[1](dataDir)

/** Such as ENOENT. */
export function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code
}
