/** The engine on a PostgreSQL server: a pool for statements, one connection of its own for LISTEN. */
import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../base/log.ts'
import { SECOND } from '../base/time/duration.ts'
import {
  ConflictError,
  checkExpectedRows,
  DatabaseUnavailable,
  databaseError,
  type Engine,
  type Result,
  type ServerAddress,
  type Statement,
} from './engine.ts'
import { lockedTokens } from './token-cipher.ts'

export interface PostgresOptions {
  address: ServerAddress
  kind: Engine['kind']
  /** Connections of this node; a worker on two cores gains nothing beyond ten. */
  connectionsMax?: number
  /** Bounds every statement but those of a migration. */
  queryTimeoutMs?: number
  log: Log
}

const CONNECT_TIMEOUT_MS = 5 * SECOND
// Longer than any statement that a caller waits for; it bounds the connections that a stuck server can hold.
const QUERY_TIMEOUT_MS = 30 * SECOND
const RECONNECT_MAX_MS = 30 * SECOND

const INT8 = 20
const types: pg.CustomTypesConfig = {
  // Epoch milliseconds and counts stay below 2^53.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/**
 * Every 2xx depends on the commit; the default of a server or role must not weaken it. Guarded plans cost more by the
 * estimate than compiling them pays for: a server with JIT compiled the look for due work for 280 ms, every second.
 */
const SESSION = 'set synchronous_commit = on; set jit = off'

/**
 * The driver only stops to wait: the server ends a statement itself, or one that waits for a lock would keep its connection
 * as long as the lock is there, and the locks of its batch. A little later, so that the driver says why; for the transaction
 * only, because a pooler gives the session to others.
 */
const beginWithin = (timeoutMs: number) => `begin; set local statement_timeout = ${timeoutMs + STATEMENT_GRACE_MS}`
const STATEMENT_GRACE_MS = 250

export async function openPostgres({
  address,
  kind,
  connectionsMax = 10,
  queryTimeoutMs = QUERY_TIMEOUT_MS,
  log,
}: PostgresOptions): Promise<Engine> {
  const pool = new pg.Pool({
    ...address,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: queryTimeoutMs,
    application_name: 'postrider',
    keepAlive: true,
    types,
    onConnect: async (client) => {
      await client.query(SESSION)
    },
  })
  let closed: Promise<void> | undefined
  // The driver attaches its whole state to the error: only the message is useful.
  pool.on('error', ({ message }) => {
    if (!closed)
      log.debug({ event: 'database.connection_lost', reason: message }, 'an idle database connection was lost')
  })

  const listener = createListener(address, log)

  return {
    node: randomBytes(6).toString('base64url'),
    kind,
    address,
    tokens: lockedTokens,
    connections: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    run: <Row>(statement: Statement) =>
      retryOnConflict(async () => {
        try {
          return (await runStatement(pool, statement)) as Result<Row>
        } catch (error) {
          throw databaseError(error)
        }
      }),
    batch: (statements, { timeoutMs } = {}) =>
      retryOnConflict(() => runBatch(pool, statements, timeoutMs ?? queryTimeoutMs)),
    listen: listener.listen,
    holdLock: listener.holdLock,
    notify: async (channel, payload) => {
      // This process at once; other nodes through the server.
      listener.dispatch(channel, payload)
      const statement = { text: 'select pg_notify($1, $2)', values: [channel, payload], name: 'notify' }
      // The change itself is committed already: a lost notification is no failure of it.
      await runStatement(pool, statement).catch((error: unknown) =>
        log.debug({ event: 'notification.lost', err: error, channel }, 'wake-up notification lost'),
      )
    },
    close: () => {
      closed ??= listener.close().then(() => pool.end())
      return closed
    },
  }
}

const DEADLOCK = '40P01'
const SERIALIZATION_FAILURE = '40001'

/**
 * A deadlock takes the server a second to detect: more repeats would keep a caller waiting. A serialization failure is
 * reported at once, and often several times in a row: while a batch waits for a lock, others of its rows are moved to
 * another partition by an erasure, a released dead letter, or a node of an earlier version.
 */
const REPEATS_MAX: Record<string, number> = { [DEADLOCK]: 3, [SERIALIZATION_FAILURE]: 20 }
/** Random, so that concurrent transactions do not conflict again. */
const REPEAT_PAUSE_MAX_MS = 50

/** Repeats `work` when the server rolled it back for another transaction; `work` is stored as a whole or not at all. */
async function retryOnConflict<Done>(work: () => Promise<Done>): Promise<Done> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work()
    } catch (error) {
      if (repeats >= repeatsMax(error)) throw error
    }
    await pause(Math.random() * REPEAT_PAUSE_MAX_MS)
  }
}

