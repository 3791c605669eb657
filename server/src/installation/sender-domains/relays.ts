/** Mail servers of integrations: their public addresses, and whether the names of these lead back to them (FCrDNS). */
import { isIP } from 'node:net'
import { isPublic } from '../../transport/address-guard.ts'
import { type NameRecords, reverseName } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { shownName } from './record-text.ts'
import { isWithin } from './senders.ts'

export interface Relay {
  host: string
  /** Whether a name server answered for the host. */
  isAnswered: boolean
  /** Those that are public. */
  addresses: readonly string[]
  /** It belongs to the owner of the sender domain, by its name. */
  isOwn: boolean
}

/** A mail server has an IPv4 and an IPv6 address; a farm has many, which are its own matter. */
const ADDRESSES_MAX = 4
/** Names of an address that are looked up. */
const NAMES_MAX = 4

export async function relayOf(names: NameRecords, host: string, domains: readonly string[]): Promise<Relay> {
  const { kind, records } = isIP(host) ? { kind: 'answer', records: [host] } : await names.addresses(host)
  const parent = host.slice(host.indexOf('.') + 1)
  const isOwn = domains.some(
    (domain) => isWithin(host, domain) || (!mayBePublicSuffix(parent) && isWithin(domain, parent)),
  )
  const addresses = records.filter((address) => isPublic(address)).slice(0, ADDRESSES_MAX)
  return { host, isAnswered: kind !== 'no_answer', addresses, isOwn }
}

/** `com`, `co.uk`, `com.br`; also `abc.com`, of which then nothing is concluded. */
const mayBePublicSuffix = (domain: string): boolean => /^(?:[^.]{1,3}\.)?[^.]+$/.test(domain)

export async function reverseCheck(
  names: NameRecords,
  { host, isAnswered, addresses, isOwn }: Relay,
): Promise<DiagnosticCheck> {
  const name = `PTR ${host}`
  if (!isAnswered) return check(name, 'warn', `no name server answers for ${host}`)
  if (addresses.length === 0)
    return check(name, 'skip', `${host} has no public address, so that receivers see another one`)
  const errors = await Promise.all(addresses.map((address) => reverseError(names, address)))
  const index = errors.findIndex((error) => error !== undefined)
  const [address = '', error] = [addresses[index], errors[index]]
  if (error === undefined) return check(name, 'ok', `the names of ${addresses.join(', ')} lead back`)
  if (!isOwn)
    return check(
      name,
      'skip',
      error,
      'If the mails leave at another address, as at large services, this does not matter; else the operator of the server has to mend it.',
    )
  return check(
    name,
    'warn',
    error,
    `If mails of the domain leave at this address, let its owner, such as the hosting company, write it: ${reverseName(address)}. PTR ${isIP(host) ? 'the name of the server' : host}.`,
  )
}

async function reverseError(names: NameRecords, address: string): Promise<string | undefined> {
  const { kind, records } = await names.namesOf(address)
  if (kind === 'no_answer') return `no name server answers for the name of ${address}`
  if (records.length === 0) return `${address} has no name`
  const lookUps = await Promise.all(records.slice(0, NAMES_MAX).map((record) => names.addresses(record)))
  if (lookUps.some((lookUp) => lookUp.records.includes(address))) return undefined
  return `${address} is ${shownName(records[0])}, which does not lead back to it`
}
