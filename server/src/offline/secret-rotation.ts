/** Replaces the secret key of a stopped installation, and accepts the loss of one; both are finished by running them again. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { failpoint, setFailpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { type SecretKey, secretKey } from '../base/secret.ts'
import type { Config } from '../config.ts'
import { type EncryptedTable, encryptedAnew, encryptedTables } from '../database/encrypted-tables.ts'
import type { Engine } from '../database/engine.ts'
import { migrate } from '../database/migrate.ts'
import { refuseOtherNodes } from '../database/other-nodes.ts'
import {
  type EncryptedRow,
  replaceEncrypted,
  rowsEncryptedWith,
  type Unreadable,
} from '../database/tables/installation/encrypted-values.ts'
import { refuseMoved } from '../database/tables/installation/moves.ts'
import {
  abandonRotation,
  insertSecretKey,
  readSecretKey,
  replaceSecretKey,
  rotationEnd,
  rotationStart,
  type SecretKeyRow,
} from '../database/tables/installation/secret-keys.ts'
import {
  encryptRetainedKeys,
  findKey,
  keyFile,
  makeKey,
  nextKeyFile,
  previousKeyFile,
  promoteNextKey,
  readKeyFile,
  refuseOtherKey,
  SecretKeyRefused,
  unreadableWith,
  withRetainedKeys,
  writeKeyFile,
} from '../secret-key.ts'
import { openDatabase } from '../service-context.ts'

export interface RotationRequest {
  config: Config
  log: Log
  /** For a key that comes from the environment: the file of the new one, which is made when it is not there. */
  newKeyFile?: string | undefined
  progress: { step(text: string): void; update(text: string): void }
}

export interface Rotation {
  /** Ids of the keys. */
  previous: string
  current: string
  /** How many were encrypted anew, by the API's plural: `integrations`. Those of which there were none are absent. */
  rows: Record<string, number>
  /** Rows that could not be read before, and still cannot. */
  unreadable: Unreadable[]
  /** Where the new key is, and the one before it if it was kept. */
  keyFile: string
  previousKeyFile?: string
}

/** Two statements of some 10 ms each; the bytes are in memory a few times over. */
const STEP_MAX = { rows: 500, bytes: 8_000_000 }

/** Throws `SecretKeyRefused`, `OtherNodes` and `FolderTaken` before anything is changed. */
export async function rotateSecretKey(request: RotationRequest): Promise<Rotation> {
  const { config, log } = request
  refuseWrongPlace(request)
  setFailpoint(config.failpoint)
  const engine = await openDatabase(config, log)
  try {
    await refuseMoved(engine)
    await migrate(engine, log)
    return await rotate(engine, request)
  } finally {
    await engine.close()
  }
}

async function rotate(engine: Engine, request: RotationRequest): Promise<Rotation> {
  const { config } = request
  const interrupted = await readSecretKey(engine)
  const finished = finishedBefore(request, interrupted)
  if (finished) return finished
  if (!interrupted?.nextId) await refuseOtherKey(engine, config)
  const found = findKey(config)
  if (!found) throw new SecretKeyRefused('There is no secret key yet', 'The first start makes one: postrider serve')
  if (!interrupted) await insertSecretKey(engine, secretKey(found.bytes).id)
  const row = await readSecretKey(engine)
  const current = withRetainedKeys(found.bytes, row)
  if (!row || row.id !== current.id) throw otherKey(found.from, 'the one that is replaced', row?.id)
  const next = nextKeyOf(request, row)
  await mark(engine, row, next, config)
  failpoint('after-rotation-mark')
  const rows: Record<string, number> = {}
  for (const table of encryptedTables) {
    const { content } = table
    // A table without such values is read to its end all the same.
    request.progress.step(`encrypting ${content} anew …`)
    const count = await reencrypt(engine, table, current, next, (written) =>
      request.progress.update(`encrypting ${content} anew: ${written} written`),
    )
    if (count > 0) rows[content] = count
  }
  failpoint('before-rotation-end')
  await engine.batch([rotationEnd(row.id, next.id, encryptRetainedKeys(current, next))])
  failpoint('after-rotation-end')
  request.progress.step('checking for values that cannot be read …')
  const unreadable = await unreadableWith(engine, next.id)
  const done = { previous: current.id, current: next.id, rows, unreadable }
  if (config.secretKey) return { ...done, keyFile: request.newKeyFile ?? '' }
  promoteNextKey(config.dataDir, next.id)
  return { ...done, keyFile: keyFile(config.dataDir), previousKeyFile: previousKeyFile(config.dataDir, current.id) }
}

/** A key from the environment cannot be replaced there by a command. */
function refuseWrongPlace({ config, newKeyFile }: RotationRequest): void {
  if (config.secretKey && !newKeyFile)
    throw new SecretKeyRefused(
      `The secret key comes from ${config.secretKeyFrom}: name a file for the new one`,
      'postrider secret rotate <file> makes it there, or takes the one that is there.',
    )
  if (!config.secretKey && newKeyFile)
    throw new SecretKeyRefused(
      `The secret key is in ${keyFile(config.dataDir)}, where the new one takes its place`,
      'Run it without a file: postrider secret rotate',
    )
}

