/** The service as other parts of the house may use it. */
export { createLog, type Log } from './base/log.ts'
export { type Config, ConfigInvalid, readConfig, variables } from './config.ts'
export { openDatabase } from './context.ts'
export { FolderTaken } from './database/embedded/lock.ts'
export { DatabaseRefused, DatabaseUnavailable, type Engine } from './database/engine.ts'
export { type MigrationStatus, migrate, migrationStatus, SchemaUnusable } from './database/migrate.ts'
export { type RunningServer, startServer, version } from './server.ts'
