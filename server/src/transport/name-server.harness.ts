/** For tests: a name server that an attacker owns, whose names point anywhere. */
import type { Address } from './address-guard.ts'

const names: Record<string, string[]> = {
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'private.example': ['10.1.2.3'],
  'mixed.example': ['93.184.216.34', '127.0.0.1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'metadata6.example': ['fd00:ec2::254'],
  'nat64.example': ['64:ff9b::7f00:1'],
  'link.example': ['fe80::1%lo'],
  'public.example': ['93.184.216.34', '2606:2800:220:1::1'],
}

export async function nameServer(host: string): Promise<Address[]> {
  const name = host.replace(/\.$/, '')
  const addresses = names[name] ?? (name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1'] : undefined)
  if (!addresses) throw new Error('ENOTFOUND')
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}
