/** Searches every column of every table in the database of a stopped service for strings. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@postrider/server/internal/base/log'
import { secretKey } from '@postrider/server/internal/base/secret'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openLocal } from '@postrider/server/internal/database/local/local'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { openReply } from '@postrider/server/internal/database/tables/workspace/idempotency-keys'

export interface Found {
  /** Every table, in order. */
  tables: string[]
  /** Rows of tables that hold one of the texts: `table: row`. */
  rows: string[]
}

/** `env` is what the service was started with. */
export async function searchDatabase(env: Record<string, string>, texts: readonly string[]): Promise<Found> {
  const log = createLog('silent')
  const { POSTRIDER_DATA_DIR: folder = '', POSTRIDER_DATABASE_URL: url } = env
  const engine = url
    ? await openPostgres({ address: { connectionString: url }, kind: 'server', log })
    : await openLocal({ folder, log })
  const secret = env.POSTRIDER_SECRET_KEY ?? readFileSync(join(folder, 'secret.key'), 'utf8').trim()
  try {
    return await search(engine, texts, Buffer.from(secret, 'base64'))
  } finally {
    await engine.close()
  }
}

async function search(engine: Engine, texts: readonly string[], secret: Buffer): Promise<Found> {
  const { rows: named } = await engine.run<{ name: string }>({
    text: `select table_name as name from information_schema.tables t
      where table_schema = 'public' and table_type = 'BASE TABLE'
        and not (select relispartition from pg_class c where c.oid = t.table_name::regclass)
      order by table_name collate "C"`,
    values: [],
  })
  const tables = named.map(({ name }) => name)
  const results: string[] = []
  for (const table of tables) {
    const { rows } = await engine.run<{ row: string }>({
      // A row as text shows every column of it, whatever its type.
      text: `select t::text as row from ${table} t
        where exists (select 1 from json_array_elements_text($1::json) as w(text) where position(w.text in t::text) > 0)`,
      values: [JSON.stringify(texts)],
    })
    results.push(...rows.map(({ row }) => `${table}: ${row}`))
  }
  return { tables, rows: [...results, ...(await inReplies(engine, texts, secret))] }
}

/** Stored replies are encrypted. */
async function inReplies(engine: Engine, texts: readonly string[], secret: Buffer): Promise<string[]> {
  const { rows } = await engine.run<{ workspace_id: number; route: string; key: string; reply: string }>({
    text: 'select workspace_id, route, key, reply from idempotency_keys',
    values: [],
  })
  return rows
    .map((row) => openReply(secretKey(secret), row.workspace_id, row) ?? 'unreadable')
    .filter((reply) => reply === 'unreadable' || texts.some((text) => reply.includes(text)))
    .map((reply) => `idempotency_keys: ${reply}`)
}
