/** A kept HTTP/1.1 connection that sends prepared bytes and reads a reply: the cheapest client there is. */
import { connect } from 'node:net'

export interface HttpConnection {
  /** One at a time. Calls back with the status and when it came. */
  send(request: Buffer, answered: (status: number) => void): void
  close(): void
}

export function openConnection(port: number, failed: (error: Error) => void): Promise<HttpConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let answered: ((status: number) => void) | undefined
    let text = ''
    socket.once('error', reject)
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      const head = text.indexOf('\r\n\r\n')
      if (head < 0) return
      const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))
      if (text.length < head + 4 + Number(length?.[1] ?? 0)) return
      const status = Number(text.slice(9, 12))
      text = ''
      answered?.(status)
    })
    socket.once('connect', () => {
      socket.on('error', failed)
      socket.on('close', () => failed(new Error('The server closed a connection')))
      resolve({
        send(request, callback) {
          answered = callback
          socket.write(request)
        },
        close() {
          socket.removeAllListeners('close')
          socket.destroy()
        },
      })
    })
  })
}

export function requestBytes(path: string, headers: Record<string, string>, body: unknown): Buffer {
  const text = JSON.stringify(body)
  const lines = Object.entries({
    host: '127.0.0.1',
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`)
}
