/** The engine on a PostgreSQL server: a pool for statements, one connection of its own for LISTEN. */
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
import { retryOnConflict } from './retry-on-deadlock.ts'
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
// Longer than any statement of ours needs that a caller waits for; it bounds what a stuck server can hold.
const QUERY_TIMEOUT_MS = 30 * SECOND
const RECONNECT_MAX_MS = 30 * SECOND

const INT8 = 20
const types: pg.CustomTypesConfig = {
  // Epoch milliseconds and counts stay below 2^53.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === INT8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

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
    // The promise behind every 2xx; a server or role that defaults to `off` must not weaken it.
    onConnect: async (client) => {
      await client.query('set synchronous_commit = on')
    },
  })
  let closed: Promise<void> | undefined
  // The driver hangs its whole state on the error: the message is what helps.
  pool.on('error', ({ message }) => {
    if (!closed)
      log.debug({ event: 'database.connection_lost', reason: message }, 'an idle database connection was lost')
  })

  const listener = createListener(address, log)

  return {
    kind,
    address,
    tokens: lockedTokens,
    run: <Row>(statement: Statement) =>
      retryOnConflict(async () => {
        try {
          return (await ask(pool, statement)) as Result<Row>
        } catch (error) {
          throw databaseError(error)
        }
      }),
    batch: (statements, { timeoutMs } = {}) => retryOnConflict(() => runBatch(pool, statements, timeoutMs)),
    listen: listener.listen,
    notify: async (channel, payload) => {
      // Who tells is told at once; the other nodes when the server gets to it.
      listener.tell(channel, payload)
      // What it hints at is written already: a hint that gets lost is no failure of that.
      await ask(pool, { text: 'select pg_notify($1, $2)', values: [channel, payload], name: 'notify' }).catch(
        (error: unknown) => log.debug({ err: error, channel }, 'a hint was lost'),
      )
    },
    close: () => {
      closed ??= listener.close().then(() => pool.end())
      return closed
    },
  }
}

/** Without `timeoutMs` the bound of the pool holds. */
async function ask(
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

async function runBatch(pool: pg.Pool, statements: readonly Statement[], timeoutMs?: number): Promise<Result[]> {
  const client = await pool.connect().catch((error: unknown) => {
    throw databaseError(error)
  })
  let broken: Error | undefined
  // A connection that breaks between two statements says so to nobody else, and unheard it would end the process.
  const breaks = (error: Error) => {
    broken = error
  }
  client.on('error', breaks)
  try {
    const [first, ...rest] = statements
    // A script at the beginning shares the round trip of `begin`.
    const script = first && !first.values
    await ask(client, { text: script ? `begin; ${first.text}` : 'begin' }, timeoutMs)
    const results: Result[] = script ? [{ rows: [], affected: 0 }] : []
    for (const statement of script ? rest : statements) {
      const result = await ask(client, statement, timeoutMs)
      checkExpectedRows(statement, result, results.length)
      results.push(result)
    }
    await client.query('commit')
    return results
  } catch (error) {
    // A connection that timed out or broke would keep the rollback waiting just as long.
    if (error instanceof pg.DatabaseError || error instanceof ConflictError)
      await client.query('rollback').catch((failure: Error) => {
        broken = failure
      })
    else broken = error instanceof Error ? error : new Error(String(error))
    throw databaseError(error)
  } finally {
    client.off('error', breaks)
    // A connection that could not roll back is not given to the next caller.
    client.release(broken)
  }
}

/** Keeps one connection for notifications; reconnects with growing pauses, because hints may be lost but not for ever. */
function createListener(address: ServerAddress, log: Log) {
  const callbacks = new Map<string, (payload: string) => void>()
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
      client = next
      pauseMs = 100
    } catch (error) {
      await next.end().catch(() => undefined)
      throw notHeard(error)
    }
  }

  const reconnectLater = () => {
    timer = setTimeout(() => {
      connect().catch((error: unknown) => {
        log.debug({ err: error }, 'still no connection for notifications; polling goes on')
        reconnectLater()
      })
    }, pauseMs)
    timer.unref()
    pauseMs = Math.min(pauseMs * 2, RECONNECT_MAX_MS)
  }

  return {
    tell: (channel: string, payload: string) => callbacks.get(channel)?.(payload),
    async listen(channel: string, heard: (payload: string) => void): Promise<void> {
      callbacks.set(channel, heard)
      if (!client) return connect()
      await client.query(`listen ${pg.escapeIdentifier(channel)}`).catch((error: unknown) => {
        throw notHeard(error)
      })
    },
    async close(): Promise<void> {
      closed = true
      clearTimeout(timer)
      await client?.end()
    },
  }
}

const notHeard = (cause: unknown) => new DatabaseUnavailable('The connection for notifications failed', { cause })
