/** SPF records as receivers read them (RFC 7208): with their includes, as far as an operator can be wrong about them. Macros and `ptr` are not evaluated. */
import ipaddr from 'ipaddr.js'
import type { LookUp, NameRecords } from '../../transport/name-records.ts'
import { shownName, shownRecord } from './record-text.ts'

/** A record with the records that it leads to. */
export interface SpfPolicy {
  terms: readonly Term[]
  /** Read where no term matches. */
  redirect?: Target
}

interface Target {
  domain: string
  /** Undefined where its record cannot be read. */
  policy: SpfPolicy | undefined
}

interface Term {
  qualifier: Qualifier
  mechanism: Mechanism
  /** Behind the colon: a domain, or a range of addresses. */
  value: string
  /** Addresses or ranges that match, of `ip4`, `ip6`, `a` and `mx`. */
  ranges?: readonly string[]
  /** Leads to this record, of `include`. */
  policy?: SpfPolicy
}

type Qualifier = '+' | '-' | '~' | '?'
type Mechanism = 'all' | 'include' | 'a' | 'mx' | 'ptr' | 'ip4' | 'ip6' | 'exists'

export interface SpfReading {
  /** Records of the domain itself; receivers need exactly one. */
  records: readonly string[]
  policy?: SpfPolicy
  /** The reasons for which receivers reject the record as a whole (`permerror`). */
  errors: readonly string[]
  /** A name server did not answer, so that there may be more to say. */
  isIncomplete: boolean
  /** It has macros, `exists`, `ptr` or very many terms, so that it may let pass what `allows` does not know. */
  hasOpenTerms: boolean
}

/** RFC 7208 §4.6.4: terms that cause a look-up, includes among them. */
const LOOK_UPS_MAX = 10
/** RFC 7208 §4.6.4: names of one `mx`. */
const MAIL_SERVERS_MAX = 10
/** RFC 7208 §4.6.4: look-ups without an answer. */
const VOID_LOOK_UPS_MAX = 2
/** Flattened records have hundreds; nothing is concluded from a record with more. */
const TERMS_MAX = 2_000

interface Reading {
  names: NameRecords
  lookUps: number
  voidLookUps: number
  errors: Set<string>
  isIncomplete: boolean
  hasOpenTerms: boolean
}

export async function readSpf(names: NameRecords, domain: string): Promise<SpfReading> {
  const reading: Reading = {
    ...{ names, lookUps: 0, voidLookUps: 0 },
    ...{ errors: new Set<string>(), isIncomplete: false, hasOpenTerms: false },
  }
  const { kind, records } = await names.txt(domain)
  const policies = records.filter(isSpf)
  const [record] = policies
  const policy = record !== undefined && policies.length === 1 ? await expand(reading, record, [domain]) : undefined
  return {
    records: policies,
    ...(policy && { policy }),
    errors: [...reading.errors],
    isIncomplete: reading.isIncomplete || kind === 'no_answer',
    hasOpenTerms: reading.hasOpenTerms,
  }
}

const isSpf = (record: string) => /^v=spf1(?: |$)/i.test(record)

/** `path`: the domains that led to the record, its domain last. */
async function expand(reading: Reading, record: string, path: readonly string[]): Promise<SpfPolicy> {
  const terms: Term[] = []
  const modifiers = new Map<string, string>()
  const [, ...parts] = record.split(/ +/, TERMS_MAX + 2)
  if (parts.length > TERMS_MAX) reading.hasOpenTerms = true
  for (const text of parts.slice(0, TERMS_MAX).filter(Boolean)) {
    const [, name = '', value = ''] = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text)?.map((part) => part.toLowerCase()) ?? []
    // Unknown modifiers are ignored (RFC 7208 §6).
    if (modifiers.has(name) && ['redirect', 'exp'].includes(name))
      reading.errors.add(`the record of ${shownName(path.at(-1))} has ${name}= twice`)
    if (name) modifiers.set(name, value)
    if (name) continue
    const term = parseTerm(text, path.at(-1) ?? '')
    if (term) terms.push(await resolve(reading, term, path))
    else reading.errors.add(`${shownRecord(text)} in the record of ${shownName(path.at(-1))} is not a term of SPF`)
    // Receivers read no further.
    if (term?.mechanism === 'all') return { terms }
  }
  const domain = modifiers.get('redirect')?.replace(/\.$/, '')
  if (domain === undefined) return { terms }
  return { terms, redirect: { domain, policy: await follow(reading, domain, path) } }
}

