/** The single row with the id of the database's secret key, its rotation, and the encrypted values of all tables. */

import { encryptedPrefix } from '../../../base/secret.ts'
import { HOUR } from '../../../base/time/duration.ts'
import type { EncryptedTable } from '../../encrypted-tables.ts'
import { DatabaseRefused, type Engine, type Statement, UNDEFINED_TABLE } from '../../engine.ts'
import { guardPlan, rowsOf } from '../../query.ts'
import { TOKEN_MARK } from '../../token-cipher.ts'

export interface SecretKeyRow {
  /** The id of the key; see `SecretKey.id`. */
  id: string
  /** The id of the new key, during a rotation. */
  nextId: string | null
  /** Encrypted; see `retainedKeys`. The column `lasting`. */
  retainedKeys: string | null
}

/** Undefined before the first start, and with an older schema. */
export async function readSecretKey(engine: Engine): Promise<SecretKeyRow | undefined> {
  const text = 'select id, next_id as "nextId", lasting as "retainedKeys" from secret_keys'
  try {
    return (await engine.run<SecretKeyRow>({ text, values: [] })).rows[0]
  } catch (error) {
    if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
    throw error
  }
}

/** The row of a faster node is not changed. */
export async function insertSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: 'insert into secret_keys (the_only, id) values (true, $1) on conflict do nothing',
    values: [id],
  })
}

/** Replaces the row unconditionally: its key is lost. */
export async function replaceSecretKey(engine: Engine, id: string): Promise<void> {
  await engine.run({
    text: `insert into secret_keys (the_only, id) values (true, $1)
      on conflict (the_only) do update set id = excluded.id, next_id = null, lasting = null`,
    values: [id],
  })
}

/** Afterwards no server starts. Conflicts when another rotation is in progress. */
export const rotationStart = (id: string, nextId: string): Statement => ({
  text: 'update secret_keys set next_id = $2 where id = $1 and next_id is null',
  values: [id, nextId],
  expectRows: true,
})

export async function abandonRotation(engine: Engine, id: string, nextId: string): Promise<void> {
  await engine.run({
    text: 'update secret_keys set next_id = null where id = $1 and next_id = $2',
    values: [id, nextId],
  })
}

/** All values are encrypted with the next key, which becomes the key of the database. */
export const rotationEnd = (id: string, nextId: string, retainedKeys: string): Statement => ({
  text: 'update secret_keys set id = $2, next_id = null, lasting = $3 where id = $1 and next_id = $2',
  values: [id, nextId, retainedKeys],
  expectRows: true,
})

type Texts = Readonly<Record<string, string | null>>

export interface EncryptedRow {
  /** The primary key, to which the values are bound. */
  key: Record<string, unknown>
  /** By column. */
  texts: Texts
}

/** A scan may read all messages to find the last one with a value. */
const READING = { timeoutMs: HOUR }

const textsOf = ({ columns, type }: EncryptedTable, prefix = '') =>
  columns.map((name) => (type === 'text' ? `${prefix}${name}` : `${prefix}${name}::text`))

/** The text of a row may have megabytes: the row that exceeds the bytes is the last one. */
export interface StepMax {
  rows: number
  bytes: number
}

/** The next rows with a value of the key, in the order of the primary key, after the row `after`. */
export async function rowsEncryptedWith(
  engine: Engine,
  at: EncryptedTable,
  keyId: string,
  after: EncryptedRow | undefined,
  max: StepMax,
): Promise<EncryptedRow[]> {
  const key = at.key.join(', ')
  const behind = after ? `and (${key}) > (${at.key.map((_, n) => `$${n + 4}`).join(', ')})` : ''
  const texts = textsOf(at)
  const named = at.columns.map((name, n) => `'${name}', ${texts[n]}`)
  const columns = [...new Set(['workspace_id', ...at.key])].join(', ')
  const bytes = texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(' + ')
  const select: Statement = {
    text: `select ${columns}, json_build_object(${named.join(', ')}) as texts from (
        select *, sum(${bytes}) over (order by ${key} rows between unbounded preceding and 1 preceding) as bytes_before
        from (select ${columns}, ${at.columns.join(', ')} from ${at.table}
          where (${texts.map((text) => `strpos(${text}, $1) > 0`).join(' or ')}) ${behind}
          order by ${key} limit $2) next) sized
      where coalesce(bytes_before, 0) < $3 order by ${key}`,
    values: [encryptedPrefix(keyId), max.rows, max.bytes, ...(after ? at.key.map((name) => after.key[name]) : [])],
  }
  const [result] = await engine.batch([select], READING)
  return rowsOf<Record<string, unknown> & { texts: Texts }>(result).map(({ texts: rowTexts, ...rest }) => ({
    key: rest,
    texts: rowTexts,
  }))
}

/** Replaces texts that have not changed since they were read. */
export async function replaceEncrypted(
  engine: Engine,
  at: EncryptedTable,
  rows: readonly (EncryptedRow & { replacements: Texts })[],
): Promise<void> {
  const set = at.columns.map((name) => `${name} = (r.d -> 'replacements' ->> '${name}')::${at.type}`)
  const texts = textsOf(at, 't.')
  const same = [
    ...at.key.map((name) => `t.${name} = (r.k).${name}`),
    ...at.columns.map((name, n) => `${texts[n]} is not distinct from r.d -> 'texts' ->> '${name}'`),
  ]
  const update: Statement = {
    text: `update ${at.table} t set ${set.join(', ')}
      from (select d, json_populate_record(null::${at.table}, d -> 'key') as k
        from json_array_elements($1::json) d) r
      where ${same.join(' and ')}`,
    values: [JSON.stringify(rows)],
  }
  await engine.batch([guardPlan, update], READING)
}

export interface Unreadable {
  content: string
  count: number
  /** The first few rows by their titles; empty where they have none. */
  titles: string[]
}

/** Enough for people to recognize the rows. */
const TITLES_MAX = 20
const PREFIX = 'v1\\.[0-9a-f]{8}\\.'

/** Rows with a value of any other key. */
export async function unreadableRows(
  engine: Engine,
  at: EncryptedTable,
  keyId: string | undefined,
): Promise<Unreadable> {
  const mark = at.holds === 'tokens' ? TOKEN_MARK : 'v1.'
  const prefix = keyId === undefined ? '^$' : encryptedPrefix(keyId).replaceAll('.', '\\.')
  // The key's own prefix is removed first: remaining prefixes belong to other keys.
  const conditions = textsOf(at).map(
    (text) => `(strpos(${text}, '${mark}') > 0 and regexp_replace(${text}, $1, '', 'g') ~ '${PREFIX}')`,
  )
  const fromUnreadable = `from ${at.table} where ${conditions.join(' or ')}`
  const count: Statement = { text: `select count(*)::int as count ${fromUnreadable}`, values: [prefix] }
  const titles: Statement[] =
    at.title === undefined
      ? []
      : [
          {
            text: `select ${at.title} as title ${fromUnreadable} order by ${at.key.join(', ')} limit ${TITLES_MAX}`,
            values: [prefix],
          },
        ]
  const [counted, titled] = await engine.batch([count, ...titles], READING)
  return {
    content: at.content,
    count: rowsOf<{ count: number }>(counted)[0]?.count ?? 0,
    titles: rowsOf<{ title: string }>(titled).map(({ title }) => title),
  }
}
