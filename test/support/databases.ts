/** Databases of this test run; suites that need PostgreSQL say `describe.runIf(hasPostgres)`. */
import { inject } from 'vitest'

/** False where no PostgreSQL can be started; with CI set the run fails instead. */
export const hasPostgres = inject('hasPostgres')

/** The address of a new, empty database on PostgreSQL that belongs to the caller. */
export const newDatabase = () => ask('/empty')

/** The same with the schema of this version. */
export const newMigratedDatabase = () => ask('/migrated')

/** A data folder of the embedded database, with the schema of this version. */
export const newDataFolder = () => ask('/folder')

async function ask(path: string): Promise<string> {
  const reply = await fetch(inject('databaseDoor') + path, { method: 'POST' })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return text
}
