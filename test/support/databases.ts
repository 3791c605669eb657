/** Databases on the PostgreSQL of this test run; suites that need it say `describe.runIf(hasPostgres)`. */
import { inject } from 'vitest'

/** False where no PostgreSQL can be started; with CI set the run fails instead. */
export const hasPostgres = inject('postgresDoor') !== undefined

/** The address of a new, empty database that belongs to the caller. */
export async function newDatabase(): Promise<string> {
  const door = inject('postgresDoor')
  if (!door) throw new Error('No PostgreSQL in this run')
  const reply = await fetch(door, { method: 'POST' })
  const text = await reply.text()
  if (!reply.ok) throw new Error(text)
  return text
}
