/** An installation as its environment describes it, and what is in its database, row by row. */
import { createHash } from 'node:crypto'
import { abandon, createLog, type Engine, exportTo, importFrom, openDatabase, readConfig } from '@postrider/server'
import { newDatabase } from './databases.ts'

/** The columns that a rotation of the secret key encrypts anew. */
export { encryptedTables } from '@postrider/server/internal/database/encrypted-tables'

/** The variables that name a database and its secret key. */
export type Installation = Record<string, string>

/** With an empty database, and no data folder. */
export async function newInstallation(secretKey = Buffer.alloc(32, 7)): Promise<Installation> {
  return {
    POSTRIDER_DATABASE_URL: await newDatabase(),
    POSTRIDER_SECRET_KEY: secretKey.toString('base64'),
    POSTRIDER_DATA_DIR: '/nowhere/data',
  }
}

const requestOf = (installation: Installation, folder: string) => ({
  config: readConfig(installation),
  log: createLog('error'),
  folder,
  progress: () => undefined,
  signal: new AbortController().signal,
})

export const exportOf = (installation: Installation, folder: string, { keep = false } = {}) =>
  exportTo({ ...requestOf(installation, folder), keep })

export const importInto = (installation: Installation, folder: string) => importFrom(requestOf(installation, folder))

export const abandonOn = (installation: Installation) => abandon(requestOf(installation, ''))

export async function onDatabaseOf<T>(installation: Installation, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openDatabase(readConfig(installation), createLog('error'))
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

/** Each statement by itself. */
export const execute = (installation: Installation, ...texts: string[]) =>
  onDatabaseOf(installation, async (engine) => {
    for (const text of texts) await engine.run({ text, values: [] })
  })

/** The number of rows of every table and a digest of all of them, but for the record of the move and the columns left out. */
export const contentsOf = (
  installation: Installation,
  leftOut: readonly string[] = [],
): Promise<Record<string, string>> =>
  onDatabaseOf(installation, async (engine) => {
    const { rows } = await engine.run<{ name: string }>({
      text: `select c.relname::text as name from pg_class c where c.relkind in ('r', 'p') and not c.relispartition
        and c.relnamespace = 'public'::regnamespace and c.relname not in ('moves', 'migrations', 'nodes') order by 1`,
      values: [],
    })
    const contents: Record<string, string> = {}
    for (const { name } of rows) {
      const text = `select (to_jsonb(t) - $1::text[])::text as row from ${name} t order by to_jsonb(t)::text collate "C"`
      const rows = (await engine.run<{ row: string }>({ text, values: [leftOut] })).rows
      const digest = createHash('sha256')
      for (const { row } of rows) digest.update(`${row}\n`)
      contents[name] = `${rows.length} ${digest.digest('hex').slice(0, 16)}`
    }
    return contents
  })

/** Tables with rows. */
export const filledTables = (contents: Record<string, string>): string[] =>
  Object.keys(contents).filter((table) => !contents[table]?.startsWith('0 '))
