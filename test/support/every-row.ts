/** Every row of a database, to see that a call has changed none. */
import type { Engine } from '@postrider/server'

export const tablesOf = async (engine: Engine): Promise<string[]> => {
  const { rows } = await engine.run<{ name: string }>({
    text: `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname not in ('migrations', 'workspaces') order by 1`,
    values: [],
  })
  return rows.map(({ name }) => name)
}

/** Every row of every table without the last uses of keys, by default without the stored replies. */
export async function everyRow(engine: Engine, except: readonly string[] = ['idempotency_keys']): Promise<string> {
  const tables = (await tablesOf(engine)).filter((name) => !except.includes(name))
  const row = (table: string) =>
    table === 'keys' ? `(to_jsonb(t) - 'last_used_day' - 'last_address')::text` : 't::text'
  const contents = tables.map((table) => `select '${table}' as name, ${row(table)} as row from ${table} t`)
  const { rows } = await engine.run({ text: `${contents.join(' union all ')} order by 1, 2`, values: [] })
  return JSON.stringify(rows)
}
