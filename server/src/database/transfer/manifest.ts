/** The files of an export: chunks of rows, a journal with a line per chunk, a manifest when it is complete, and the digests in them. */
import { createHash, hash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/schema'

/** A folder or an installation cannot be exported or imported; the message says what to do. Nothing was changed. */
export class TransferRefused extends Error {
  override readonly name = 'TransferRefused'
}

/** Increased when an older program could not read the folder. */
export const FORMAT = 1

const count = Type.Integer({ minimum: 0 })
const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const digest = Type.String({ pattern: '^[0-9a-f]{32}$' })

const Header = Type.Object({
  format: Type.Literal(FORMAT),
  id: Type.String({ pattern: '^[0-9a-f]{32}$' }),
  /** The last migration of the source. */
  schema: Type.Object({ version: Type.Integer({ minimum: 1 }), name: Type.String() }),
  created: count,
  host: Type.String(),
  postgres: Type.String(),
  /** A fingerprint of the secret key. */
  secretKey: Type.String(),
  /** The source stays in use. */
  keep: Type.Boolean(),
})
export type Header = Static<typeof Header>

const Chunk = Type.Object({
  table: Type.String(),
  /** A name without a path. */
  file: Type.String({ pattern: '^[a-z0-9_]+-[0-9]{6,9}[.]jsonl[.]gz$' }),
  rows: Type.Integer({ minimum: 1 }),
  bytes: count,
  bytesUnpacked: count,
  sha256,
  /** The digest of its rows, see `rowsDigest`. */
  digest,
  /** The key of its last row. */
  last: Type.Array(Type.String(), { minItems: 1 }),
})
export type Chunk = Static<typeof Chunk>

const Manifest = Type.Object({
  ...Header.properties,
  finished: count,
  tables: Type.Array(Type.Object({ name: Type.String(), rows: count, chunks: count, digest })),
  sequences: Type.Array(
    Type.Object({ table: Type.String(), column: Type.String(), last: Type.String(), called: Type.Boolean() }),
  ),
  /** Starts of the weeks that have partitions, in milliseconds since the epoch, by family. */
  weeks: Type.Record(Type.String(), Type.Array(Type.Integer())),
  rows: count,
  bytes: count,
  /** The number of chunks in the journal, and its hash. */
  chunks: Type.Object({ count, sha256 }),
})
export type Manifest = Static<typeof Manifest>

const MANIFEST = 'manifest.json'
const JOURNAL = 'chunks.jsonl'
const IMPORTED = 'imported.json'
/** The suffix of a file that is being written; a kill leaves it behind. */
const PART = '.part'

export interface ExportFolder {
  path: string
  header?: Header
  chunks: Chunk[]
  /** Present when the export is complete. */
  manifest?: Manifest
}

/** Throws `TransferRefused` for a folder with other files. Does not create the folder. */
export async function readExportFolder(path: string): Promise<ExportFolder> {
  const names = await readdir(path).catch((error: unknown): string[] => {
    if (hasCode(error, 'ENOENT')) return []
    throw new TransferRefused(`The folder ${path} cannot be read: ${messageOf(error)}`, { cause: error })
  })
  const [manifest, journal] = [names.includes(MANIFEST), names.includes(JOURNAL)]
  if (!manifest && !journal) {
    const other = names.find((name) => !name.endsWith(PART))
    if (other)
      throw new TransferRefused(
        `${path} holds no export, but other files, such as ${other}: an export needs an empty or a new folder, an import one that an export made`,
      )
    return { path, chunks: [] }
  }
  if (!journal) throw damaged(path, `${JOURNAL} is missing`)
  const text = await readFile(join(path, JOURNAL), 'utf8')
  const { header, chunks } = parseJournal(text, path)
  // A kill during the write of the first line leaves nothing to continue.
  if (!header && !manifest) return { path, chunks: [] }
  if (!manifest) return { path, chunks, ...(header && { header }) }
  const complete = parseLine(Manifest, await readFile(join(path, MANIFEST), 'utf8'))
  if (!complete) throw damaged(path, `${MANIFEST} is not a manifest that this version can read`)
  if (hashOf(Buffer.from(text)) !== complete.chunks.sha256 || chunks.length !== complete.chunks.count)
    throw damaged(path, `${JOURNAL} is not the one that was exported`)
  return { path, header: complete, chunks, manifest: complete }
}

/** Only the last line may be incomplete. */
function parseJournal(text: string, path: string): { header: Header | undefined; chunks: Chunk[] } {
  const lines = text.split('\n').slice(0, -1)
  const [first, ...rest] = lines
  if (first === undefined) return { header: undefined, chunks: [] }
  const header = parseLine(Header, first)
  if (!header) throw damaged(path, `${JOURNAL} is not one that this version can read`)
  return {
    header,
    chunks: rest.map((line, index) => {
      const chunk = parseLine(Chunk, line)
      if (!chunk) throw damaged(path, `line ${index + 2} of ${JOURNAL} does not describe a chunk`)
      return chunk
    }),
  }
}

function parseLine<T extends TSchema>(schema: T, text: string): Static<T> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Check(schema, value) ? (value as Static<T>) : undefined
  } catch {
    return undefined
  }
}

