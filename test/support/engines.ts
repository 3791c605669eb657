/** One suite, every engine: the same tests on the embedded database and on PostgreSQL, each with the schema in place. */
import { createLog } from '@postrider/server/internal/base/log'
import { openEmbedded } from '@postrider/server/internal/database/embedded/embedded'
import type { Engine } from '@postrider/server/internal/database/engine'
import { openPostgres } from '@postrider/server/internal/database/postgres'
import { afterAll, describe } from 'vitest'
import { hasPostgres, newDataFolder, newMigratedDatabase } from './databases.ts'

export type EngineName = 'embedded' | 'postgres'
/** A database of its own for every call; closed when the suite has ended. */
export type OpenEngine = () => Promise<Engine>

const log = createLog('error')

const openers = {
  embedded: async () => openEmbedded({ folder: await newDataFolder(), log }),
  postgres: async () => openPostgres({ url: await newMigratedDatabase(), log }),
} satisfies Record<EngineName, OpenEngine>

/** Runs the suite once for each engine; PostgreSQL is left out where none can be started. */
export function eachEngine(suite: (name: EngineName, open: OpenEngine) => void): void {
  for (const name of ['embedded', 'postgres'] as const) {
    describe.runIf(name === 'embedded' || hasPostgres)(`on ${name}`, () => {
      const opened: Engine[] = []
      afterAll(async () => {
        await Promise.all(opened.map((engine) => engine.close()))
      })
      suite(name, async () => {
        const engine = await openers[name]()
        opened.push(engine)
        return engine
      })
    })
  }
}
