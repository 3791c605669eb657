/** A mail server that takes every mail and keeps none: RFC 5321 as far as a sender without TLS needs it. */
import type { Socket } from 'node:net'
import { listen } from './http-sink.ts'

const GREETING = '220 sink ESMTP\r\n'
const EXTENSIONS = '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 10485760\r\n'
const END_OF_MAIL = '\r\n.\r\n'

/** Resolves with the port. */
export function startSmtpSink(received: (mail: string) => void): Promise<number> {
  return listen((socket) => {
    let text = ''
    let inMail = false
    socket.write(GREETING)
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1')
      let replies = ''
      for (;;) {
        const end = text.indexOf(inMail ? END_OF_MAIL : '\r\n')
        if (end < 0) break
        const part = text.slice(0, end)
        text = text.slice(end + (inMail ? END_OF_MAIL.length : 2))
        if (inMail) received(part)
        const verb = inMail ? '' : part.slice(0, 4).toUpperCase()
        replies += inMail ? '250 2.0.0 taken\r\n' : replyTo(verb)
        inMail = verb === 'DATA'
        if (verb === 'QUIT') return goodbye(socket, replies)
      }
      if (replies !== '') socket.write(replies)
    })
  })
}

function replyTo(verb: string): string {
  if (verb === 'EHLO') return EXTENSIONS
  if (verb === 'DATA') return '354 go on\r\n'
  return verb === 'QUIT' ? '221 2.0.0 bye\r\n' : '250 2.0.0 ok\r\n'
}

function goodbye(socket: Socket, replies: string): void {
  socket.end(replies)
}
