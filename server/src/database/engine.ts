/** The only access to storage: statements in, rows out. One implementation for local and remote PostgreSQL servers. */
import type { ClientConfig } from 'pg'
import { isDiskFull } from './disk.ts'
import type { TokenCipher } from './token-cipher.ts'

export interface Statement {
  text: string
  /** Absent: the text is a script of several statements and gives no rows. */
  values?: readonly unknown[]
  /** Prepared once per connection under this name; for the hot path. */
  name?: string
  /** When it affects no row, its batch is rolled back and `ConflictError` is thrown. */
  expectRows?: boolean
}

export interface Result<Row = Record<string, unknown>> {
  rows: Row[]
  /** Rows inserted, updated or deleted. */
  affected: number
}

/** A deletion too large for one statement: repeated until it touches fewer rows than this. */
export interface Slice {
  statement: Statement
  rows: number
}

/** As the `pg` driver takes it: an address, or host (a folder for a socket), port, user and database. */
export type ServerAddress = Pick<ClientConfig, 'connectionString' | 'host' | 'port' | 'user' | 'password' | 'database'>

/** The channel of notifications that the configuration of a workspace changed. */
export const CONFIG_CHANNEL = 'catalogue'

export interface Engine {
  /** The name of this process among those on the database; its leases begin with it. */
  readonly node: string
  /** Encrypts and decrypts the secrets inside documents. */
  readonly tokens: TokenCipher
  /** `local`: the server belongs to this process, and its folder lock proves that no other process works on it. */
  readonly kind: 'local' | 'server'
  /** For a separate connection. */
  readonly address: ServerAddress
  /** The pool of this process; `waiting`: statements without a connection. */
  connections(): { open: number; idle: number; waiting: number }
  run<Row = Record<string, unknown>>(statement: Statement): Promise<Result<Row>>
  /** All or nothing, in order. There are no interactive transactions. `timeoutMs` bounds each statement; 30 s by default. */
  batch(statements: readonly Statement[], options?: { timeoutMs?: number }): Promise<Result[]>
  /** Absent for a remote server, which has its own backup tools. */
  readonly backup?: Backup
  /** Calls back for every NOTIFY on the channel, from any node. Notifications may be lost: polling is the truth. */
  listen(channel: string, onNotification: (payload: string) => void): Promise<void>
  notify(channel: string, payload: string): Promise<void>
  /** Holds an advisory lock on the connection for notifications: others see it as long as this process is connected. */
  holdLock(group: number, key: number): Promise<void>
  /** Idempotent. */
  close(): Promise<void>
}

export interface Backup {
  /** A gzipped tar of the cluster at a point in time. */
  copy(): AsyncIterable<Uint8Array>
  /** When the last copy started that was read to its end. */
  last(): Promise<number | undefined>
}

/** `transient`: only this statement was rolled back for another one or timed out; the database is available. */
export type Unavailability = 'unreachable' | 'disk_full' | 'read_only' | 'transient'
/** For reads. A function that writes takes an `Engine`, or gives its statements to be committed with others. */
export type Reader = Pick<Engine, 'tokens' | 'run' | 'batch'>

/** The database cannot be used now: calls are answered 503, workers try again. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable'
  readonly reason: Unavailability

  constructor(message: string, options: { cause?: unknown; reason?: Unavailability } = {}) {
    super(message, { cause: options.cause })
    this.reason = options.reason ?? 'unreachable'
  }
}

/** An outage is logged once: failures that it causes are logged at `debug`. */
export const failureLevel = (error: unknown): 'debug' | 'warn' =>
  error instanceof DatabaseUnavailable && error.reason !== 'transient' ? 'debug' : 'warn'

/** The database refused a statement. */
export class DatabaseRefused extends Error {
  override readonly name = 'DatabaseRefused'
  /** SQLSTATE. */
  readonly code: string

  constructor(message: string, code: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }

  /** The data are invalid (classes 22 and 23), not the statement or the server. */
  get isDataError(): boolean {
    return this.code.startsWith('22') || this.code.startsWith('23')
  }
}

/** A compare-and-set affected no row: another write came first, and nothing of the batch is stored. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError'
  /** Position in the batch, from 0. */
  readonly statementIndex: number

  constructor(statementIndex: number) {
    super(`Statement ${statementIndex} of the batch affected no row`)
    this.statementIndex = statementIndex
  }
}

/** Throws `ConflictError` when a statement with `expectRows` affected none. */
export function checkExpectedRows({ expectRows }: Statement, { affected }: Result, statementIndex: number): void {
  if (expectRows && affected === 0) throw new ConflictError(statementIndex)
}

export const UNIQUE_VIOLATION = '23505'
const FOREIGN_KEY_VIOLATION = '23503'
/** A unique key is taken. */
export const isDuplicate = (error: unknown): error is DatabaseRefused =>
  error instanceof DatabaseRefused && error.code === UNIQUE_VIOLATION

/** A row refers to a missing row, or a row to be deleted is still referred to. */
export const isBrokenReference = (error: unknown): error is DatabaseRefused =>
  error instanceof DatabaseRefused && error.code === FOREIGN_KEY_VIOLATION

export const LOCK_NOT_AVAILABLE = '55P03'
export const UNDEFINED_TABLE = '42P01'

/**
 * Connection lost or refused, the login refused, the database renamed, shutting down, starting up, too many connections,
 * disk full, read-only standby, too late, and rollbacks for another transaction (deadlock, serialization): the same
 * statement succeeds when repeated.
 */
const UNAVAILABLE_STATES = /^(08...|28...|3D000|40...|57014|57P0[1-5]|53...|25006|58...)$/
/** The connection ends with the error: no permission to connect, a database that takes no connections. */
const isFatal = (error: Error) => 'severity' in error && error.severity === 'FATAL'

/** PostgreSQL's codes all hold a digit, unlike system errors such as EPIPE. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/

/** Converts an error of the driver into one of the errors above. */
export function databaseError(thrown: unknown): DatabaseUnavailable | DatabaseRefused | ConflictError {
  if (thrown instanceof DatabaseUnavailable || thrown instanceof DatabaseRefused || thrown instanceof ConflictError)
    return thrown
  const error = thrown instanceof Error ? thrown : new Error(JSON.stringify(thrown))
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  if (SQLSTATE.test(code) && !UNAVAILABLE_STATES.test(code) && !isFatal(error))
    return new DatabaseRefused(error.message, code, { cause: error })
  return new DatabaseUnavailable(error.message, { cause: error, reason: reasonOf(error, code) })
}

const READ_ONLY = '25006'
/** A statement that exceeded its timeout: the server's code, and the message of the driver. */
const QUERY_CANCELED = '57014'
const STATEMENT_TIMEOUT = 'Query read timeout'

function reasonOf(error: Error, code: string): Unavailability {
  if (isDiskFull(error)) return 'disk_full'
  if (code === READ_ONLY) return 'read_only'
  const isLate = code === QUERY_CANCELED || error.message === STATEMENT_TIMEOUT
  return isLate || code.startsWith('40') ? 'transient' : 'unreachable'
}
