/** The pseudonym of an erased person, and the pattern that finds a person in JSON texts. */
import { createHmac } from 'node:crypto'
import type { SecretKey } from '../base/secret.ts'

/** Stable for a person of a workspace; without the secret key it cannot be traced to the person. */
export function pseudonymOf(key: SecretKey, workspaceId: number, person: string): string {
  const digest = createHmac('sha256', key.derive('erasure')).update(`${workspaceId}\0${person}`).digest('hex')
  return `erased-${digest.slice(0, 32)}`
}

/**
 * A regular expression for JavaScript and PostgreSQL: a field that identifies a user, with this value. Other fields may
 * have the same value by chance.
 */
export function namingPattern(person: string): string {
  const value = JSON.stringify(person).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `"\\w*([Uu]ser|[Rr]ecipient|[Mm]ember|[Pp]rofile)\\w*":\\s*${value}`
}
