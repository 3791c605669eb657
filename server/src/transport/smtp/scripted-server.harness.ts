/** An SMTP server on loopback that follows a script: replies late, in pieces, never, or against the protocol. */
import { createServer, type Socket } from 'node:net'

/** The reply to each verb; `undefined` is silence, a function writes any. `DOT` is the end of a mail. */
export type Script = Record<string, string | ((socket: Socket) => void) | undefined>

export interface ScriptedSmtp {
  port: number
  /** The verbs received, in order; `GREETING` stands for each connection. */
  commands: string[]
  /** Commands that came in one piece, as they were written. */
  groups: string[][]
  /** Lines of text that arrived as mail. */
  lines: string[]
  connections(): number
  openConnections(): number
  close(): void
}

const obliging: Script = {
  GREETING: '220 hi',
  EHLO: '250 hi',
  HELO: '250 hi',
  MAIL: '250 ok',
  RCPT: '250 ok',
  DATA: '354 go',
  DOT: '250 taken',
  RSET: '250 ok',
  QUIT: '221 bye',
}

/** `write` decides how replies reach the wire; by default at once. */
export async function scriptedSmtp(
  script: Script,
  write = (socket: Socket, text: string): unknown => socket.write(text),
): Promise<ScriptedSmtp> {
  const replies: Script = { ...obliging, ...script }
  const commands: string[] = []
  const groups: string[][] = []
  const lines: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {}).once('close', () => sockets.delete(socket))
    const reply = (verb: string) => {
      commands.push(verb)
      const act = replies[verb]
      if (typeof act === 'function') act(socket)
      else if (act !== undefined) write(socket, `${act}\r\n`)
      return typeof act === 'string' && act.startsWith('354')
    }
    let inMail = false
    let rest = ''
    reply('GREETING')
    socket.on('data', (chunk) => {
      const group: string[] = []
      rest += chunk.toString('latin1')
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        if (inMail && line !== '.') lines.push(line)
        else {
          if (!inMail) group.push(line)
          inMail = reply(inMail ? 'DOT' : (line.split(/[ :]/)[0] ?? '')) && !inMail
        }
      }
      if (group.length > 0) groups.push(group)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    port,
    commands,
    groups,
    lines,
    connections: () => connections,
    openConnections: () => sockets.size,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
