/** A TCP relay to another server that cuts connections, or changes what the server replies. */
import { connect, createServer } from 'node:net'

export interface Relay {
  /** The address with the relay in the place of the server. */
  url: string
  close(): void
}

export interface RelayOptions {
  /** True for a packet at which its connection is cut, before it gets through. */
  cutsAt?(packet: Buffer): boolean
  /** The packet that takes the place of one of the server. */
  reply?(packet: Buffer): Buffer
}

export async function startRelay(
  target: string,
  { cutsAt = () => false, reply = (packet) => packet }: RelayOptions,
): Promise<Relay> {
  const { hostname, port } = new URL(target)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.on('data', (chunk) => (cutsAt(chunk) ? near.destroy() : far.write(chunk)))
    far.on('data', (chunk) => near.write(reply(chunk)))
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on('error', () => undefined)
      from.on('close', () => other.destroy())
    }
  })
  const url = new URL(target)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', () => {
      const address = server.address()
      url.port = String(typeof address === 'object' && address ? address.port : 0)
      url.hostname = '127.0.0.1'
      resolve()
    })
  })
  return { url: url.href, close: () => void server.close() }
}
