/** What keeps the local database from starting, said so that an operator can act on it. */

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
