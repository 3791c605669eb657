/** `multipart/form-data` (RFC 7578) as bytes: the same fields give the same bytes. */
import { createHash } from 'node:crypto'

export interface FormFile {
  field: string
  filename: string
  contentType: string
  /** Base64 of the bytes. */
  content: string
}

/** `seed` is unique to the message: an author cannot guess the boundary that is made of it. */
export function multipartForm(
  fields: readonly (readonly [name: string, value: string])[],
  files: readonly FormFile[],
  seed: string,
): { contentType: string; bytes: Uint8Array } {
  const boundary = `form-${createHash('sha256').update(seed).digest('hex').slice(0, 32)}`
  const head = (field: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escaped(field)}"${more}\r\n`
  const parts: (string | Uint8Array)[] = fields.map(([name, value]) => `${head(name)}\r\n${value}\r\n`)
  for (const { field, filename, contentType, content } of files) {
    parts.push(`${head(field, `; filename="${escaped(filename)}"`)}Content-Type: ${oneLine(contentType)}\r\n\r\n`)
    parts.push(Buffer.from(content, 'base64'), '\r\n')
  }
  parts.push(`--${boundary}--\r\n`)
  const bytes = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
  return { contentType: `multipart/form-data; boundary=${boundary}`, bytes }
}

/** As browsers write names: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escaped = (name: string) => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

const oneLine = (text: string) => text.replace(/[\r\n]/g, '')
