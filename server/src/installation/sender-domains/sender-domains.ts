/** The DNS records of sender domains, as receivers of mails look them up: SPF, DKIM, DMARC and the names of mail servers. */
import type { LookUp, NameRecords, OpenNameRecords } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { dkimChecks } from './dkim.ts'
import { dmarcCheck } from './dmarc.ts'
import { isMailboxDomain, mailboxCheck } from './mailbox-domains.ts'
import { shownName } from './record-text.ts'
import { type Relay, relayOf, reverseCheck } from './relays.ts'
import { isWithin, type Sender } from './senders.ts'
import { spfCheck } from './spf-check.ts'

/** An environment has a handful; each costs about ten look-ups. */
const DOMAINS_MAX = 20
/** More are not named. */
const NAMED_MAX = 5

export async function senderDomainChecks(
  senders: readonly Sender[],
  openNameRecords: OpenNameRecords,
): Promise<DiagnosticCheck[]> {
  const all = [...new Set(senders.flatMap(domainsOf))]
  const domains = all.filter((domain) => !isReserved(domain) && !isMailboxDomain(domain))
  const checked = new Set(domains.slice(0, DOMAINS_MAX))
  const skipped = [
    ...all.filter(isMailboxDomain).map((domain) => mailboxCheck(domain, senders)),
    ...skipCheck(all.filter(isReserved), 'nothing to look up: no public name server has'),
    ...skipCheck(domains.slice(DOMAINS_MAX), `not looked up, after ${DOMAINS_MAX} others:`),
  ]
  if (checked.size === 0) return skipped
  return [...(await share(openNameRecords, senders, [...checked])), ...skipped]
}

const inFlight = new WeakMap<OpenNameRecords, Map<string, Promise<DiagnosticCheck[]>>>()

/** Calls that arrive while the same senders are looked up get the same answer. */
function share(
  openNameRecords: OpenNameRecords,
  senders: readonly Sender[],
  domains: readonly string[],
): Promise<DiagnosticCheck[]> {
  const lookUps = inFlight.get(openNameRecords) ?? new Map<string, Promise<DiagnosticCheck[]>>()
  inFlight.set(openNameRecords, lookUps)
  const key = JSON.stringify(senders)
  const current =
    lookUps.get(key) ?? openNameRecords((names) => look(names, senders, domains)).finally(() => lookUps.delete(key))
  lookUps.set(key, current)
  return current
}

/** Those that receivers look up. */
const domainsOf = ({ domain, envelopeDomain }: Sender): string[] =>
  envelopeDomain === undefined || envelopeDomain === domain ? [domain] : [domain, envelopeDomain]

const GROUP = 'sender domains'

function skipCheck(domains: readonly string[], reason: string): DiagnosticCheck[] {
  return domains.length === 0 ? [] : [check(GROUP, 'skip', `${reason} ${listed(domains)}`)]
}

function listed(domains: readonly string[]): string {
  const more = domains.length > NAMED_MAX ? ` and ${domains.length - NAMED_MAX} more` : ''
  return domains.slice(0, NAMED_MAX).join(', ') + more
}

/** RFC 2606, RFC 6761, RFC 6762, RFC 8375, and the names of private networks. */
const RESERVED = [
  ...['test', 'example', 'invalid', 'localhost', 'example.com', 'example.net', 'example.org', 'local'],
  ...['home.arpa', 'internal', 'intranet', 'private', 'corp', 'home', 'lan', 'onion'],
]

/** Also a name without a dot, and an address. */
function isReserved(domain: string): boolean {
  return !domain.includes('.') || /\.\d+$/.test(domain) || RESERVED.some((name) => isWithin(domain, name))
}

interface Existence {
  domain: string
  mailServers: LookUp
  addresses: LookUp
}

