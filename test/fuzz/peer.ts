/** One HTTP call, written byte for byte, and the command that repeats it. */
import { writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Reply } from './check-reply.ts'

export interface Wire {
  method: string
  target: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

// No reply of a healthy server takes longer, the largest bodies on a busy machine included.
export const REPLY_MS = 30_000
// A shell takes a megabyte or two in one line.
const LINE_CHARACTERS_MAX = 4_000

export interface Peer {
  call(wire: Wire): Promise<Reply>
  close(): void
}

export function createPeer(url: string, connections: number): Peer {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const { hostname: host, port } = new URL(url)
  return {
    call: ({ method, target, headers, body }) =>
      new Promise((resolve, reject) => {
        const bytes = body === undefined ? undefined : Buffer.from(body as string)
        const length = bytes ? { 'content-length': String(bytes.length) } : {}
        const call = request(
          { agent, host, port, method, path: target, headers: { ...headers, ...length } },
          (answer) => {
            const chunks: Buffer[] = []
            answer.on('data', (chunk: Buffer) => chunks.push(chunk))
            answer.once('error', reject)
            answer.once('end', () =>
              resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
            )
          },
        )
        call.setTimeout(REPLY_MS, () => call.destroy(new Error(`No answer within ${REPLY_MS} ms`)))
        call.once('error', reject)
        call.end(bytes)
      }),
    close: () => agent.destroy(),
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** One line for a shell; a body that is long or no text lies in a file. */
export function curl(url: string, { method, target, headers, body }: Wire): string {
  const options = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
  )
  const content = body === undefined ? [] : [`--data-binary ${contentOf(body)}`]
  return ['curl -sig --path-as-is', `-X ${method}`, ...options, ...content, quoted(url + target)].join(' ')
}

let files = 0

function contentOf(body: string | Uint8Array): string {
  if (typeof body === 'string' && body.length <= LINE_CHARACTERS_MAX && !body.startsWith('@')) return quoted(body)
  files += 1
  const file = join(tmpdir(), `postrider-fuzz-${process.pid}-${files}`)
  writeFileSync(file, body)
  return `@${file}`
}
