/** A provider over HTTP that accepts everything, at once or after a time, and costs next to nothing. */
import { createServer, type Socket } from 'node:net'

const REPLY = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')

/** `received` gets the whole request as text; the reply comes after `answerMs`. Resolves with the port. */
export function startHttpSink(received: (request: string) => void, answerMs: () => number): Promise<number> {
  return listen((socket) => {
    let text = ''
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      for (;;) {
        const head = text.indexOf('\r\n\r\n')
        if (head < 0) return
        const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, head))?.[1] ?? 0)
        const end = head + 4 + length
        if (text.length < end) return
        received(text.slice(0, end))
        text = text.slice(end)
        const ms = answerMs()
        if (ms === 0) socket.write(REPLY)
        else setTimeout(() => socket.write(REPLY), ms)
      }
    })
  })
}

export function listen(serve: (socket: Socket) => void): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer({ noDelay: true }, (socket) => {
      // Peers go away when they like.
      socket.on('error', () => socket.destroy())
      serve(socket)
    })
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : 0)
    })
  })
}
