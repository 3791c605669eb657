/** Recognizes calls from this machine that come from a program, not from a web page in a browser. */
import type { IncomingMessage } from 'node:http'

const LOOPBACK_ADDRESS = /^(::1|(::ffff:)?127\.\d+\.\d+\.\d+)$/
/** A page of another site can have its own name resolve to 127.0.0.1, but then it is that name that the call carries. */
const LOOPBACK_HOST = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/i
/** Set by a proxy, which speaks for others, or by a browser. */
const HEADERS_OF_OTHERS = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via', 'origin', 'referer', 'sec-fetch-site']

export function isLocalCaller({ socket, headers }: IncomingMessage): boolean {
  if (!LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') || !LOOPBACK_HOST.test(headers.host ?? '')) return false
  return HEADERS_OF_OTHERS.every((name) => headers[name] === undefined)
}
