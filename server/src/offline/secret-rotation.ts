/** Replaces the secret key of a stopped installation, or accepts its loss; an interrupted run is finished by the next one. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { openDatabase } from '../app.ts'
import { failpoint, setFailpoint } from '../base/failpoint.ts'
import type { Log } from '../base/log.ts'
import { type SecretKey, secretKey } from '../base/secret.ts'
import type { Config } from '../config.ts'
import { type EncryptedTable, encryptedTables, reencryptedText } from '../database/encrypted-tables.ts'
import type { Engine } from '../database/engine.ts'
import { migrate } from '../database/migrate.ts'
import { refuseOtherNodes } from '../database/other-nodes.ts'
import { refuseMoved } from '../database/tables/installation/installation.ts'
import {
  abandonRotation,
  type EncryptedRow,
  insertSecretKey,
  readSecretKey,
  replaceEncrypted,
  replaceSecretKey,
  rotationEnd,
  rotationStart,
  rowsEncryptedWith,
  type SecretKeyRow,
  type Unreadable,
} from '../database/tables/installation/secret-keys.ts'
import {
  encryptRetainedKeys,
  findSecretKey,
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

export interface RotationRequest {
  config: Config
  log: Log
  /** For a key from the environment: the file of the new key, which is created if it does not exist. */
  newKeyFile?: string | undefined
  progress: { step(text: string): void; update(text: string): void }
}

export interface Rotation {
  /** Key ids. */
  previous: string
  current: string
  /** The number of re-encrypted rows by the API's plural, such as `integrations`; kinds without rows are absent. */
  rows: Record<string, number>
  /** Rows that were unreadable before, and still are. */
  unreadable: Unreadable[]
  /** The file of the new key, and that of the previous one if it was kept. */
  keyFile: string
  previousKeyFile?: string
}

/** Two statements of some 10 ms each; memory holds a few times these bytes. */
const STEP_MAX = { rows: 500, bytes: 8_000_000 }

/** Throws `SecretKeyRefused`, `OtherNodes` and `FolderTaken` before any change. */
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
  const foundKey = findSecretKey(config)
  if (!foundKey) throw new SecretKeyRefused('There is no secret key yet', 'The first start makes one: postrider serve')
  if (!interrupted) await insertSecretKey(engine, secretKey(foundKey.bytes).id)
  const row = await readSecretKey(engine)
  const current = withRetainedKeys(foundKey.bytes, row)
  if (!row || row.id !== current.id) throw otherKey(foundKey.from, 'the one that is replaced', row?.id)
  const next = nextKeyOf(request, row)
  await mark(engine, row, next, config)
  failpoint('after-rotation-mark')
  const rows: Record<string, number> = {}
  for (const table of encryptedTables) {
    const { content } = table
    // A table without such values is read to its end, too.
    request.progress.step(`re-encrypting ${content} …`)
    const count = await reencrypt(engine, table, current, next, (written) =>
      request.progress.update(`re-encrypting ${content}: ${written} written`),
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

/** A command cannot replace a key in the environment. */
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

/** A rotation that was killed after its last commit, or whose new key is not in the environment yet. */
function finishedBefore({ config, newKeyFile }: RotationRequest, row: SecretKeyRow | undefined): Rotation | undefined {
  if (!row || row.nextId !== null) return undefined
  const foundKey = findSecretKey(config)
  const previous = foundKey ? secretKey(foundKey.bytes).id : ''
  if (previous === row.id) return undefined
  const done = { previous, current: row.id, rows: {}, unreadable: [] }
  if (newKeyFile && existsSync(newKeyFile) && secretKey(readKeyFile(newKeyFile)).id === row.id)
    return { ...done, keyFile: newKeyFile }
  if (config.secretKey || !promoteNextKey(config.dataDir, row.id)) return undefined
  return { ...done, keyFile: keyFile(config.dataDir), previousKeyFile: previousKeyFile(config.dataDir, previous) }
}

/** The new key is on disk before the database names it. */
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

/** A node that started meanwhile may have read the row before the mark, so nodes are checked again afterwards. */
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

/** Re-encrypted rows no longer match, so that an interrupted rotation resumes. */
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
    const reencrypted = ({ key, texts }: EncryptedRow) =>
      Object.entries(texts).map(([name, text]) => [
        name,
        text === null ? null : (reencryptedText(table, key, text, from, to) ?? text),
      ])
    await replaceEncrypted(
      engine,
      table,
      rows.map((row) => ({ ...row, replacements: Object.fromEntries(reencrypted(row)) })),
    )
    failpoint('mid-rotation')
    count += rows.length
    after = rows.at(-1)
    progress(count)
  }
}

export interface Loss {
  /** Rows that cannot be read with the current key. */
  unreadable: Unreadable[]
  /** False when the current key is that of the database: no loss to accept. */
  isOtherKey: boolean
  /** The variable or file of the key that the database now uses; undefined when nothing was changed. */
  acceptedFrom: string | undefined
}

/** Lists rows that are lost with the key of the database; with `isAccepted` the current key becomes its key. */
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
    const foundKey = findSecretKey(config)
    const id = foundKey && secretKey(foundKey.bytes).id
    const unreadable = await unreadableWith(engine, id)
    const isOtherKey = row ? row.id !== id || row.nextId !== null : unreadable.length > 0
    if (!isAccepted || !isOtherKey) return { unreadable, isOtherKey, acceptedFrom: undefined }
    if (config.databaseUrl !== undefined) await refuseOtherNodes(engine)
    const { bytes, from } = foundKey ?? makeKey(config.dataDir)
    await replaceSecretKey(engine, secretKey(bytes).id)
    return { unreadable, isOtherKey, acceptedFrom: from }
  } finally {
    await engine.close()
  }
}
