/** The exports of the service for the command. */

export { keyScope } from './api/authentication.ts'
export { joinDatabase, openDatabase } from './app.ts'
export { alertRules, grafanaDashboard } from './assets.ts'
export type { RunStart } from './automations/run.ts'
export type { RunStore } from './automations/run-store.ts'
export { createLog, type Log } from './base/log.ts'
export { type Config, ConfigInvalid, readConfig, variables } from './config.ts'
export { type DatabaseHealth, probeWrite, readDatabaseHealth } from './database/availability.ts'
export { diskFullError, isDiskFull, NEEDED_BYTES } from './database/disk.ts'
export { DatabaseRefused, DatabaseUnavailable, type Engine } from './database/engine.ts'
export { type CheckedBackup, checkBackup } from './database/local/backup-check.ts'
export { findCluster, findPrograms } from './database/local/cluster.ts'
export { FolderTaken, isHeld } from './database/local/data-folder.ts'
export { type LocalConnection, localConnection } from './database/local/local.ts'
export { type MigrationStatus, migrate, migrationStatus, readMigrations, SchemaUnusable } from './database/migrate.ts'
export { readPause, refuseMoved } from './database/tables/installation/installation.ts'
export type { Abandoned } from './database/transfer/export.ts'
export type { TransferProgress, TransferReport } from './database/transfer/transfer.ts'
export { hasStarted } from './first-start.ts'
export { databaseChecks, migrationsCheck, openFiles } from './installation/diagnostics.ts'
export { type Offline, openOffline } from './offline/offline-app.ts'
export { acceptSecretKeyLoss, type Loss, type Rotation, rotateSecretKey } from './offline/secret-rotation.ts'
export { abandon, exportTo, importFrom } from './offline/transfer.ts'
export {
  type InspectedBounce,
  type InspectedRecipient,
  type InspectOptions,
  inspectBounce,
} from './receipts/inspect-bounce.ts'
export { refuseOtherKey, SecretKeyRefused } from './secret-key.ts'
export { type RunningServer, startServer } from './server.ts'
export { type AddressGuard, addressGuard } from './transport/address-guard.ts'
