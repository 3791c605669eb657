/** The secret key of the installation: found, made by the first start, and compared with the one of the database. */
import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { decrypt, encrypt, retainedKeys, type SecretKey, secretKey } from './base/secret.ts'
import type { Config } from './config.ts'
import { type EncryptedTable, encryptedTables } from './database/encrypted-tables.ts'
import { DatabaseRefused, type Engine, UNDEFINED_TABLE } from './database/engine.ts'
import { makeDataFolder } from './database/local/data-folder.ts'
import { FolderUnusable } from './database/local/errors.ts'
import { fsyncDirectory } from './database/local/fsync-directory.ts'
import { type Unreadable, unreadableRows } from './database/tables/installation/encrypted-values.ts'
import { insertSecretKey, readSecretKey, type SecretKeyRow } from './database/tables/installation/secret-keys.ts'

/** The secret key at hand is not the one of the database, or there is none. */
export class SecretKeyRefused extends Error {
  override readonly name = 'SecretKeyRefused'
  readonly hint: string

  constructor(message: string, hint: string) {
    super(message)
    this.hint = hint
  }
}

export interface FoundKey {
  bytes: Buffer
  /** The variable or the file it comes from. */
  from: string
}

type KeyConfig = Pick<Config, 'secretKey' | 'secretKeyFrom' | 'dataDir'>

export const keyFile = (dataDir: string) => join(dataDir, 'secret.key')
/** Where a rotation keeps the new key until the database belongs to it. */
export const nextKeyFile = (dataDir: string) => join(dataDir, 'secret.key.next')
/** The key that a rotation replaced: copies made before it need it. */
export const previousKeyFile = (dataDir: string, id: string) => join(dataDir, `secret.key.${id}`)

/** The configured one, or the one in the data folder; undefined when none was made yet. */
export function findKey({ secretKey: bytes, secretKeyFrom, dataDir }: KeyConfig): FoundKey | undefined {
  if (bytes) return { bytes, from: secretKeyFrom }
  const path = keyFile(dataDir)
  return existsSync(path) ? { bytes: readKeyFile(path), from: path } : undefined
}

/** Without the keys that rotations retained: for comparing keys, not for using them. */
export function configuredSecretKey(config: KeyConfig): SecretKey | undefined {
  const found = findKey(config)
  return found && secretKey(found.bytes)
}

/** Throws `FolderUnusable`. */
export function readKeyFile(path: string): Buffer {
  const bytes = Buffer.from(readFileSync(path, 'utf8').trim(), 'base64')
  if (bytes.length === 32) return bytes
  throw new FolderUnusable(`${path} is damaged: a secret key is 32 bytes in base64. Restore the file from its copy`)
}

/** Readable by its owner only; whole or absent, also when the process dies while making it. */
export function writeKeyFile(path: string, bytes: Buffer): void {
  // The next start removes a file of this name that a killed process left in a data folder.
  const fresh = join(path, '..', `new-${randomBytes(4).toString('hex')}.key`)
  try {
    writeFileSync(fresh, `${bytes.toString('base64')}\n`, { mode: 0o600, flush: true })
    linkSync(fresh, path)
  } finally {
    rmSync(fresh, { force: true })
  }
  fsyncDirectory(join(path, '..'))
}

/** For a server: the key of the database, made by the first start. Throws `SecretKeyRefused`. */
export async function openSecretKey(engine: Engine, config: Config): Promise<SecretKey> {
  await refuseOtherKey(engine, config)
  const { bytes, from } = findKey(config) ?? makeKey(config.dataDir)
  const { id } = secretKey(bytes)
  // The key is on disk before the database names it: a start that dies here leaves no database without its key.
  await insertSecretKey(engine, id)
  const row = await readSecretKey(engine)
  // A node with another key was faster.
  if (row?.id !== id) throw notTheKey(from, id, row?.id)
  return withRetainedKeys(bytes, row)
}

