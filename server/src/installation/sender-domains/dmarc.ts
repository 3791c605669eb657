/** DMARC records (RFC 7489): of a domain, else of its organizational domain. */
import type { NameRecords } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { shownRecord } from './record-text.ts'

/** Names above a domain that are tried: more labels has no domain that mails come from. */
const PARENTS_MAX = 8

export async function dmarcCheck(names: NameRecords, domain: string): Promise<DiagnosticCheck> {
  const name = `DMARC ${domain}`
  const place = `_dmarc.${domain}`
  const { kind, records } = await names.txt(place)
  if (kind === 'no_answer') return check(name, 'warn', `no name server answers for ${place}`)
  const policies = records.filter(isDmarc)
  return policies.length > 0 ? judge(name, place, policies) : parentCheck(names, name, domain)
}

const isDmarc = (record: string) => /^v\s*=\s*DMARC1\s*(?:;|$)/i.test(record)

/** The organizational domain has the fewest labels among those with a record, unless it is a public suffix (DMARCbis, tree walk). */
async function parentCheck(names: NameRecords, name: string, domain: string): Promise<DiagnosticCheck> {
  // The last label alone is a top-level domain.
  const labels = domain.split('.')
  const places = labels.slice(1, -1).map((_label, index) => `_dmarc.${labels.slice(index + 1).join('.')}`)
  const lookUps = await Promise.all(
    places.slice(-PARENTS_MAX).map(async (place) => ({ place, ...(await names.txt(place)) })),
  )
  const silent = lookUps.find(({ kind }) => kind === 'no_answer')
  if (silent) return check(name, 'warn', `no name server answers for ${silent.place}`)
  const parents = lookUps
    .map(({ place, records }) => ({ place, policies: records.filter(isDmarc) }))
    .filter(({ policies }) => policies.length > 0)
  const parent = parents.findLast(({ policies: [record = ''] }) => tagsOf(record).get('psd') !== 'y') ?? parents.at(-1)
  if (!parent) return check(name, 'warn', 'there is no record', `Write it: ${firstRecord(domain)}`)
  const others = parents.filter(({ place }) => place !== parent.place).map(({ place }) => place)
  const note =
    others.length > 0 ? `; receivers take it for the organizational domain, and not ${others.join(', ')}` : ''
  return judge(name, parent.place, parent.policies, ` (of ${parent.place}${note})`)
}

const firstRecord = (domain: string) => `_dmarc.${domain}. TXT "v=DMARC1; p=none; rua=mailto:dmarc@${domain}"`

const tagsOf = (record: string): ReadonlyMap<string, string> =>
  new Map(
    record.split(';').map((tag) => {
      const [key = '', value = ''] = tag.split('=', 2)
      return [key.trim().toLowerCase(), value.trim().toLowerCase()]
    }),
  )

/** `origin` is present for the record of a domain above. */
function judge(name: string, place: string, [record = '', ...others]: string[], origin?: string): DiagnosticCheck {
  if (others.length > 0)
    return check(
      name,
      'fail',
      `${place} has ${others.length + 1} records, so that receivers apply none`,
      'Remove all but one of them.',
    )
  const tags = tagsOf(record)
  const policy = (origin === undefined ? undefined : tags.get('sp')) ?? tags.get('p')
  if (policy === undefined || !['none', 'quarantine', 'reject'].includes(policy)) {
    // RFC 7489 §6.6.3: receivers act as with p=none where there is an address for reports.
    const isRead = /^mailto:\S/.test(tags.get('rua') ?? '')
    return check(
      name,
      isRead ? 'warn' : 'fail',
      `${place} has no valid policy${isRead ? ', so that receivers only report' : ''}: ${shownRecord(record)}`,
      'Write p=none, p=quarantine or p=reject behind v=DMARC1.',
    )
  }
  const note = policy === 'none' ? '; receivers report, and act on nothing' : ''
  return check(name, 'ok', `${shownRecord(record)}${origin ?? ''}${note}`)
}
