/** The secret settings of an integration at rest: encrypted, and bound to their workspace and their row. */
import { isObject, type JsonObject } from '../base/json/json.ts'
import { decrypt, encrypt, type SecretKey } from '../base/secret.ts'
import { encryptionContext } from './encrypted-tables.ts'

export interface Owner {
  workspaceId: number
  id: string
}

const contextOf: (owner: Owner) => string = encryptionContext.integration

/** Null without secrets. */
export function sealCredentials(key: SecretKey, owner: Owner, secrets: JsonObject): string | null {
  return Object.keys(secrets).length > 0 ? encrypt(key, JSON.stringify(secrets), contextOf(owner)) : null
}

/** Undefined when they were encrypted with another secret key: they are lost and must be entered again. */
export function openCredentials(key: SecretKey, owner: Owner, sealed: string | null): JsonObject | undefined {
  if (sealed === null) return {}
  try {
    const secrets: unknown = JSON.parse(decrypt(key, sealed, contextOf(owner)))
    return isObject(secrets) ? secrets : undefined
  } catch {
    return undefined
  }
}