/** Throws when the folder cannot be written, before anything depends on it. */
export async function makeExportFolder(path: string): Promise<void> {
  try {
    // Without its parents: on a file system that refuses folders, Node's recursive mode never returns.
    await mkdir(path, { mode: 0o700 }).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
    // The folder may belong to another user; its files are readable by their owner only in any case.
    await chmod(path, 0o700).catch(() => undefined)
    await writeFile(join(path, `${JOURNAL}${PART}`), '', { mode: 0o600 })
  } catch (cause) {
    throw new TransferRefused(`The folder ${path} cannot be written: ${messageOf(cause)}`, { cause })
  }
}

export const startJournal = (path: string, header: Header): Promise<void> =>
  writeAtomically(path, JOURNAL, Buffer.from(`${JSON.stringify(header)}\n`))

/** Removes unfinished files and an incomplete line of the journal, after a kill. */
export async function repairExportFolder({ path, header, chunks }: ExportFolder): Promise<void> {
  for (const name of await readdir(path)) if (name.endsWith(PART)) await rm(join(path, name))
  await writeAtomically(
    path,
    JOURNAL,
    Buffer.from([header, ...chunks].map((line) => `${JSON.stringify(line)}\n`).join('')),
  )
}

/** The file is on disk under its name before the journal has its line. */
export async function writeChunk(path: string, packed: Buffer, chunk: Chunk): Promise<void> {
  await writeAtomically(path, chunk.file, packed)
  const file = await open(join(path, JOURNAL), constants.O_APPEND | constants.O_WRONLY)
  try {
    await file.writeFile(`${JSON.stringify(chunk)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Marks the export as complete. */
export async function writeManifest(path: string, manifest: Omit<Manifest, 'chunks'>): Promise<Manifest> {
  const journal = await readFile(join(path, JOURNAL))
  const lines = journal.reduce((sum, byte) => sum + (byte === NEWLINE ? 1 : 0), 0)
  const complete = { ...manifest, chunks: { count: lines - 1, sha256: hashOf(journal) } }
  await writeAtomically(path, MANIFEST, Buffer.from(`${JSON.stringify(complete, null, 2)}\n`))
  return complete
}

/** Removes the export, so that it cannot be imported by mistake. False when the folder holds another export, or none. */
export async function discardExport(path: string, id: string): Promise<boolean> {
  const folder = await readExportFolder(path).catch(() => undefined)
  if (folder?.header?.id !== id) return false
  for (const name of [MANIFEST, ...folder.chunks.map(({ file }) => file), IMPORTED, JOURNAL])
    await rm(join(path, name), { force: true })
  return true
}

/** Records in the folder that it was imported; a read-only folder stays without the record. */
export async function noteImport(path: string, note: { at: number; host: string }): Promise<void> {
  await writeAtomically(path, IMPORTED, Buffer.from(`${JSON.stringify(note)}\n`)).catch((error: unknown) => {
    if (!['EACCES', 'EPERM', 'EROFS'].some((code) => hasCode(error, code))) throw error
  })
}

/** Throws for a folder that was imported: pending messages would be delivered twice. */
export async function refuseImported(path: string): Promise<void> {
  const text = await readFile(join(path, IMPORTED), 'utf8').catch(() => undefined)
  if (text === undefined) return
  throw new TransferRefused(
    `${path} was imported already (${text.trim()}), and what waits in it would be delivered twice. If no server starts on that database any more, delete ${IMPORTED} in the folder and try again`,
  )
}

/** The packed bytes. Throws `TransferRefused` when they differ from the exported ones. */
export async function readChunk(path: string, { file, bytes, sha256 }: Chunk): Promise<Buffer> {
  const packed = await readFile(join(path, file)).catch((error: unknown) => {
    const why = hasCode(error, 'ENOENT') ? 'is missing' : `cannot be read: ${messageOf(error)}`
    throw damaged(path, `${file} ${why}`, error)
  })
  if (packed.length !== bytes) throw damaged(path, `${file} has ${packed.length} bytes instead of ${bytes}`)
  if (hashOf(packed) !== sha256) throw damaged(path, `${file} has another SHA-256 than when it was exported`)
  return packed
}

/** Checks that all files exist, before any of them is read. */
export async function refuseMissingChunks({ path, chunks }: ExportFolder): Promise<void> {
  for (const { file } of chunks)
    if (!(await stat(join(path, file)).catch(() => undefined))) throw damaged(path, `${file} is missing`)
}

const NEWLINE = 0x0a

export const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

const damaged = (path: string, what: string, cause?: unknown) =>
  new TransferRefused(`The export in ${path} is damaged: ${what}. Copy the folder once more, or export once more`, {
    cause,
  })

/** Atomic and flushed, so that it survives a power failure. Readable by the owner only: it holds personal data. */
async function writeAtomically(folder: string, name: string, bytes: Buffer): Promise<void> {
  const part = join(folder, `${name}${PART}`)
  const file = await open(part, 'w', 0o600)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(part, join(folder, name))
  const directory = await open(folder, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** 128 of the 256 bits: two different sets collide with a probability of 2^-128. */
const BITS = 128

export const emptyDigest = '0'.repeat(BITS / 4)

export function rowsDigest(rows: Iterable<string>): string {
  let high = 0n
  let low = 0n
  for (const row of rows) {
    const bytes = hash('sha256', row, 'buffer')
    high += bytes.readBigUInt64BE(0)
    low += bytes.readBigUInt64BE(8)
  }
  return hex((high << 64n) + low)
}

export const addDigests = (a: string, b: string): string => hex(BigInt(`0x${a}`) + BigInt(`0x${b}`))

const hex = (sum: bigint) =>
  BigInt.asUintN(BITS, sum)
    .toString(16)
    .padStart(BITS / 4, '0')