const TERM =
  /^([+~?-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/]+(?:\/\d{1,3})?))?((?:\/\d{1,3})?(?:\/\/\d{1,3})?)$/i

/** A macro may have slashes. */
const TERM_WITH_MACRO = /^([+~?-]?)(include|a|mx|ptr|exists):([^%]*%[{%_-].*)$/i

function parseTerm(text: string, domain: string): (Term & { lengths: string }) | undefined {
  const [, sign = '', name = '', target = '', rest = ''] = TERM_WITH_MACRO.exec(text) ?? TERM.exec(text) ?? []
  const mechanism = name.toLowerCase() as Mechanism
  const qualifier = (sign || '+') as Qualifier
  const base = { qualifier, mechanism, value: target.toLowerCase().replace(/\.$/, ''), lengths: rest }
  if (target.includes('%')) return base
  if (mechanism === 'ip4' || mechanism === 'ip6') {
    const range = rangeOf(target, mechanism === 'ip4' ? 'ipv4' : 'ipv6')
    return range === undefined || rest ? undefined : { ...base, ranges: [range] }
  }
  if (mechanism === 'a' || mechanism === 'mx') {
    const [, host = '', length = ''] = /^([^/]*)(\/\d{1,3})?$/.exec(base.value) ?? []
    const lengths = length + rest
    return isLengths(lengths) ? { ...base, value: host || domain, lengths } : undefined
  }
  if (name === '' || rest) return undefined
  const needsValue = mechanism === 'include' || mechanism === 'exists'
  return needsValue === (target !== '') || mechanism === 'ptr' ? base : undefined
}

function rangeOf(text: string, kind: 'ipv4' | 'ipv6'): string | undefined {
  const range = text.includes('/') ? text : `${text}/${kind === 'ipv4' ? 32 : 128}`
  const isRange =
    kind === 'ipv4'
      ? /^\d+\.\d+\.\d+\.\d+\//.test(range) && ipaddr.IPv4.isValidCIDR(range)
      : ipaddr.IPv6.isValidCIDR(range)
  return isRange ? range : undefined
}

async function resolve(
  reading: Reading,
  { lengths, ...term }: Term & { lengths: string },
  path: readonly string[],
): Promise<Term> {
  const { mechanism, value } = term
  if (mechanism === 'include') {
    const policy = await follow(reading, value, path)
    return { ...term, ...(policy && { policy }) }
  }
  if (mechanism === 'all' || mechanism === 'ip4' || mechanism === 'ip6') return term
  const isOpen = mechanism === 'ptr' || mechanism === 'exists' || value.includes('%')
  if (isOpen) reading.hasOpenTerms = true
  if (!countLookUp(reading) || isOpen) return term
  return { ...term, ranges: (await addressesOf(reading, mechanism, value)).map((ip) => withLength(ip, lengths)) }
}

async function addressesOf(reading: Reading, mechanism: 'a' | 'mx', domain: string): Promise<readonly string[]> {
  const { names } = reading
  if (mechanism === 'a') return countVoid(reading, await names.addresses(domain))
  const hosts = countVoid(reading, await names.mailServers(domain)).filter(Boolean)
  if (hosts.length > MAIL_SERVERS_MAX)
    reading.errors.add(`${shownName(domain)} has more than ${MAIL_SERVERS_MAX} mail servers, too many for mx`)
  const lookUps = await Promise.all(hosts.slice(0, MAIL_SERVERS_MAX).map((host) => names.addresses(host)))
  if (lookUps.some(({ kind }) => kind === 'no_answer')) reading.isIncomplete = true
  return lookUps.flatMap(({ records }) => records)
}

function countVoid(reading: Reading, { kind, records }: LookUp): readonly string[] {
  if (kind === 'no_answer') reading.isIncomplete = true
  else if (records.length === 0) reading.voidLookUps += 1
  if (reading.voidLookUps > VOID_LOOK_UPS_MAX)
    reading.errors.add(`more than ${VOID_LOOK_UPS_MAX} of its names have no address and no mail server`)
  return records
}

/** `/24//64`: the length for IPv4, then the one for IPv6. */
function parseLengths(lengths: string): { v4: number; v6: number } {
  const [, v4 = '32', v6 = '128'] = /^(?:\/(\d+))?(?:\/\/(\d+))?$/.exec(lengths) ?? []
  return { v4: Number(v4), v6: Number(v6) }
}

function isLengths(lengths: string): boolean {
  const { v4, v6 } = parseLengths(lengths)
  return v4 <= 32 && v6 <= 128
}

function withLength(address: string, lengths: string): string {
  const { v4, v6 } = parseLengths(lengths)
  return address.includes(':') ? `${address}/${v6}` : `${address}/${v4}`
}

function countLookUp(reading: Reading): boolean {
  reading.lookUps += 1
  if (reading.lookUps <= LOOK_UPS_MAX) return true
  reading.errors.add(`it needs more than ${LOOK_UPS_MAX} look-ups, includes among them`)
  return false
}

/** The record that an include or a redirect leads to. */
async function follow(reading: Reading, domain: string, path: readonly string[]): Promise<SpfPolicy | undefined> {
  if (path.includes(domain)) {
    reading.errors.add(`it includes itself: ${[...path, domain].map(shownName).join(' → ')}`)
    return undefined
  }
  if (domain.includes('%')) reading.hasOpenTerms = true
  if (!countLookUp(reading) || domain.includes('%')) return undefined
  const { kind, records } = await reading.names.txt(domain)
  if (kind === 'no_answer') {
    reading.isIncomplete = true
    return undefined
  }
  const policies = records.filter(isSpf)
  const [record] = policies
  if (record !== undefined && policies.length === 1) return expand(reading, record, [...path, domain])
  reading.errors.add(
    `it includes ${shownName(domain)}, which has ${policies.length === 0 ? 'no SPF record' : 'several SPF records'}`,
  )
  return undefined
}

/** Whether mails from the address pass. */
export const allows = (policy: SpfPolicy, address: string): boolean => qualifierFor(policy, address) === '+'

function qualifierFor(policy: SpfPolicy, address: string): Qualifier {
  const match = policy.terms.find((term) => matches(term, address))
  if (match) return match.qualifier
  return policy.redirect?.policy ? qualifierFor(policy.redirect.policy, address) : '?'
}

function matches({ mechanism, ranges = [], policy }: Term, address: string): boolean {
  if (mechanism === 'all') return true
  if (mechanism === 'include') return policy !== undefined && allows(policy, address)
  return ranges.some((range) => isInRange(address, range))
}

function isInRange(address: string, range: string): boolean {
  if (!ipaddr.isValidCIDR(range)) return false
  const [ip, [base, bits]] = [ipaddr.parse(address), ipaddr.parseCIDR(range)]
  return ip.kind() === base.kind() && ip.match(base, bits)
}

/** The domains whose records it leads to, itself excluded. */
const targetsOf = ({ terms, redirect }: SpfPolicy): Target[] => [
  ...terms.flatMap(({ mechanism, value, policy }) => (mechanism === 'include' ? [{ domain: value, policy }] : [])),
  ...(redirect ? [redirect] : []),
]

/** Whether a record that it leads to is that of the domain. */
export const includes = (policy: SpfPolicy, name: string): boolean =>
  targetsOf(policy).some(({ domain, policy: target }) => domain === name || (target && includes(target, name)))

/** An address that it names, if any. */
export function firstAddress(policy: SpfPolicy): string | undefined {
  const [range] = policy.terms.flatMap(({ qualifier, ranges = [] }) => (qualifier === '+' ? ranges : []))
  if (range !== undefined) return ipaddr.parseCIDR(range)[0].toString()
  for (const target of targetsOf(policy)) {
    const address = target.policy && firstAddress(target.policy)
    if (address !== undefined) return address
  }
  return undefined
}

/** Whether it lets every server pass that no term before matches. */
export const passesAll = ({ terms, redirect }: SpfPolicy): boolean =>
  terms.some(
    ({ qualifier, mechanism, policy }) =>
      qualifier === '+' && (mechanism === 'all' || (mechanism === 'include' && policy && passesAll(policy))),
  ) ||
  (redirect?.policy !== undefined && passesAll(redirect.policy))

/** The record with further terms, in front of those that end it. */
export const withTerms = (record: string, terms: readonly string[]): string =>
  record.replace(/^v=spf1/i, ['v=spf1', ...terms].join(' '))
