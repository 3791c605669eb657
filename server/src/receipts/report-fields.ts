/** Fields as reports of mail servers have them: names with values, the addresses in them, and their status codes. */
import { addressMatches } from '../base/mail-address.ts'

export type ReportFields = ReadonlyMap<string, readonly string[]>

/** A mail has at most a hundred recipients. */
export const RECIPIENTS_MAX = 101
const VALUE_MAX = 4_096

/** Fields in groups that empty lines part, with lower-case names and unfolded values. */
export function fieldGroups(text: string): ReportFields[] {
  const groups: Map<string, string[]>[] = []
  let group: Map<string, string[]> | undefined
  let values: string[] | undefined
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') group = values = undefined
    else if (/^[ \t]/.test(line)) {
      if (values) values.push(`${values.pop()} ${line.trim()}`)
    } else {
      const [, name, value = ''] = /^([!-9;-~]{1,100}):(.*)$/.exec(line) ?? []
      if (name === undefined) continue
      if (!group) {
        if (groups.length === RECIPIENTS_MAX) break
        groups.push((group = new Map()))
      }
      values = group.get(name.toLowerCase()) ?? []
      values.push(value.trim())
      group.set(name.toLowerCase(), values)
    }
  }
  return groups
}

/** The mail addresses in texts such as `Ada <ada@example.com>, bob@example.com` or `rfc822; ada@example.com`. */
export const addressesIn = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...addressMatches(text)].map(({ address }) => address))),
]

const STATUS = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?!\.?\d)/
/** Microsoft: "the next server did not know the recipient", with the answer of that server behind it. */
const OF_VENDOR = /^5\.1\.3\d\d$/

/** A general code (`5.0.0`), or one of a vendor about the recipient, is replaced by the one that the next server gave. */
export function statusOf(field: string, diagnostic: string): string | undefined {
  const [, status] = STATUS.exec(field) ?? []
  const quoted = codesIn(diagnostic).find((code) => code !== status)
  if (status === undefined) return codesIn(diagnostic)[0]
  const isVague = status.endsWith('.0.0') || OF_VENDOR.test(status)
  return isVague && quoted?.[0] === status[0] ? quoted : status
}

const codesIn = (text: string): string[] =>
  [...text.slice(0, VALUE_MAX).matchAll(new RegExp(STATUS, 'g'))].flatMap(([, code]) => code ?? [])
