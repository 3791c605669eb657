/** The private-address guard: every outgoing connection resolves its host here, and connects only to the result. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Unreachability = 'address_refused' | 'dns' | 'connect' | 'tls'

/** No connection could be opened, so that nothing can have been sent. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  readonly failure: Unreachability

  constructor(failure: Unreachability, message: string, cause?: unknown) {
    super(message, { cause })
    this.failure = failure
  }
}

export interface Address {
  address: string
  family: 4 | 6
}

export interface AddressGuard {
  /** Every address behind a host name or literal, all of them allowed. Throws `Unreachable`. */
  resolve(host: string, port: number): Promise<Address[]>
  /** The reason why nothing is sent there, without a look-up: a private literal, our own machine. */
  blockedReason(host: string): string | undefined
}

/** `false`: public addresses only; `true`: all; a list: public ones and these ranges. */
export type NetworkPolicy = boolean | readonly string[]

type IP = ipaddr.IPv4 | ipaddr.IPv6

/** Credentials of cloud machines are served here: AWS, GCP and Azure share the first, Alibaba has the last. */
const METADATA = ['169.254.169.254', 'fd00:ec2::254', 'fd20:ce::254', '100.100.100.200'].map((text) =>
  ipaddr.parse(text),
)
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const V4_COMPATIBLE = ipaddr.IPv6.parseCIDR('::/96')

/** `closed` are our own listeners (the database): only a range of exactly that one address allows them, as for metadata. */
export function addressGuard(
  policy: NetworkPolicy,
  closed: readonly { host: string; port: number }[],
  resolveName: (host: string) => Promise<Address[]> = systemLookup,
): AddressGuard {
  const ranges = typeof policy === 'boolean' ? [] : policy.map(parseRange)

  async function isClosed(host: string, addresses: readonly Address[], port: number): Promise<boolean> {
    for (const listener of closed) {
      if (listener.port !== port) continue
      if (bare(listener.host) === host) return true
      // Another name of the same machine leads to the same listener.
      const resolved = await addressesOf(bare(listener.host), resolveName).catch(() => [])
      const listenerAddresses = resolved.map(({ address }) => effective(address).toString())
      if (addresses.some(({ address }) => listenerAddresses.includes(effective(address).toString()))) return true
    }
    return false
  }

  function isRefused(text: string): boolean {
    const ip = effective(text)
    if (ranges.some((range) => contains(range, ip) && isExact(range))) return false
    if (METADATA.some((metadata) => metadata.toString() === ip.toString())) return true
    return policy !== true && !isPublic(text) && !ranges.some((range) => contains(range, ip))
  }

  return {
    async resolve(name, port) {
      const host = bare(name)
      const addresses = await addressesOf(host, resolveName)
      if (addresses.some(({ address }) => isRefused(address))) throw refusedAddress(host)
      const listed = addresses.every(({ address }) =>
        ranges.some((range) => isExact(range) && contains(range, effective(address))),
      )
      if (!listed && (await isClosed(host, addresses, port))) throw refusedAddress(`${host}:${port}`)
      return addresses
    },
    blockedReason(name) {
      const host = bare(name)
      // The only name that means the same everywhere.
      const address = /(^|\.)localhost\.?$/.test(host) ? '127.0.0.1' : host
      return isIP(address) && isRefused(address) ? refusedAddress(host).message : undefined
    },
  }
}

/** An allow-list: whatever is not plainly a public unicast address is private, also ranges assigned tomorrow. */
export function isPublic(text: string): boolean {
  const ip = ipaddr.parse(text)
  if (ip.range() !== 'unicast') return false
  return ip instanceof ipaddr.IPv4 || ip.match(GLOBAL_IPV6)
}

/** Whether the address is on the public network. */
export const isPublicPeer = (text: string) => isPublic(effective(text).toString())

async function addressesOf(host: string, resolveName: (host: string) => Promise<Address[]>): Promise<Address[]> {
  const family = isIP(host)
  if (family === 4 || family === 6) return [{ address: host, family }]
  try {
    const addresses = await resolveName(host)
    if (addresses.length > 0) return addresses
  } catch (error) {
    throw new Unreachable('dns', `No address found for ${host}`, error)
  }
  throw new Unreachable('dns', `No address found for ${host}`)
}

async function systemLookup(host: string): Promise<Address[]> {
  const addresses = await lookup(host, { all: true, order: 'verbatim' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/** Lower case, without the brackets of a literal. */
function bare(host: string): string {
  const text = host.toLowerCase()
  return text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
}

/** The machine an address leads to: IPv4 mapped into IPv6 is that IPv4 address. */
function effective(text: string): IP {
  const ip = ipaddr.parse(text)
  if (ip instanceof ipaddr.IPv4) return ip
  if (ip.isIPv4MappedAddress()) return ip.toIPv4Address()
  const isLocal = ip.range() === 'loopback' || ip.range() === 'unspecified'
  if (!isLocal && (ip.match(NAT64) || ip.match(V4_COMPATIBLE))) return new ipaddr.IPv4(ip.toByteArray().slice(12))
  return ip
}

type Range = [IP, number]

function parseRange(text: string): Range {
  const [ip, bits] = ipaddr.parseCIDR(
    text.includes('/') ? text : `${text}/${ipaddr.parse(text).kind() === 'ipv4' ? 32 : 128}`,
  )
  return [ip, bits]
}

const isExact = ([ip, bits]: Range) => bits === (ip.kind() === 'ipv4' ? 32 : 128)

function contains([base, bits]: Range, ip: IP): boolean {
  if (base instanceof ipaddr.IPv4) return ip instanceof ipaddr.IPv4 && ip.match(base, bits)
  return ip instanceof ipaddr.IPv6 && ip.match(base, bits)
}

/** Names the host as the caller wrote it: the error reveals no address inside our network. */
const refusedAddress = (host: string) =>
  new Unreachable(
    'address_refused',
    `${host} is not open to outgoing connections; POSTRIDER_ALLOW_PRIVATE_NETWORK can open it`,
  )
