/** Encrypted values of any column of the list: found by the key they were encrypted with, and written anew. */
import { HOUR } from '../../base/duration.ts'
import { encryptedPrefix } from '../../base/secret.ts'
import type { EncryptedColumn } from '../encrypted-columns.ts'
import type { Engine, Statement } from '../engine.ts'
import { rowsOf } from '../query.ts'
import { TOKEN_MARK } from '../token-cipher.ts'
import { guardPlan } from './live-messages.ts'

export interface EncryptedRow {
  /** What the value is bound to, and where the row is found again. */
  columns: Record<string, unknown>
  value: string
}

/** All messages may have to be read to find the last one with a value. */
const READING = { timeoutMs: HOUR }

const textOf = ({ column, type }: EncryptedColumn, prefix = '') =>
  type === 'text' ? `${prefix}${column}` : `${prefix}${column}::text`

/** The text of a row may have megabytes: the row that goes beyond the bytes is the last one. */
export interface StepMax {
  rows: number
  bytes: number
}

/** The next rows that hold a value of the key, in the order of the primary key, behind the row `after`. */
export async function rowsEncryptedWith(
  engine: Engine,
  at: EncryptedColumn,
  keyId: string,
  after: EncryptedRow | undefined,
  max: StepMax,
): Promise<EncryptedRow[]> {
  const key = at.key.join(', ')
  const behind = after ? `and (${key}) > (${at.key.map((_, n) => `$${n + 4}`).join(', ')})` : ''
  const columns = [...new Set(['workspace_id', ...at.key])].join(', ')
  const select: Statement = {
    text: `select ${columns}, ${textOf(at)} as encrypted_value from (
        select *, sum(octet_length(${textOf(at)}))
          over (order by ${key} rows between unbounded preceding and 1 preceding) as bytes_before
        from (select ${columns}, ${at.column} from ${at.table}
          where strpos(${textOf(at)}, $1) > 0 ${behind} order by ${key} limit $2) next) sized
      where coalesce(bytes_before, 0) < $3 order by ${key}`,
    values: [encryptedPrefix(keyId), max.rows, max.bytes, ...(after ? at.key.map((name) => after.columns[name]) : [])],
  }
  const [result] = await engine.batch([select], READING)
  return rowsOf<Record<string, unknown>>(result).map(({ encrypted_value, ...rest }) => ({
    columns: rest,
    value: String(encrypted_value),
  }))
}

/** Writes the new texts where the old ones still stand. */
export async function replaceEncrypted(
  engine: Engine,
  at: EncryptedColumn,
  rows: readonly (EncryptedRow & { replacement: string })[],
): Promise<void> {
  const same = at.key.map((name) => `t.${name} = (r.k).${name}`)
  const update: Statement = {
    text: `update ${at.table} t set ${at.column} = (r.d ->> 'replacement')::${at.type}
      from (select d, json_populate_record(null::${at.table}, d -> 'columns') as k
        from json_array_elements($1::json) d) r
      where ${same.join(' and ')} and ${textOf(at, 't.')} = r.d ->> 'value'`,
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

/** Enough for people to recognize what they have; the count says how many more there are. */
const TITLES_MAX = 20
const PREFIX = 'v1\\.[0-9a-f]{8}\\.'

/** Rows with a value of any key but this one. */
export async function unreadableRows(
  engine: Engine,
  at: EncryptedColumn,
  keyId: string | undefined,
): Promise<Unreadable> {
  const text = textOf(at)
  const mark = at.holds === 'tokens' ? TOKEN_MARK : 'v1.'
  const own = keyId === undefined ? '^$' : encryptedPrefix(keyId).replaceAll('.', '\\.')
  // The own prefix is taken out first: what is left of that form belongs to other keys.
  const found = `from ${at.table} where strpos(${text}, '${mark}') > 0
    and regexp_replace(${text}, $1, '', 'g') ~ '${PREFIX}'`
  const count: Statement = { text: `select count(*)::int as count ${found}`, values: [own] }
  const titles: Statement[] =
    at.title === undefined
      ? []
      : [
          {
            text: `select ${at.title} as title ${found} order by ${at.key.join(', ')} limit ${TITLES_MAX}`,
            values: [own],
          },
        ]
  const [counted, titled] = await engine.batch([count, ...titles], READING)
  return {
    content: at.content,
    count: rowsOf<{ count: number }>(counted)[0]?.count ?? 0,
    titles: rowsOf<{ title: string }>(titled).map(({ title }) => title),
  }
}