async function look(
  names: NameRecords,
  senders: readonly Sender[],
  domains: readonly string[],
): Promise<DiagnosticCheck[]> {
  const existences = await Promise.all(
    domains.map(async (domain): Promise<Existence> => {
      const [mailServers, addresses] = await Promise.all([names.mailServers(domain), names.addresses(domain)])
      return { domain, mailServers, addresses }
    }),
  )
  if (existences.every(isUnanswered) || (!existences.some(isPresent) && !(await knowsPublicNames(names))))
    return [
      check(
        GROUP,
        'warn',
        `no name server answers for public names, so that SPF, DKIM and DMARC were not looked up for ${listed(domains)}`,
        'The server needs name servers that answer for public names: on Linux those in /etc/resolv.conf.',
      ),
    ]
  const present = new Set(existences.filter(isPresent).map(({ domain }) => domain))
  const active = senders.filter(({ domain }) => present.has(domain))
  const relays = await relaysOf(names, active)
  const groups = await Promise.all(
    existences.map(async (existence) => [
      existenceCheck(existence),
      ...(isPresent(existence) ? await recordChecks(names, existence.domain, active, relays) : []),
    ]),
  )
  return [...groups.flat(), ...(await Promise.all([...relays.values()].map((relay) => reverseCheck(names, relay))))]
}

/** The name server of a network without an exit denies every public name. */
const knowsPublicNames = async (names: NameRecords): Promise<boolean> =>
  (await names.mailServers('com')).kind === 'answer'

const isUnanswered = ({ mailServers, addresses }: Existence): boolean =>
  mailServers.kind === 'no_answer' && addresses.kind === 'no_answer'

const isPresent = (existence: Existence): boolean =>
  !isUnanswered(existence) && existence.mailServers.kind !== 'no_name' && existence.addresses.kind !== 'no_name'

function existenceCheck(existence: Existence): DiagnosticCheck {
  const { domain, mailServers, addresses } = existence
  const name = `domain ${domain}`
  if (isUnanswered(existence)) return check(name, 'warn', `no name server answers for ${domain}`)
  if (!isPresent(existence))
    return check(
      name,
      'fail',
      'there is no such domain',
      'Mend the address of the sender, or register the domain: receivers reject its mails.',
    )
  const [server] = mailServers.records
  if (server === '')
    return check(
      name,
      'warn',
      'its MX record says that it takes no mail, and receivers may reject mails from it',
      'Let its MX record name a mail server, so that replies and bounces come back.',
    )
  if (server !== undefined) return check(name, 'ok', `mails to it go to ${shownName(server)}`)
  if (addresses.records.length > 0) return check(name, 'ok', 'mails to it go to its address: it has no MX record')
  return check(
    name,
    'warn',
    'it has neither an MX record nor an address, so that receivers may reject mails from it',
    'Write an MX record, so that replies and bounces come back.',
  )
}

/** Mail servers of the operator or of a relay, by host. */
async function relaysOf(names: NameRecords, senders: readonly Sender[]): Promise<ReadonlyMap<string, Relay>> {
  const domainsByHost = new Map<string, string[]>()
  for (const { relay, domain } of senders)
    if (relay !== undefined) domainsByHost.set(relay, [...(domainsByHost.get(relay) ?? []), domain])
  const relays = await Promise.all([...domainsByHost].map(([host, domains]) => relayOf(names, host, domains)))
  return new Map(relays.map((relay) => [relay.host, relay]))
}

/** The domain may be one of `From`, of an envelope sender, or both. */
async function recordChecks(
  names: NameRecords,
  domain: string,
  senders: readonly Sender[],
  relays: ReadonlyMap<string, Relay>,
): Promise<DiagnosticCheck[]> {
  const authors = senders.filter((sender) => sender.domain === domain)
  const envelopes = senders.filter(({ envelopeDomain }) => envelopeDomain === domain)
  const hosts = new Set(envelopes.flatMap(({ relay }) => relay ?? []))
  const [spf, dkim, dmarc] = await Promise.all([
    envelopes.length > 0
      ? spfCheck(
          names,
          domain,
          envelopes,
          [...hosts].flatMap((host) => relays.get(host) ?? []),
        )
      : check(`SPF ${domain}`, 'skip', `receivers look at the envelope sender, which is at ${envelopePlaces(authors)}`),
    dkimChecks(names, authors),
    authors.length > 0 ? dmarcCheck(names, domain) : undefined,
  ])
  return [spf, ...dkim, ...(dmarc ? [dmarc] : [])]
}

function envelopePlaces(senders: readonly Sender[]): string {
  const places = senders.map(({ envelopeDomain, title }) => envelopeDomain ?? `a domain of ${title}`)
  return [...new Set(places)].join(' and ')
}