/** For a command, which changes nothing about keys. Without a key, encrypted values are unreadable. */
export async function borrowSecretKey(engine: Engine, config: Config): Promise<SecretKey> {
  await refuseOtherKey(engine, config)
  const found = findKey(config)
  return found ? withRetainedKeys(found.bytes, await readSecretKey(engine)) : secretKey(randomBytes(32))
}

/** Throws `SecretKeyRefused` when what is encrypted in this database cannot be read with the key at hand. */
export async function refuseOtherKey(engine: Engine, config: KeyConfig): Promise<void> {
  const row = await readSecretKey(engine)
  if (row?.nextId) throw unfinished()
  if (row && !config.secretKey) promoteNextKey(config.dataDir, row.id)
  const found = findKey(config)
  const id = found && secretKey(found.bytes).id
  if (row ? row.id === id : (await unreadableWith(engine, id, whole)).length === 0) return
  if (!found || id === undefined) throw noKey(config.dataDir)
  throw notTheKey(found.from, id, row?.id)
}

/** They identify the key of a database from before the row existed; reading all messages would take too long. */
const whole = encryptedTables.filter(({ holds }) => holds === 'whole')

/** Counts the rows encrypted with another key than this one; with any key, when there is none. */
export async function unreadableWith(
  engine: Engine,
  id: string | undefined,
  tables: readonly EncryptedTable[] = encryptedTables,
): Promise<Unreadable[]> {
  const found: Unreadable[] = []
  for (const table of tables) {
    const unreadable = await unreadableRows(engine, table, id).catch((error: unknown) => {
      // A database that no server has started on, or of a version before the table.
      if (error instanceof DatabaseRefused && error.code === UNDEFINED_TABLE) return undefined
      throw error
    })
    if (unreadable && unreadable.count > 0) found.push(unreadable)
  }
  return found
}

/** A rotation that died after its last commit: the database belongs to the new key, and its file has the old name. */
export function promoteNextKey(dataDir: string, id: string): boolean {
  const next = nextKeyFile(dataDir)
  if (!existsSync(next) || secretKey(readKeyFile(next)).id !== id) return false
  const current = keyFile(dataDir)
  if (existsSync(current)) {
    const previous = previousKeyFile(dataDir, secretKey(readKeyFile(current)).id)
    if (!existsSync(previous)) linkSync(current, previous)
  }
  renameSync(next, current)
  fsyncDirectory(dataDir)
  return true
}

const RETAINED_CONTEXT = 'secret_keys:lasting'

/** For the row of the key `by`. */
export const encryptRetainedKeys = (key: SecretKey, by: SecretKey) => encrypt(by, retainedKeys(key), RETAINED_CONTEXT)

/** The key, with the derived keys that earlier rotations retained. */
export function withRetainedKeys(bytes: Buffer, row: SecretKeyRow | undefined): SecretKey {
  const plain = secretKey(bytes)
  const retained = row?.retainedKeys ?? undefined
  return retained === undefined ? plain : secretKey(bytes, decrypt(plain, retained, RETAINED_CONTEXT))
}

export function makeKey(dataDir: string): FoundKey {
  const path = keyFile(dataDir)
  makeDataFolder(dataDir)
  const bytes = randomBytes(32)
  writeKeyFile(path, bytes)
  return { bytes, from: path }
}

const ACCEPT = 'To go on without what that key encrypted: postrider secret accept-loss lists it first.'

const notTheKey = (from: string, id: string, expected: string | undefined) =>
  new SecretKeyRefused(
    `${from} holds another secret key (${id}) than the one this database is encrypted with${expected ? ` (${expected})` : ''}`,
    `Give it the key of the database. ${ACCEPT}`,
  )

const noKey = (dataDir: string) =>
  new SecretKeyRefused(
    `${keyFile(dataDir)} is missing, and this database is encrypted with a secret key`,
    `Restore the file from its copy, or set POSTRIDER_SECRET_KEY. ${ACCEPT}`,
  )

const unfinished = () =>
  new SecretKeyRefused(
    'A rotation of the secret key of this database is not finished',
    'Finish it with the command that started it: postrider secret rotate',
  )
