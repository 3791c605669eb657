/** A reverse proxy that has a server below a path of its host, and takes that path off, and leaves the rest as it came. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface PrefixProxy {
  /** Without a slash at its end: `http://127.0.0.1:40123/notify`. */
  url: string
  /** Paths that were requested beside the prefix: a page that leaves it calls another service. */
  strayed: string[]
  close(): void
}

/** `target`: read at each request, since a server gets its public address before it is started. */
export async function startPrefixProxy(prefix: string, target: () => string): Promise<PrefixProxy> {
  const strayed: string[] = []
  const proxy = createServer((incoming, outgoing) => {
    const path = incoming.url ?? ''
    if (!path.startsWith(`${prefix}/`)) {
      strayed.push(path)
      outgoing.writeHead(404).end()
      return
    }
    const { method = 'GET', headers } = incoming
    const forwarded = request(`${target()}${path.slice(prefix.length)}`, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.rawHeaders)
      reply.pipe(outgoing)
    })
    forwarded.on('error', () => outgoing.destroy())
    incoming.pipe(forwarded)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}${prefix}`,
    strayed,
    close() {
      proxy.close()
      proxy.closeAllConnections()
    },
  }
}
