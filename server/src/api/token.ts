/** Tokens (JWT): what an API key lends to a browser or an app, for some things and for a while. */
import { narrowableScopes, type TokenAccess, type TokenScope, tokenScopes, userScopePrefix } from '@postrider/contract'
import { invalidField, invalidRequest } from '../base/errors.ts'
import { quoted } from '../base/quote.ts'
import type { SecretKey } from '../base/secret.ts'
import { SECOND } from '../base/time/duration.ts'

/** The permissions of a token. */
export interface TokenGrant {
  users: ReadonlySet<string>
  /** With what they are narrowed to: `read:brands:<id>`. */
  scopes: ReadonlySet<string>
}

/** The claims of a token. The kind of its key, and whether it is still valid, are looked up. */
export interface TokenClaims {
  workspaceId: number
  keyId: string
  scope: string
}

/** Loaded with the first token; many servers never see one, and a start takes no longer for it. */
const jose = () => import('jose')

const ALGORITHM = 'HS256'
/** Both who writes it and who reads it: a token of another purpose or product is none. */
const PARTY = 'postrider'

/** Good from `issued` until `expires`, both in milliseconds. */
export async function issueToken(
  key: SecretKey,
  { workspaceId, keyId, scope }: TokenClaims,
  issued: number,
  expires: number,
): Promise<string> {
  const { SignJWT } = await jose()
  return new SignJWT({ workspace: workspaceId, key: keyId, scope })
    .setProtectedHeader({ alg: ALGORITHM, kid: key.id })
    .setIssuer(PARTY)
    .setAudience(PARTY)
    .setIssuedAt(Math.floor(issued / SECOND))
    .setExpirationTime(Math.ceil(expires / SECOND))
    .sign(key.derive('tokens'))
}

/** Three parts, of which the first begins as `{"` does in base64. */
export const looksLikeToken = (text: string): boolean => /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/.test(text)

/** Undefined when it is not ours, was changed, has ended, or was signed with another secret key. */
export async function readUserToken(key: SecretKey, token: string, now: number): Promise<TokenClaims | undefined> {
  const { errors, jwtVerify } = await jose()
  try {
    const { payload, protectedHeader } = await jwtVerify(token, key.derive('tokens'), {
      algorithms: [ALGORITHM],
      issuer: PARTY,
      audience: PARTY,
      currentDate: new Date(now),
      requiredClaims: ['exp'],
    })
    const { workspace, key: keyId, scope } = payload
    if (protectedHeader.kid !== key.id) return undefined
    if (typeof workspace !== 'number' || typeof keyId !== 'string' || typeof scope !== 'string') return undefined
    return { workspaceId: workspace, keyId, scope }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}

/** Throws a 400 that names a word which is no scope. */
export function checkScope(scope: string): void {
  for (const word of scopesIn(scope))
    if (!isUser(word) && !isScope(word))
      throw invalidRequest(`Unknown scope ${quoted(word)}`, { code: 'invalid_field', param: 'scope' })
  if (scopesIn(scope).length === 0) throw invalidField('scope', 'must name at least one scope')
}

export function grantOf(scope: string): TokenGrant {
  const words = scopesIn(scope)
  const users = words.filter(isUser).map((word) => word.slice(userScopePrefix.length))
  return { users: new Set(users), scopes: new Set(words.filter((word) => !isUser(word))) }
}

export function allows(
  { users, scopes }: TokenGrant,
  access: TokenAccess | undefined,
  params: Record<string, string>,
): boolean {
  if (!access) return false
  const { scope, user, narrowedBy } = access
  if (user !== undefined && !users.has(params[user] ?? '')) return false
  return scopes.has(scope) || (narrowedBy !== undefined && scopes.has(`${scope}:${params[narrowedBy]}`))
}

const scopesIn = (scope: string) => scope.split(/\s+/).filter((word) => word !== '')
const isUser = (word: string) => word.startsWith(userScopePrefix) && word.length > userScopePrefix.length
const isKnown = (word: string): word is TokenScope => (tokenScopes as readonly string[]).includes(word)

function isScope(word: string): boolean {
  if (isKnown(word)) return true
  return [...narrowableScopes].some((scope) => word.startsWith(`${scope}:`) && word.length > scope.length + 1)
}
