/** An HTTP/2 server with TLS that records requests, and a transport of the server that trusts its certificate. */
import { createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2'
import type { HttpReply, HttpRequest } from '@postrider/server/internal/base/exchange'
import { systemClock } from '@postrider/server/internal/base/time/clock'
import { addressGuard } from '@postrider/server/internal/transport/address-guard'
import { localhost } from '@postrider/server/internal/transport/localhost-certificate.harness'
import { createTransport } from '@postrider/server/internal/transport/transport'

export interface Arrived {
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Http2Peer {
  port: number
  url: string
  /** In the order of their arrival. */
  all: Arrived[]
  /** The next request gets this reply; without one it is 200 without a body. */
  answer(status: number, body?: object): void
  /** Sends a request as the server does. */
  perform(request: HttpRequest): Promise<HttpReply>
  close(): Promise<void>
}

export async function startHttp2Peer(): Promise<Http2Peer> {
  const all: Arrived[] = []
  const answers: { status: number; body?: object | undefined }[] = []
  const server = createSecureServer(localhost)
  server.on('stream', async (stream: ServerHttp2Stream, headers) => {
    const body = Buffer.concat(await stream.toArray()).toString()
    all.push({ path: String(headers[':path']), headers, body })
    const { status, body: reply } = answers.shift() ?? { status: 200 }
    stream.respond({ ':status': status, 'apns-id': String(headers['apns-id'] ?? '') })
    stream.end(reply ? JSON.stringify(reply) : '')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const authorities = [localhost.cert]
  const transport = createTransport({ addresses: addressGuard(true, []), clock: systemClock, authorities })
  return {
    port,
    url: `https://localhost:${port}`,
    all,
    answer: (status, body) => void answers.push({ status, body }),
    async perform(request) {
      const reply = await transport.perform(request, { signal: new AbortController().signal, timeoutMs: 5_000 })
      if (reply.kind !== 'http') throw new Error(`The request was answered by ${JSON.stringify(reply)}`)
      return reply
    },
    async close() {
      await transport.close()
      server.close()
    },
  }
}
