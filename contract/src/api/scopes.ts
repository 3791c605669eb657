/** The scopes of tokens. */

export const tokenScopes = [
  'read:messages',
  'read:user-tokens',
  'write:user-tokens',
  'read:brands',
  'write:brands',
  'read:preferences',
  'write:preferences',
  'inbox:read:messages',
  'inbox:write:events',
] as const
export type TokenScope = (typeof tokenScopes)[number]

/** These may be narrowed to one brand: `read:brands:<id>`. */
export const narrowableScopes: ReadonlySet<TokenScope> = new Set(['read:brands', 'write:brands'])

/** `user_id:<id>`: a user of the token; a scope can name several. */
export const userScopePrefix = 'user_id:'

/** The scope that permits a token to call an operation. */
export interface TokenAccess {
  scope: TokenScope
  /** Path parameter with a user id: it must be one of the token's users. */
  user?: string
  /** Path parameter to which the scope can be narrowed. */
  narrowedBy?: string
}

/** The scopes that permit an operation, for documents. */
export function scopesFor({ scope, user, narrowedBy }: TokenAccess): string[] {
  const narrowed = narrowedBy === undefined ? [] : [`${scope}:{${narrowedBy}}`]
  return [...(user === undefined ? [] : [`${userScopePrefix}{${user}}`]), [scope, ...narrowed].join('` or `')]
}
