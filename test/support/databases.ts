/** New databases for tests, all on PostgreSQL: copies of templates that are made once per run, and dropped after the file. */
import { expect, inject } from 'vitest'

/** The address of an empty database on the server of the run. */
export const newDatabase = () => request('/empty')

/** The same with the schema of this version. */
export const newMigratedDatabase = () => request('/migrated')

/** A data folder with a migrated local database. Its user starts a PostgreSQL server for it, so a database is cheaper. */
export const newDataFolder = () => request('/folder')

/** The environment of a service on a new migrated database. */
export const databaseEnvironment = async () => ({
  POSTRIDER_DATABASE_URL: await newMigratedDatabase(),
  POSTRIDER_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
})

async function request(path: string): Promise<string> {
  // VITEST_POOL_ID can be that of two workers: vitest frees an id without looking whose it is.
  const place = { worker: process.pid, file: expect.getState().testPath }
  const reply = await fetch(inject('databasesUrl') + path, { method: 'POST', body: JSON.stringify(place) })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return text
}
