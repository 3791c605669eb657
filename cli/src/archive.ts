/** Reads a copy of the database through once: whole, unharmed, and a PostgreSQL folder. */
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { Failure } from './failure.ts'

export interface Contents {
  files: number
  /** Unpacked. */
  bytes: number
}

/** Without these PostgreSQL does not open a folder. */
const ESSENTIAL = ['PG_VERSION', 'global/pg_control']
const BLOCK = 512

/** Throws `Failure` for an archive that cannot be restored. */
export async function inspectArchive(path: string): Promise<Contents> {
  const reader = tarReader()
  try {
    await pipeline(createReadStream(path), createGunzip(), async (chunks: AsyncIterable<Buffer>) => {
      for await (const chunk of chunks) reader.read(chunk)
    })
  } catch (cause) {
    throw new Failure('The copy is damaged: it cannot be unpacked', { cause })
  }
  const { names, contents } = reader.end()
  const missing = ESSENTIAL.filter((name) => !names.has(name))
  if (missing.length > 0) throw new Failure(`The copy is not a database: it has no ${missing.join(' and no ')}`)
  return contents
}

/** Takes a tar in pieces of any size. https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06 */
function tarReader() {
  const names = new Set<string>()
  const contents: Contents = { files: 0, bytes: 0 }
  const header = Buffer.alloc(BLOCK)
  let filled = 0
  let skip = 0
  let ended = false
  let wrong = false

  const readHeader = () => {
    if (header.every((byte) => byte === 0)) {
      ended = true
      return
    }
    const size = octal(124, 12)
    if (size === undefined || octal(148, 8) !== checksum()) {
      wrong = true
      return
    }
    const prefix = words(345, 155)
    const name = `${prefix && `${prefix}/`}${words(0, 100)}`.replace(/^(\.?\/)+/, '')
    if (ESSENTIAL.includes(name)) names.add(name)
    contents.files += 1
    contents.bytes += size
    skip = Math.ceil(size / BLOCK) * BLOCK
  }

  const words = (start: number, length: number) =>
    header
      .subarray(start, start + length)
      .toString('utf8')
      .split('\0', 1)[0] ?? ''

  const octal = (start: number, length: number) => {
    const text = words(start, length).trim()
    return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined
  }

  // The sum of all bytes, its own field taken as spaces.
  const checksum = () => header.reduce((sum, byte, at) => sum + (at >= 148 && at < 156 ? 32 : byte), 0)

  return {
    read(chunk: Buffer): void {
      for (let at = 0; at < chunk.length && !ended && !wrong; ) {
        if (skip > 0) {
          const step = Math.min(skip, chunk.length - at)
          skip -= step
          at += step
          continue
        }
        const taken = chunk.copy(header, filled, at, at + BLOCK - filled)
        filled += taken
        at += taken
        if (filled < BLOCK) continue
        filled = 0
        readHeader()
      }
    },
    end(): { names: Set<string>; contents: Contents } {
      if (wrong) throw new Failure('The copy is damaged: a header is wrong')
      if (!ended) throw new Failure('The copy is damaged: its end is missing')
      return { names, contents }
    },
  }
}
