/** A name server on loopback with the zones of a test. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE, RECURSION_DESIRED } from 'dns-packet'

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

export async function startNameServer(zone: Zone = {}): Promise<NameServer> {
  const socket = createSocket('udp4')
  const server: NameServer = {
    ...{ address: '', queries: [], zone, silent: new Set<string>() },
    async close() {
      socket.close()
      await once(socket, 'close')
    },
  }
  socket.on('message', (packet, { port, address }) => {
    const { id, questions = [] } = decode(packet)
    const [question] = questions
    if (!question) return
    const name = question.name.toLowerCase()
    server.queries.push(`${question.type} ${name}`)
    if (server.silent === true || server.silent.has(name)) return
    const answers = answersTo(server.zone, { ...question, name })
    const flags = RECURSION_DESIRED | RECURSION_AVAILABLE | (answers ? 0 : NXDOMAIN)
    socket.send(
      encode({ type: 'response', ...(id !== undefined && { id }), flags, questions, answers: answers ?? [] }),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  server.address = `127.0.0.1:${socket.address().port}`
  return server
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
