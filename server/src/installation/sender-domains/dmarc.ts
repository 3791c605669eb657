/** DMARC records (RFC 7489): of a domain, else of the domains above it. */
import type { NameRecords } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { shown } from './record-text.ts'

/** Names above a domain that are tried: more labels has no domain that mails come from. */
const PARENTS_MAX = 8

export async function dmarcCheck(names: NameRecords, domain: string): Promise<DiagnosticCheck> {
  const name = `DMARC ${domain}`
  const labels = domain.split('.')
  // The last label alone is a top-level domain.
  for (const depth of labels.slice(0, -1).slice(0, PARENTS_MAX).keys()) {
    const place = `_dmarc.${labels.slice(depth).join('.')}`
    const { kind, records } = await names.txt(place)
    if (kind === 'no_answer') return check(name, 'warn', `no name server answers for ${place}`)
    const policies = records.filter((record) => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record))
    if (policies.length > 0) return judge(name, place, policies, depth > 0)
  }
  return check(name, 'warn', 'there is no record', `Write it: ${firstRecord(domain)}`)
}

const firstRecord = (domain: string) => `_dmarc.${domain}. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${domain}"`

function judge(name: string, place: string, [record = '', ...others]: string[], isOfParent: boolean): DiagnosticCheck {
  if (others.length > 0)
    return check(
      name,
      'fail',
      `${place} has ${others.length + 1} records, so that receivers apply none`,
      'Remove all but one of them.',
    )
  const tags = new Map(
    record.split(';').map((tag) => {
      const [key = '', value = ''] = tag.split('=', 2)
      return [key.trim().toLowerCase(), value.trim().toLowerCase()]
    }),
  )
  const policy = (isOfParent ? tags.get('sp') : undefined) ?? tags.get('p')
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy))
    return check(
      name,
      'fail',
      `${place} has no valid policy: ${shown(record)}`,
      'Write p=none, p=quarantine or p=reject behind v=DMARC1.',
    )
  const origin = isOfParent ? ` (of ${place})` : ''
  const note = policy === 'none' ? '; receivers report, and act on nothing' : ''
  return check(name, 'ok', `${shown(record)}${origin}${note}`)
}