/** A rotation that died after its last commit; with a key from the environment, one whose new key the server does not have yet. */
function finishedBefore({ config, newKeyFile }: RotationRequest, row: SecretKeyRow | undefined): Rotation | undefined {
  if (!row || row.nextId !== null) return undefined
  const found = findKey(config)
  const previous = found ? secretKey(found.bytes).id : ''
  if (previous === row.id) return undefined
  const done = { previous, current: row.id, rows: {}, unreadable: [] }
  if (newKeyFile && existsSync(newKeyFile) && secretKey(readKeyFile(newKeyFile)).id === row.id)
    return { ...done, keyFile: newKeyFile }
  if (config.secretKey || !promoteNextKey(config.dataDir, row.id)) return undefined
  return { ...done, keyFile: keyFile(config.dataDir), previousKeyFile: previousKeyFile(config.dataDir, previous) }
}

/** On disk before the database knows of it. */
function nextKeyOf({ config, newKeyFile }: RotationRequest, { id, nextId }: SecretKeyRow): SecretKey {
  const path = config.secretKey ? (newKeyFile ?? '') : nextKeyFile(config.dataDir)
  if (!existsSync(path)) {
    if (nextId !== null)
      throw new SecretKeyRefused(
        `${path} is missing: it holds the key (${nextId}) that the rotation in progress writes`,
        'Restore it. If it is lost: postrider secret accept-loss lists what is lost with it.',
      )
    writeKeyFile(path, randomBytes(32))
  }
  const next = secretKey(readKeyFile(path))
  if (next.id === id) throw new SecretKeyRefused(`${path} holds the key that is in use`, 'Name another file.')
  if (nextId !== null && next.id !== nextId)
    throw otherKey(path, 'the one that the rotation in progress writes', nextId)
  return next
}

const otherKey = (from: string, which: string, id: string | undefined) =>
  new SecretKeyRefused(`The secret key of ${from} is not ${which}${id ? ` (${id})` : ''}`, 'Restore that one.')

/** As with an export: a node that started meanwhile may have read the row before the mark was there. */
async function mark(engine: Engine, row: SecretKeyRow, next: SecretKey, { databaseUrl }: Config): Promise<void> {
  const isShared = databaseUrl !== undefined
  if (row.nextId === null) {
    if (isShared) await refuseOtherNodes(engine)
    await engine.batch([rotationStart(row.id, next.id)])
  }
  if (isShared)
    await refuseOtherNodes(engine).catch(async (error: unknown) => {
      if (row.nextId === null) await abandonRotation(engine, row.id, next.id)
      throw error
    })
}

/** Rows that are written are not found again, so that a rotation that died goes on where it stopped. */
async function reencrypt(
  engine: Engine,
  table: EncryptedTable,
  from: SecretKey,
  to: SecretKey,
  progress: (count: number) => void,
): Promise<number> {
  let after: EncryptedRow | undefined
  for (let count = 0; ; ) {
    const rows = await rowsEncryptedWith(engine, table, from.id, after, STEP_MAX)
    if (rows.length === 0) return count
    const anew = ({ key, texts }: EncryptedRow) =>
      Object.entries(texts).map(([name, text]) => [
        name,
        text === null ? null : (encryptedAnew(table, key, text, from, to) ?? text),
      ])
    await replaceEncrypted(
      engine,
      table,
      rows.map((row) => ({ ...row, replacements: Object.fromEntries(anew(row)) })),
    )
    failpoint('mid-rotation')
    count += rows.length
    after = rows.at(-1)
    progress(count)
  }
}

export interface Loss {
  /** Rows that cannot be read with the key at hand. */
  unreadable: Unreadable[]
  /** False when the key at hand is the one of the database: there is nothing to accept. */
  isOtherKey: boolean
  /** The variable or file of the key that the database belongs to from now on; undefined when nothing was changed. */
  acceptedFrom: string | undefined
}

/** Lists what is lost with the key of the database, and with `isAccepted` makes the key at hand its key. */
export async function acceptSecretKeyLoss(
  { config, log }: Pick<RotationRequest, 'config' | 'log'>,
  isAccepted: boolean,
): Promise<Loss> {
  const engine = await openDatabase(config, log)
  try {
    await refuseMoved(engine)
    await migrate(engine, log)
    const row = await readSecretKey(engine)
    if (row && !config.secretKey) promoteNextKey(config.dataDir, row.id)
    const found = findKey(config)
    const id = found && secretKey(found.bytes).id
    const unreadable = await unreadableWith(engine, id)
    const isOtherKey = row ? row.id !== id || row.nextId !== null : unreadable.length > 0
    if (!isAccepted || !isOtherKey) return { unreadable, isOtherKey, acceptedFrom: undefined }
    if (config.databaseUrl !== undefined) await refuseOtherNodes(engine)
    const { bytes, from } = found ?? makeKey(config.dataDir)
    await replaceSecretKey(engine, secretKey(bytes).id)
    return { unreadable, isOtherKey, acceptedFrom: from }
  } finally {
    await engine.close()
  }
}
