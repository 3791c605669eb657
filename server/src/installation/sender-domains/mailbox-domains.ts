/** Domains of mailbox providers, where anyone has a mailbox: the only servers that send for them are those of the provider. */
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import type { Sender } from './senders.ts'

interface MailboxProvider {
  domains: RegExp
  /** The SPF record of its adapter, where there is one. */
  spfInclude?: string
  /** Its mail servers, where there is no adapter that names them. */
  hosts?: RegExp
}

/** Domains such as `live.dev` belong to others, so that countries are listed where the provider does not have them all. */
const MAILBOX_PROVIDERS: readonly MailboxProvider[] = [
  { domains: /^(?:gmail|googlemail)\.com$/, spfInclude: '_spf.google.com' },
  {
    domains:
      /^(?:msn\.com|hotmail\.(?:com?\.)?[a-z]{2,3}|(?:live|outlook)\.(?:com(?:\.au|\.br|\.mx)?|co\.uk|at|be|ca|de|dk|es|fr|ie|it|jp|nl|no|se))$/,
    spfInclude: 'spf.protection.outlook.com',
  },
  {
    domains: /^(?:yahoo\.(?:com?\.)?[a-z]{2,3}|(?:ymail|rocketmail|aim)\.com|aol\.(?:com|co\.uk|de|fr|it))$/,
    hosts: /\.(?:yahoo\.com|yahoo\.co\.jp|aol\.com)$/,
  },
  { domains: /^(?:icloud|me|mac)\.com$/, hosts: /\.(?:icloud|me|mac)\.com$/ },
  { domains: /^(?:gmx\.(?:at|ch|com|co\.uk|de|es|eu|fr|net|us)|web\.de)$/, hosts: /\.(?:gmx\.(?:com|net)|web\.de)$/ },
]

const providerOf = (domain: string): MailboxProvider | undefined =>
  MAILBOX_PROVIDERS.find(({ domains }) => domains.test(domain))

export const isMailboxDomain = (domain: string): boolean => providerOf(domain) !== undefined

/** Their records are not the operator's, so that nothing is looked up. */
export function mailboxCheck(domain: string, senders: readonly Sender[]): DiagnosticCheck {
  const { spfInclude, hosts } = providerOf(domain) ?? {}
  const isOfProvider = ({ records, relay }: Sender) =>
    spfInclude === undefined ? relay !== undefined && hosts?.test(relay) : records?.spfInclude === spfInclude
  const others = senders.filter((sender) => sender.domain === domain && !isOfProvider(sender))
  const name = `domain ${domain}`
  const titles = [...new Set(others.map(({ title }) => title))].join(' and ')
  return others.length === 0
    ? check(name, 'skip', 'its records are those of the mailbox provider')
    : check(
        name,
        'warn',
        `it is the domain of a mailbox provider, for which ${titles} cannot send: its mails fail DMARC`,
        'Send from a domain of yours.',
      )
}
