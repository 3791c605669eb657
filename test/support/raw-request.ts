/** Requests as bytes, also those that no client would send. */
import { connect } from 'node:net'

/** The bytes of the server until it closes the connection. */
export async function rawReply(url: string, request: string): Promise<string> {
  const { port, hostname } = new URL(url)
  const socket = connect(Number(port), hostname).setEncoding('utf8')
  socket.write(request)
  let reply = ''
  for await (const part of socket) reply += part
  return reply
}
