/** Bytes that are the same for every caller: made and compressed once, and sent only to those who do not have them. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { HandlerReply } from './call.ts'

export interface StaticFile {
  mediaType: string
  etag: string
  content: Buffer
  br?: Buffer | undefined
  gzip?: Buffer | undefined
}

/** `copies`: its compressed copies, where the file has them already; pictures have none. */
export function staticFile(
  content: string | Buffer,
  mediaType: string,
  copies: Pick<StaticFile, 'br' | 'gzip'> = compressed(content, mediaType),
): StaticFile {
  const bytes = Buffer.from(content)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
  return { mediaType, etag, content: bytes, ...copies }
}

const compressed = (content: string | Buffer, mediaType: string) =>
  mediaType.startsWith('image/') && !mediaType.includes('svg') ? {} : { gzip: gzipSync(content) }

/** 304 where the caller has it; else compressed as the caller reads it. `headers`: its policy, and how long it is kept. */
export function staticReply(
  file: StaticFile,
  header: (name: 'accept-encoding' | 'if-none-match') => string | undefined,
  headers: Record<string, string>,
): HandlerReply {
  const all = { ...headers, etag: file.etag }
  const isThere = header('if-none-match')
    ?.split(',')
    .some((etag) => etag.trim().replace(/^W\//, '') === file.etag)
  if (isThere) return { status: 304, headers: all }
  const { content, encoding } = encoded(file, header('accept-encoding') ?? '')
  return {
    status: 200,
    raw: { content, mediaType: file.mediaType },
    headers: { ...all, ...(encoding && { 'content-encoding': encoding }) },
  }
}

function encoded({ content, br, gzip }: StaticFile, accepted: string): { content: Buffer; encoding?: string } {
  if (br && accepts(accepted, 'br')) return { content: br, encoding: 'br' }
  if (gzip && accepts(accepted, 'gzip')) return { content: gzip, encoding: 'gzip' }
  return { content }
}

const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((part) => {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim())
    return name.toLowerCase() === encoding && !parameters.some((text) => /^q=0(?:\.0*)?$/i.test(text))
  })
