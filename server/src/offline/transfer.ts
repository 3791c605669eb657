/** Export and import of an installation as commands run them: with the secret key and the database of this machine. */
import { createHmac } from 'node:crypto'
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { openDatabase } from '../app.ts'
import { setFailpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { systemClock } from '../base/time/clock.ts'
import type { Config } from '../config.ts'
import type { Engine } from '../database/engine.ts'
import { type Abandoned, abandonExport, exportInstallation } from '../database/transfer/export.ts'
import { importInstallation, readImport } from '../database/transfer/import.ts'
import { TransferRefused } from '../database/transfer/manifest.ts'
import type { TransferProgress, TransferReport } from '../database/transfer/transfer.ts'
import { configuredSecretKey, keyFile, refuseOtherKey } from '../secret-key.ts'

export interface TransferRequest {
  config: Config
  log: Log
  /** Absolute. */
  folder: string
  progress(progress: TransferProgress): void
  signal: AbortSignal
}

/** Copies the stopped installation into the folder. It cannot be started afterwards, unless it is kept in use. */
export async function exportTo(request: TransferRequest & { keep: boolean }): Promise<TransferReport> {
  const { config, keep } = request
  const secretKey = fingerprintOf(config)
  return await withEngine(request, async (engine) => {
    await refuseOtherKey(engine, config)
    return await exportInstallation(engine, { ...optionsOf(request, secretKey), keep })
  })
}

/** Fills the empty database of this machine from the folder. */
export async function importFrom(request: TransferRequest): Promise<TransferReport> {
  const options = optionsOf(request, fingerprintOf(request.config))
  const source = await readImport(options)
  return await withEngine(request, (engine) => importInstallation(engine, source, { ...options, log: request.log }))
}

/** Undefined when the installation was not exported. */
export async function abandon(request: Pick<TransferRequest, 'config' | 'log'>): Promise<Abandoned | undefined> {
  return await withEngine(request, abandonExport)
}

async function withEngine<T>(
  { config, log }: Pick<TransferRequest, 'config' | 'log'>,
  work: (engine: Engine) => Promise<T>,
): Promise<T> {
  setFailpoint(config.failpoint)
  const engine = await openDatabase(config, log)
  try {
    return await work(engine)
  } finally {
    await engine.close()
  }
}

const optionsOf = ({ config, folder, progress, signal }: TransferRequest, secretKey: string) => ({
  ...{ folder, progress, signal, secretKey },
  shared: config.databaseUrl !== undefined,
  host: hostname(),
  now: systemClock.now,
})

/** Distinguishes secret keys without revealing them. */
function fingerprintOf(config: Config): string {
  const key = configuredSecretKey(config)
  if (key) return createHmac('sha256', key.derive('exports')).update('fingerprint').digest('base64url')
  const path = keyFile(config.dataDir)
  throw new TransferRefused(
    existsSync(config.dataDir)
      ? `There is no secret key: ${path} does not exist, and POSTRIDER_SECRET_KEY is not set. Put the secret key of the installation there first`
      : `The data folder ${config.dataDir} does not exist. Make it, and put the secret key of the installation into ${path} first, or set POSTRIDER_SECRET_KEY`,
  )
}
