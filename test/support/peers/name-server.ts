/** A name server on loopback with the zones of a test. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import {
  type Answer,
  decode,
  encode,
  type Packet,
  type Question,
  RECURSION_AVAILABLE,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

/** Records by name and type; an MX record is the name of a server. A name without an entry does not exist. */
export type Zone = Readonly<
  Record<string, Readonly<Partial<Record<'A' | 'AAAA' | 'MX' | 'TXT' | 'PTR' | 'CNAME', string[]>>>>
>

export interface NameServer {
  /** `127.0.0.1:port`. */
  address: string
  /** `TXT example.com`, in order of arrival. */
  queries: string[]
  zone: Zone
  /** Names that get no answer; all of them with `true`. */
  silent: ReadonlySet<string> | true
  close(): Promise<void>
}

const NXDOMAIN = 3
/** A string of a record has 255 bytes. */
const STRINGS = /[\s\S]{1,200}/g
/** A longer answer needs TCP. */
const UDP_BYTES_MAX = 1_232

export async function startNameServer(zone: Zone = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const connections = new Set<Socket>()
  const server: NameServer = {
    ...{ address: '', queries: [], zone, silent: new Set<string>() },
    async close() {
      for (const connection of connections) connection.destroy()
      socket.close()
      listener.close()
      await Promise.all([once(socket, 'close'), once(listener, 'close')])
    },
  }
  socket.on('message', (packet, { port, address }) => {
    const reply = replyTo(server, packet, UDP_BYTES_MAX)
    if (reply) socket.send(reply, port, address)
  })
  const listener = createServer((connection) => {
    connections.add(connection)
    connection.on('error', () => undefined)
    let bytes = Buffer.alloc(0)
    connection.on('data', (chunk) => {
      bytes = Buffer.concat([bytes, chunk])
      for (let end = 0; bytes.length >= 2; bytes = bytes.subarray(end)) {
        end = 2 + bytes.readUInt16BE(0)
        if (bytes.length < end) return
        const reply = replyTo(server, bytes.subarray(2, end), Number.POSITIVE_INFINITY)
        if (reply) connection.write(Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 255]), reply]))
      }
    })
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  listener.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  server.address = `127.0.0.1:${port}`
  return server
}

/** A truncated answer has no records, so that the query is repeated over TCP. */
function replyTo(server: NameServer, packet: Buffer, bytesMax: number): Buffer | undefined {
  const { id, questions = [] } = decode(packet)
  const [question] = questions
  if (!question) return undefined
  const name = question.name.toLowerCase()
  if (bytesMax === UDP_BYTES_MAX) server.queries.push(`${question.type} ${name}`)
  if (server.silent === true || server.silent.has(name)) return undefined
  const answers = answersTo(server.zone, { ...question, name })
  const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (answers ? 0 : NXDOMAIN)
  const response: Packet = { ...{ type: 'response', flags, questions }, ...(id !== undefined && { id }) }
  const reply = encode({ ...response, answers: answers ?? [] })
  return reply.length <= bytesMax ? reply : encode({ ...response, flags: flags | TRUNCATED_RESPONSE, answers: [] })
}

/** Undefined where the name does not exist. Names above one that exists do. */
function answersTo(zone: Zone, { name, type }: Question): Answer[] | undefined {
  const records = zone[name]
  if (!records) return Object.keys(zone).some((other) => other.endsWith(`.${name}`)) ? [] : undefined
  const [alias] = records.CNAME ?? []
  if (alias !== undefined)
    return [{ name, type: 'CNAME', ttl: 60, data: alias }, ...(answersTo(zone, { name: alias, type }) ?? [])]
  if (type === 'MX')
    return (records.MX ?? []).map((exchange, index) => ({ name, type, ttl: 60, data: { exchange, preference: index } }))
  if (type === 'TXT')
    return (records.TXT ?? []).map((text) => ({ name, type, ttl: 60, data: text.match(STRINGS) ?? [''] }))
  if (type === 'A' || type === 'AAAA' || type === 'PTR')
    return (records[type] ?? []).map((data) => ({ name, type, ttl: 60, data }))
  return []
}
