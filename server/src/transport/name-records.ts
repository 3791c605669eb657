/** Look-ups in the DNS, bounded: all of them in time and number, and each is made once. */
import { Resolver } from 'node:dns/promises'
import ipaddr from 'ipaddr.js'

/**
 * `answer`: the records, which may be none. `no_name`: the name does not exist. `no_answer`: no name server said either.
 */
export interface LookUp {
  kind: 'answer' | 'no_name' | 'no_answer'
  records: readonly string[]
}

export interface NameRecords {
  /** The strings of each record, joined. */
  txt(name: string): Promise<LookUp>
  /** Names of mail servers, the preferred first; an empty one says that the domain takes no mail (RFC 7505). */
  mailServers(name: string): Promise<LookUp>
  /** IPv4 and IPv6. */
  addresses(name: string): Promise<LookUp>
  /** The names of an address. */
  namesOf(address: string): Promise<LookUp>
}

export interface LookUpOptions {
  /** `address:port`; by default the name servers of the system. */
  servers?: readonly string[]
  /** The time of one try of one look-up. */
  timeoutMs: number
  tries: number
  /** The time of all look-ups together. */
  totalMs: number
  lookUpsMax: number
}

/** A caller waits for the answers; a name server that needs longer fails mails, too. */
const LOOK_UP_OPTIONS: LookUpOptions = { timeoutMs: 1_500, tries: 2, totalMs: 6_000, lookUpsMax: 600 }

export type OpenNameRecords = <T>(use: (records: NameRecords) => Promise<T>) => Promise<T>

/** Look-ups of one use; those that run when it ends are canceled. */
export const nameRecords =
  (options: LookUpOptions = LOOK_UP_OPTIONS): OpenNameRecords =>
  async (use) => {
    const resolver = new Resolver({ timeout: options.timeoutMs, tries: options.tries })
    if (options.servers) resolver.setServers(options.servers)
    const deadline = AbortSignal.timeout(options.totalMs)
    const cancel = () => resolver.cancel()
    deadline.addEventListener('abort', cancel)
    try {
      return await use(recordsOf(resolver, deadline, options.lookUpsMax))
    } finally {
      deadline.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }

function recordsOf(resolver: Resolver, deadline: AbortSignal, lookUpsMax: number): NameRecords {
  const lookUps = new Map<string, Promise<LookUp>>()
  const lookUp = (type: string, name: string, resolve: (name: string) => Promise<string[]>): Promise<LookUp> => {
    const key = `${type} ${name.toLowerCase()}`
    const before = lookUps.get(key)
    if (before) return before
    const next = deadline.aborted || lookUps.size >= lookUpsMax ? Promise.resolve(NO_ANSWER) : settle(resolve(name))
    lookUps.set(key, next)
    return next
  }
  return {
    txt: (name) =>
      lookUp('TXT', name, async () => (await resolver.resolveTxt(name)).map((strings) => strings.join(''))),
    mailServers: (name) =>
      lookUp('MX', name, async () => {
        const servers = await resolver.resolveMx(name)
        return servers.toSorted((left, right) => left.priority - right.priority).map(({ exchange }) => exchange)
      }),
    async addresses(name) {
      const [v4, v6] = await Promise.all([
        lookUp('A', name, () => resolver.resolve4(name)),
        lookUp('AAAA', name, () => resolver.resolve6(name)),
      ])
      const records = [...v4.records, ...v6.records]
      if (records.length > 0) return { kind: 'answer', records }
      return v4.kind === 'no_answer' ? v4 : v6
    },
    namesOf: (address) => lookUp('PTR', reverseName(address), (name) => resolver.resolvePtr(name)),
  }
}

const NO_ANSWER: LookUp = { kind: 'no_answer', records: [] }

/** An answer has 64 kB at most. It is not cut, because the record that counts may come last. */
async function settle(resolved: Promise<string[]>): Promise<LookUp> {
  try {
    return { kind: 'answer', records: await resolved }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENODATA') return { kind: 'answer', records: [] }
    // Others say that no server answered, or that the answer is no good: ETIMEOUT, ESERVFAIL, EREFUSED.
    return code === 'ENOTFOUND' ? { kind: 'no_name', records: [] } : NO_ANSWER
  }
}

/** The name that has the names of an address: `25.2.0.192.in-addr.arpa`. */
export function reverseName(address: string): string {
  const ip = ipaddr.parse(address)
  const bytes = ip.toByteArray()
  if (ip.kind() === 'ipv4') return `${bytes.reverse().join('.')}.in-addr.arpa`
  const digits = bytes.flatMap((byte) => [...byte.toString(16).padStart(2, '0')])
  return `${digits.reverse().join('.')}.ip6.arpa`
}
