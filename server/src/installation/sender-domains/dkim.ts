/** DKIM records (RFC 6376): of the keys that Postrider signs with, else at the usual selectors of a mail service. */
import type { NameRecords } from '../../transport/name-records.ts'
import { check, type DiagnosticCheck } from '../diagnostic-check.ts'
import { shownRecord } from './record-text.ts'
import { isAligned, type PublishedKey, type Sender } from './senders.ts'

/** The records of all that sign at the domains, each once. */
export async function dkimChecks(names: NameRecords, senders: readonly Sender[]): Promise<DiagnosticCheck[]> {
  const checks = new Map<string, () => Promise<DiagnosticCheck>>()
  for (const { domain, signingDomain, title, records, keys } of senders) {
    for (const key of keys ?? [])
      checks.set(`${key.selector} ${signingDomain}`, async () =>
        aligned(await keyCheck(names, signingDomain, key), domain, signingDomain),
      )
    if (!keys)
      checks.set(`${title} ${signingDomain}`, () => serviceCheck(names, signingDomain, title, records?.selectors ?? []))
  }
  return Promise.all([...checks.values()].map((look) => look()))
}

/** A signature of another owner counts for nothing in DMARC. */
function aligned(result: DiagnosticCheck, domain: string, signingDomain: string): DiagnosticCheck {
  if (result.state !== 'ok' || isAligned(domain, signingDomain)) return result
  const detail = `${result.detail}; but ${signingDomain} does not stand for ${domain} of From, so that DMARC does not count it`
  return check(result.name, 'warn', detail, `Sign for ${domain}: set dkimDomain, and write its record.`)
}

async function keyCheck(
  names: NameRecords,
  domain: string,
  { selector, record }: PublishedKey,
): Promise<DiagnosticCheck> {
  const place = `${selector}._domainkey.${domain}`
  const name = `DKIM ${place}`
  const hint = record === undefined ? undefined : `Write it: ${place}. TXT "${record}"`
  const { kind, records } = await names.txt(place)
  if (kind === 'no_answer') return check(name, 'warn', 'no name server answers for it')
  const published = records.flatMap((text) => keyIn(text) ?? [])
  if (published.length === 0)
    return check(name, 'fail', 'there is no record of the key that Postrider signs with', hint)
  if (published.every((key) => key === ''))
    return check(name, 'fail', 'the key is revoked: its record has no value for p', hint)
  if (record !== undefined && !published.includes(keyIn(record) ?? ''))
    return check(
      name,
      'fail',
      `another key than the one that Postrider signs with: ${shownRecord(records[0] ?? '')}`,
      hint,
    )
  return check(name, 'ok', record === undefined ? 'there is a key' : 'the key that Postrider signs with')
}

/** Base64, without the blanks that a record may have; empty where the key is revoked. */
function keyIn(record: string): string | undefined {
  if (/^\s*v\s*=(?!\s*DKIM1\s*(?:;|$))/i.test(record)) return undefined
  return /(?:^|;)\s*p\s*=([^;]*)/.exec(record)?.[1]?.replaceAll(/\s/g, '')
}

async function serviceCheck(
  names: NameRecords,
  domain: string,
  title: string,
  selectors: readonly string[],
): Promise<DiagnosticCheck> {
  const name = `DKIM ${domain} (${title})`
  if (selectors.length === 0)
    return check(
      name,
      'skip',
      'its selector is in no setting',
      `Send a test to a mailbox of yours: the header Authentication-Results has dkim=pass and header.d=${domain}.`,
    )
  const places = selectors.map((selector) => `${selector}._domainkey.${domain}`)
  const lookUps = await Promise.all(places.map((place) => names.txt(place)))
  const place = places.find((_place, index) => lookUps[index]?.records.some((record) => keyIn(record)))
  if (place !== undefined) return check(name, 'ok', `there is a key at ${place}`)
  if (lookUps.some(({ kind }) => kind === 'no_answer'))
    return check(name, 'warn', `no name server answers for ${places.join(', ')}`)
  return check(
    name,
    'warn',
    `no key at the usual places of ${title}: ${places.join(', ')}`,
    `Publish the records that ${title} shows for the domain. If it signs with another selector, dkim=pass in the header Authentication-Results of a mail shows that all is right.`,
  )
}
