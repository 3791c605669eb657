/** Which migrations a database has, also one that has none. */

import type { Engine, MigrationStatus } from '@postrider/server'
import { serverModules } from './server-modules.ts'

const UNDEFINED_TABLE = '42P01'

/** In an empty database every migration is pending. */
export async function schemaStatus(engine: Engine): Promise<MigrationStatus> {
  const { migrationStatus, readMigrations } = await serverModules()
  try {
    return await migrationStatus(engine)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE)) throw error
    return { applied: 0, pending: readMigrations().map(({ name }) => name) }
  }
}
