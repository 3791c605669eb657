/** Engines on databases of their own, with the schema in place, closed when the suite ends. */
import { createLog } from '@postrider/server/internal/base/log'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { afterAll } from 'vitest'
import { newMigratedDatabase } from './databases.ts'

/** A new database for every call. */
export type OpenEngine = () => Promise<Engine>

const log = createLog('error')

export const openEngine: OpenEngine = async () => await engineOn(await newMigratedDatabase())

/** On the database of a service. */
export const engineOn = (connectionString: string): Promise<Engine> =>
  openPostgres({ address: { connectionString }, kind: 'server', log })

export function withEngine(suite: (open: OpenEngine) => void): void {
  const opened: Engine[] = []
  // Vitest runs these in reverse order: the suite's own clean-up, which may still use the engine, comes first.
  afterAll(async () => {
    await Promise.all(opened.map((engine) => engine.close()))
  })
  suite(async () => {
    const engine = await openEngine()
    opened.push(engine)
    return engine
  })
}
