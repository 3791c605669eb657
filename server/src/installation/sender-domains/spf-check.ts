/** The check of an SPF record: that receivers can apply it, and that it has the servers of the integrations. */
import type { NameRecords } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { shownRecord } from './record-text.ts'
import type { Relay } from './relays.ts'
import type { Sender } from './senders.ts'
import {
  allows,
  firstAddress,
  includes,
  passesAll,
  readSpf,
  type SpfPolicy,
  type SpfReading,
  withTerms,
} from './spf.ts'

/** A record with more is another text. */
const ERRORS_MAX = 3

/** `senders`: those whose envelope sender is at the domain; `relays`: their mail servers. */
export async function spfCheck(
  names: NameRecords,
  domain: string,
  senders: readonly Sender[],
  relays: readonly Relay[],
): Promise<DiagnosticCheck> {
  const name = `SPF ${domain}`
  const reading = await readSpf(names, domain)
  const { records, policy, errors } = reading
  const [record = ''] = records
  if (records.length === 0 && reading.isIncomplete) return check(name, 'warn', `no name server answers for ${domain}`)
  if (records.length === 0)
    return check(
      name,
      'warn',
      'there is no record',
      `Write it, with every server that mails of the domain leave at: ${firstRecord(domain, senders, relays)}`,
    )
  if (records.length > 1)
    return check(
      name,
      'fail',
      `there are ${records.length} records, so that receivers apply none: ${records.map(shownRecord).join(', ')}`,
      'Write one record with the terms of all.',
    )
  if (errors.length > 0)
    return check(
      name,
      'fail',
      `receivers cannot apply ${shownRecord(record)}: ${errors.slice(0, ERRORS_MAX).join('; ')}`,
      'Mend or remove these terms; addresses (ip4:, ip6:) need no look-up.',
    )
  if (!policy || passesAll(policy))
    return check(
      name,
      'fail',
      `it lets every server send for the domain: ${shownRecord(record)}`,
      'Let it end with ~all.',
    )
  return (
    missingCheck(name, domain, reading, await missingTerms(names, reading, policy, senders, relays)) ??
    fullCheck(name, reading, policy, relays)
  )
}

interface MissingTerm {
  term: string
  /** The service or mail server that it stands for. */
  title: string
}

/** None where the record has more than can be read here. */
async function missingTerms(
  names: NameRecords,
  { hasOpenTerms, isIncomplete }: SpfReading,
  policy: SpfPolicy,
  senders: readonly Sender[],
  relays: readonly Relay[],
): Promise<MissingTerm[]> {
  if (hasOpenTerms || isIncomplete) return []
  const services = await Promise.all(
    neededIncludes(senders).map(async ({ domain, title }) =>
      (await hasService(names, policy, domain)) ? [] : [{ term: `include:${domain}`, title }],
    ),
  )
  const ofRelays = relays
    .filter(({ isOwn }) => isOwn)
    .flatMap(({ host, addresses }) =>
      addresses
        .filter((address) => !allows(policy, address))
        .map((address) => ({ term: rangeTerm(address), title: host })),
    )
  return [...services.flat(), ...ofRelays]
}

/** Also where the record has the addresses of the service instead of its name (flattened), or where these cannot be read. */
async function hasService(names: NameRecords, policy: SpfPolicy, domain: string): Promise<boolean> {
  if (includes(policy, domain)) return true
  const service = await readSpf(names, domain)
  if (service.isIncomplete || service.hasOpenTerms) return true
  const address = service.policy && firstAddress(service.policy)
  return address !== undefined && allows(policy, address)
}

/** The domains that mail services need in the record. */
function neededIncludes(senders: readonly Sender[]): { domain: string; title: string }[] {
  const titles = new Map(
    senders.flatMap(({ title, records }) => (records?.spfInclude === undefined ? [] : [[records.spfInclude, title]])),
  )
  return [...titles].map(([domain, title]) => ({ domain, title }))
}

const rangeTerm = (address: string) => `${address.includes(':') ? 'ip6' : 'ip4'}:${address}`

function missingCheck(
  name: string,
  domain: string,
  { records: [record = ''] }: SpfReading,
  missing: MissingTerm[],
): DiagnosticCheck | undefined {
  if (missing.length === 0) return undefined
  const terms = missing.map(({ term }) => term)
  const titles = [...new Set(missing.map(({ title }) => title))].join(' and ')
  return check(
    name,
    'warn',
    `${shownRecord(record)} does not have ${titles} (${terms.join(' ')})`,
    `Write it: ${domain}. TXT "${withTerms(record, terms)}", unless the mails leave at other addresses, which it has.`,
  )
}

function fullCheck(
  name: string,
  { records, isIncomplete }: SpfReading,
  policy: SpfPolicy,
  relays: readonly Relay[],
): DiagnosticCheck {
  const record = shownRecord(records[0] ?? '')
  if (isIncomplete) return check(name, 'warn', `${record}; no name server answers for a name in it`)
  const publicRelays = relays.filter(({ addresses }) => addresses.length > 0)
  const notes = publicRelays.map(({ host, addresses }) =>
    addresses.every((address) => allows(policy, address))
      ? `it has ${host} (${addresses.join(', ')})`
      : `it does not have ${host}, which is right if its mails leave at other addresses`,
  )
  return check(name, 'ok', [record, ...notes].join('; '))
}

function firstRecord(domain: string, senders: readonly Sender[], relays: readonly Relay[]): string {
  const ofServices = neededIncludes(senders).map((service) => `include:${service.domain}`)
  // Mails leave elsewhere than they come in at the relay of another owner.
  const ofRelays = relays.flatMap(({ isOwn, addresses }) => (isOwn ? addresses.map(rangeTerm) : []))
  const terms = [...ofServices, ...ofRelays]
  const value = ['v=spf1', ...(terms.length > 0 ? terms : ['<the servers that send>']), '~all'].join(' ')
  return `${domain}. TXT "${value}"`
}
