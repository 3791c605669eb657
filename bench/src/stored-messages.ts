/** Finished messages by the million: copies of a few real ones, spread over weeks, in whatever schema the version has. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Place } from './databases.ts'
import type { Bench } from './measure.ts'
import { apiKey, events, type Product, setUp, startProduct } from './product.ts'
import { sendBody } from './sample.ts'
import type { StorageEngine } from './version.ts'

const DAY_MS = 86_400_000
/** Less than the default retention, so that nothing of it is dropped. */
const DAYS = 60
const ROWS_A_STATEMENT = 10_000
const RECIPIENTS = 20_000
/** Recipient of every message that is copied; a copy has its own recipient wherever this text occurs. */
const RECIPIENT = 'bench-recipient'

/** Shares of a hundred messages; some end without a provider, as in use. */
const KINDS = [
  { event: events.webhook, count: 70, email: true },
  { event: events.mail, count: 24, email: true },
  { event: events.mail, count: 4, email: false },
  { event: 'bench-unmapped', count: 2, email: true },
]
const ROUNDS = 2
/** Providers answer at once; what takes longer is an error. */
const FINISH_TIMEOUT_MS = 60_000

type Surroundings = Pick<Bench, 'port' | 'sinks'>

/** Leaves a product's place with so many finished messages; says how many bytes on disk each of them takes. */
export async function storeMessages(bench: Surroundings, place: Place, count: number): Promise<number> {
  const ids = await realMessages(bench, place)
  const engine = await place.version.open(place.env)
  try {
    const now = Date.now()
    for (let day = DAYS; day >= 0; day -= 7) await place.version.makePartitions(engine, now - day * DAY_MS)
    const tables = await messageTables(engine, ids)
    const before = await databaseBytes(engine)
    const [start, stepMs] = [now - DAYS * DAY_MS, Math.floor((DAYS * DAY_MS - 60_000) / count)]
    for (let from = 0; from < count; from += ROWS_A_STATEMENT) {
      const values = [ids, from, Math.min(from + ROWS_A_STATEMENT, count) - 1, start, stepMs]
      for (const { text } of tables) await engine.run({ text, values })
    }
    return ((await databaseBytes(engine)) - before) / count
  } finally {
    await engine.close()
  }
}

/** Bytes of all tables with their indexes, while no product has the place open. */
export async function bytesOnDisk(place: Place): Promise<number> {
  const engine = await place.version.open(place.env)
  try {
    return await databaseBytes(engine)
  } finally {
    await engine.close()
  }
}

async function databaseBytes(engine: StorageEngine): Promise<number> {
  const { rows } = await engine.run<{ bytes: number }>({
    text: `select coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint as bytes from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace`,
    values: [],
  })
  return Number(rows[0]?.bytes)
}

/** Ids of messages that a real product accepted, delivered or gave up. */
async function realMessages(bench: Surroundings, place: Place): Promise<string[]> {
  const product = await startProduct(place, bench.port)
  try {
    await setUp(product, bench.sinks)
    const ids: string[] = []
    for (let round = 0; round < ROUNDS; round += 1)
      for (const { event, count, email } of KINDS)
        for (let n = 0; n < count; n += 1) ids.push(await send(product, event, ids.length, email))
    await allFinished(product, ids)
    return ids
  } finally {
    await product.stop()
  }
}

const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }

async function send({ port }: Product, event: string, n: number, hasEmail: boolean): Promise<string> {
  const { profile, ...rest } = sendBody({ event, n })
  const { email, ...withoutEmail } = profile
  const body = { ...rest, recipient: RECIPIENT, profile: hasEmail ? { email, ...withoutEmail } : withoutEmail }
  const url = `http://127.0.0.1:${port}/send`
  const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!reply.ok) throw new Error(`A send was answered ${reply.status}: ${await reply.text()}`)
  return ((await reply.json()) as { messageId: string }).messageId
}

const IN_PROGRESS = new Set(['ENQUEUED', 'ROUTED', 'DELAYED'])

async function allFinished({ port }: Product, ids: readonly string[]): Promise<void> {
  const deadline = performance.now() + FINISH_TIMEOUT_MS
  for (const id of ids)
    for (;;) {
      const reply = await fetch(`http://127.0.0.1:${port}/messages/${id}`, { headers })
      const { status } = (await reply.json()) as { status: string }
      if (!IN_PROGRESS.has(status)) break
      if (performance.now() > deadline) throw new Error(`Message ${id} is still ${status}`)
      await pause(20)
    }
}

interface Column {
  name: string
  type: string
}

/** For every table with rows of these messages: the statement that copies them. */
async function messageTables(engine: StorageEngine, ids: readonly string[]): Promise<{ text: string }[]> {
  const { rows } = await engine.run<Column & { table: string }>({
    text: `select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and a.attgenerated = '' and a.attidentity = ''
        and (c.relname = 'messages' or exists (select from pg_attribute k
          where k.attrelid = c.oid and k.attname = 'message_id' and not k.attisdropped))
      order by c.relname <> 'messages', c.relname, a.attnum`,
    values: [],
  })
  const statements: { text: string }[] = []
  for (const table of new Set(rows.map((row) => row.table))) {
    const columns = rows.filter((row) => row.table === table)
    const key = table === 'messages' ? 'id' : 'message_id'
    const result = await engine.run({ text: `select 1 from ${table} where ${key} = any($1) limit 1`, values: [ids] })
    if (result.rows.length > 0) statements.push({ text: copyOf(table, key, columns) })
  }
  return statements
}

/** $1 the ids to copy, $2 and $3 the first and last number, $4 the time of number 0, $5 milliseconds between two. */
function copyOf(table: string, key: string, columns: readonly Column[]): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map((column) => (column.name === key ? 's.id' : copiedValue(column))).join(', ')
  return `with original as materialized (
      select id, ordinal - 1 as ordinal,
        ('x' || substr(id, 3, 8))::bit(32)::bigint * 1000 + ('x' || substr(id, 12, 3))::bit(12)::int as at
      from unnest($1::text[]) with ordinality as o(id, ordinal)
    ), spread as (
      select n, at, '1-' || lpad(to_hex(at / 1000), 8, '0') || '-' || lpad(to_hex(at % 1000), 3, '0')
        || lpad(to_hex(n % 4096), 3, '0') || substr(md5(n::text), 1, 18) as id
      from (select n, $4::bigint + n * $5::bigint as at from generate_series($2::bigint, $3::bigint) as g(n)) as times
    )
    insert into ${table} (${names})
    select ${values} from spread s
    join original o on o.ordinal = s.n % cardinality($1::text[])
    join ${table} t on t.${key} = o.id`
}

/** Times move to the time of the copy; its id and recipient take the place of the original's in every text. */
function copiedValue({ name, type }: Column): string {
  const column = `t."${name}"`
  if (type === 'bigint') return `case when ${column} > 1000000000000 then ${column} + (s.at - o.at) else ${column} end`
  if (!['text', 'json', 'jsonb'].includes(type)) return column
  const replaced = `replace(replace(${column}::text, o.id, s.id), '${RECIPIENT}', 'user-' || s.n % ${RECIPIENTS})`
  return type === 'text' ? replaced : `${replaced}::${type}`
}
