/** The address of the program at the other end of a call, as far as it can be known. */
import ipaddr from 'ipaddr.js'

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Networks of proxies whose `X-Forwarded-For` is believed. */
export type TrustedProxies = readonly Range[]

/** The networks must be valid CIDRs. */
export const trustedProxies = (cidrs: readonly string[]): TrustedProxies => cidrs.map((cidr) => ipaddr.parseCIDR(cidr))

/** Proxies in a row, beyond which the header is taken for invented. */
const HOPS_MAX = 16

/**
 * Each trusted proxy appends the address that it saw, so that the last one that is no trusted proxy is the client.
 * Entries before it are written by the client itself.
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let address = remoteAddress ?? ''
  if (forwardedFor === undefined || proxies.length === 0) return address
  const entries = forwardedFor.split(',').slice(-HOPS_MAX)
  while (isTrusted(address, proxies)) {
    const entry = entries.pop()?.trim()
    if (entry === undefined || !ipaddr.isValid(entry)) return address
    address = entry
  }
  return address
}

function isTrusted(address: string, proxies: TrustedProxies): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  return proxies.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits))
}
