/** What stands for a person who was erased, and how texts are told to name one. */
import { createHmac } from 'node:crypto'
import type { SecretKey } from '../base/secret.ts'

/** The same for the same person of the same workspace; without the secret key nobody can tell whose it is. */
export function pseudonymOf(key: SecretKey, workspaceId: number, person: string): string {
  const digest = createHmac('sha256', key.derive('erasure')).update(`${workspaceId}\0${person}`).digest('hex')
  return `erased-${digest.slice(0, 32)}`
}

/**
 * A regular expression, as JavaScript and PostgreSQL read it alike: a field of a JSON text that says who a user is, with
 * this value. Any other field may have the same value by chance.
 */
export function namingPattern(person: string): string {
  const value = JSON.stringify(person).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return `"\\w*([Uu]ser|[Rr]ecipient|[Mm]ember|[Pp]rofile)\\w*":\\s*${value}`
}