function repeatsMax(error: unknown): number {
  const cause = error instanceof DatabaseUnavailable ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return REPEATS_MAX[code] ?? 0
}

/** Without `timeoutMs` the timeout of the pool applies. */
async function runStatement(
  client: pg.Pool | pg.PoolClient,
  { text, values, name }: Statement,
  timeoutMs?: number,
): Promise<Result> {
  const query: pg.QueryConfig & { query_timeout?: number } = { text }
  if (values) query.values = values as unknown[]
  if (name) query.name = name
  if (timeoutMs !== undefined) query.query_timeout = timeoutMs
  const result: pg.QueryResult | pg.QueryResult[] = await client.query(query)
  return Array.isArray(result) ? { rows: [], affected: 0 } : { rows: result.rows, affected: result.rowCount ?? 0 }
}

/**
 * Without a listener, an error of the connection between two statements would end the process. It is added at once: the
 * packet that made the connection free may also say that the server ends.
 */
const connected = (pool: pg.Pool, onError: (error: Error) => void): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    pool.connect((error, client) => {
      client?.on('error', onError)
      if (client) resolve(client)
      else reject(databaseError(error))
    })
  })

async function runBatch(pool: pg.Pool, statements: readonly Statement[], timeoutMs: number): Promise<Result[]> {
  let broken: Error | undefined
  const onError = (error: Error) => {
    broken = error
  }
  const client = await connected(pool, onError)
  try {
    const [first, ...rest] = statements
    const begin = beginWithin(timeoutMs)
    // A script at the beginning shares the round trip of `begin`.
    const script = first && !first.values
    await runStatement(client, { text: script ? `${begin}; ${first.text}` : begin }, timeoutMs)
    const results: Result[] = script ? [{ rows: [], affected: 0 }] : []
    for (const statement of script ? rest : statements) {
      const result = await runStatement(client, statement, timeoutMs)
      checkExpectedRows(statement, result, results.length)
      results.push(result)
    }
    await client.query('commit')
    return results
  } catch (error) {
    // On a connection that timed out or broke, the rollback would wait just as long.
    if (error instanceof pg.DatabaseError || error instanceof ConflictError)
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    else broken = error instanceof Error ? error : new Error(String(error))
    throw databaseError(error)
  } finally {
    client.off('error', onError)
    // A connection that could not roll back is not reused.
    client.release(broken)
  }
}

/** Held until the connection ends, also when its process is killed. */
const LOCK = 'select pg_try_advisory_lock($1, $2)'

/** Keeps one connection for notifications, and reconnects with exponential backoff: losses must be temporary. */
function createListener(address: ServerAddress, log: Log) {
  const callbacks = new Map<string, (payload: string) => void>()
  const locks: (readonly [number, number])[] = []
  let client: pg.Client | undefined
  let closed = false
  let pauseMs = 100
  let timer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    const next = new pg.Client({
      ...address,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      application_name: 'postrider',
      keepAlive: true,
    })
    next.on('notification', ({ channel, payload }) => callbacks.get(channel)?.(payload ?? ''))
    next.on('error', () => undefined)
    next.on('end', () => {
      if (closed || client !== next) return
      client = undefined
      reconnectLater()
    })
    try {
      await next.connect()
      for (const channel of callbacks.keys()) await next.query(`listen ${pg.escapeIdentifier(channel)}`)
      for (const lock of locks) await next.query(LOCK, [...lock])
      client = next
      pauseMs = 100
    } catch (error) {
      await next.end().catch(() => undefined)
      throw listenError(error)
    }
  }

  const reconnectLater = () => {
    timer = setTimeout(() => {
      connect().catch((error: unknown) => {
        log.debug({ event: 'database.not_listening', err: error }, 'no connection for notifications; polling continues')
        reconnectLater()
      })
    }, pauseMs)
    timer.unref()
    pauseMs = Math.min(pauseMs * 2, RECONNECT_MAX_MS)
  }

  return {
    dispatch: (channel: string, payload: string) => callbacks.get(channel)?.(payload),
    async listen(channel: string, onNotification: (payload: string) => void): Promise<void> {
      callbacks.set(channel, onNotification)
      if (!client) return connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((error: unknown) => {
        throw listenError(error)
      })
    },
    async holdLock(group: number, key: number): Promise<void> {
      locks.push([group, key])
      if (!client) return connect()
      await client.query(LOCK, [group, key]).catch((error: unknown) => {
        throw listenError(error)
      })
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}

const listenError = (cause: unknown) => new DatabaseUnavailable('The connection for notifications failed', { cause })
