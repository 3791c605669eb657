/** Domains of mailbox providers, where anyone has a mailbox: the only servers that send for them are those of the provider. */
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import type { Sender } from './senders.ts'

/** Each with the SPF record of the servers that send for it. */
const MAILBOX_DOMAINS: ReadonlyMap<string, string> = new Map([
  ...['gmail.com', 'googlemail.com'].map((domain) => [domain, '_spf.google.com'] as const),
  ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com'].map(
    (domain) => [domain, 'spf.protection.outlook.com'] as const,
  ),
])

export const isMailboxDomain = (domain: string): boolean => MAILBOX_DOMAINS.has(domain)

/** Their records are not the operator's, so that nothing is looked up. */
export function mailboxCheck(domain: string, senders: readonly Sender[]): DiagnosticCheck {
  const others = senders.filter(
    (sender) => sender.domain === domain && sender.records?.spfInclude !== MAILBOX_DOMAINS.get(domain),
  )
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
