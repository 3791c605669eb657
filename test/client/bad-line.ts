/** A connection to a server that breaks where the caller demands it: after the request has arrived, or without a reply. */
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface BadLine {
  url: string
  /** Calls so far, by the value of their header `x-peer`. */
  count(): { drop: number; silent: number }
  close(): Promise<void>
}

/** `x-peer: drop` loses the first answer to each `Idempotency-Key`; `x-peer: silent` loses every one and holds on. */
export async function openBadLine(url: string): Promise<BadLine> {
  const { hostname, port } = new URL(url)
  const counts = { drop: 0, silent: 0 }
  const dropped = new Set<string>()
  const line = createServer((incoming, outgoing) => {
    const wish = incoming.headers['x-peer']
    if (wish === 'drop' || wish === 'silent') counts[wish] += 1
    if (wish === 'silent') return
    const key = String(incoming.headers['idempotency-key'])
    const loses = wish === 'drop' && !dropped.has(key)
    dropped.add(key)
    const { method, url: path, headers } = incoming
    const onward = request({ hostname, port, method, path, headers }, (answer) => {
      if (loses) {
        answer.resume().once('end', () => outgoing.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
    })
    onward.once('error', () => outgoing.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => line.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(line.address() as AddressInfo).port}`,
    count: () => ({ ...counts }),
    close: () =>
      new Promise((resolve) => {
        line.close(() => resolve())
        line.closeAllConnections()
      }),
  }
}
