/** A provider over HTTP that accepts everything, at once or after a time, and costs next to nothing. */
import { createServer, type Socket } from 'node:net'

const replyWith = (body: string) =>
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`)

const REPLY = replyWith('{}')

/** The start of each mail in a call of Postmark's. */
const MAIL = '{"From":'
const TAKEN = '{"ErrorCode":0,"Message":"OK","MessageID":"0a129aee-e1cd-480d-b08d-4f48548ff48d"}'

/**
 * `received` gets each message as text, with the head of its request before the first; the reply comes after `answerMs`.
 * A request to `/email` or `/email/batch` is one to Postmark. Resolves with the port.
 */
export function startHttpSink(received: (message: string) => void, answerMs: () => number): Promise<number> {
  const replyTo = (request: string): Buffer => {
    if (!request.startsWith('POST /email')) {
      received(request)
      return REPLY
    }
    const mails = request.split(MAIL).slice(1)
    for (const mail of mails) received(mail)
    return replyWith(request.startsWith('POST /email/batch') ? `[${mails.map(() => TAKEN).join(',')}]` : TAKEN)
  }
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
        const reply = replyTo(text.slice(0, end))
        text = text.slice(end)
        const ms = answerMs()
        if (ms === 0) socket.write(reply)
        else setTimeout(() => socket.write(reply), ms)
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
