/** A page of another origin: it is served on another port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface OtherOrigin {
  port: number
  close(): void
}

export async function serveOtherOrigin(): Promise<OtherOrigin> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Other</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
