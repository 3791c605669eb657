/** What keeps the local database from starting, said so that an operator can act on it. */
import { OPEN_FILES_HINT } from '../../base/open-files.ts'

/** Nothing can be kept in this data folder. */
export class FolderUnusable extends Error {
  override readonly name = 'FolderUnusable'
}

/** PostgreSQL cannot be found or does not run; `hint` says what to do. */
export class LocalServerError extends Error {
  override readonly name = 'LocalServerError'
  readonly hint: string | undefined

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.hint = options.hint
  }
}

/** What an operator can do about what a program of PostgreSQL wrote before it ended. */
const HINTS: readonly [pattern: RegExp, hint: (dataDir: string) => string][] = [
  [
    /No space left on device/,
    (dataDir) => `Free about 100 MB on the disk of ${dataDir}. Nothing that was accepted is lost.`,
  ],
  [/insufficient file descriptors|too many open files/i, () => OPEN_FILES_HINT],
  [
    /could not look up effective user ID/,
    () =>
      'PostgreSQL wants a user with a name: add this user id to /etc/passwd, start as another user, or use POSTRIDER_DATABASE_URL.',
  ],
  [
    /setpriv/,
    () =>
      'PostgreSQL does not run as root, and its own user cannot enter this folder: install setpriv (util-linux), name another POSTRIDER_DATA_DIR, or start as another user.',
  ],
]

export const hintFor = (output: string, dataDir: string): string | undefined =>
  HINTS.find(([pattern]) => pattern.test(output))?.[1](dataDir)
