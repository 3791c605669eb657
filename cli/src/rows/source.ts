/** A file or standard input as text, a chunk at a time; text that is not UTF-8 is refused instead of being garbled. */
import { createReadStream, statSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { exitCodes, Failure } from '../failure.ts'
import { plain } from '../plain.ts'
import { decoderFor, isDecodingError, sourceName } from '../text-file.ts'

export interface Source {
  /** For messages. */
  name: string
  /** Undefined where it is not known: standard input and pipes. */
  bytesTotal: number | undefined
  bytesRead(): number
  text: AsyncIterable<string>
  /** Reads no further. */
  close(): void
}

export function openSource(file: string): Source {
  const name = sourceName(file)
  let bytes = 0
  let stream: Readable | undefined
  async function* text(): AsyncGenerator<string> {
    stream = file === '-' ? process.stdin : createReadStream(file)
    let decoder: ReturnType<typeof decoderFor> | undefined
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        bytes += chunk.length
        decoder ??= decoderFor(chunk)
        yield decoder.decode(chunk, { stream: true })
      }
      yield decoder?.decode() ?? ''
    } catch (cause) {
      if (isDecodingError(cause))
        throw new Failure(`${name} is not UTF-8`, {
          hint: 'Save it as "CSV UTF-8", or convert it: iconv -f WINDOWS-1252 -t UTF-8 users.csv > users-utf8.csv',
          exitCode: exitCodes.wrong,
          cause,
        })
      if (cause instanceof Error && 'syscall' in cause)
        throw new Failure(`${name} cannot be read`, { exitCode: exitCodes.wrong, cause })
      throw cause
    }
  }
  return {
    name,
    bytesTotal: sizeOf(file),
    bytesRead: () => bytes,
    text: text(),
    close: () => void stream?.destroy(),
  }
}

function sizeOf(file: string): number | undefined {
  if (file === '-') return undefined
  const stats = statSync(file, { throwIfNoEntry: false })
  if (!stats) throw new Failure(`${plain(file)} does not exist`, { exitCode: exitCodes.wrong })
  return stats.isFile() ? stats.size : undefined
}
