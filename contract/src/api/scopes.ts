/** What a token may be allowed, in the words of its `scope`. */

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

/** `user_id:<id>`: whose token it is; it may stand there for several users. */
export const userScopePrefix = 'user_id:'

/** What a token needs to call an operation. */
export interface TokenAccess {
  scope: TokenScope
  /** The parameter of the path that names a user: it must be one of the token's users. */
  user?: string
  /** The parameter of the path by which the scope may be narrowed. */
  narrowedBy?: string
}

/** The words of a `scope` with which an operation may be called, for documents. */
export function scopesFor({ scope, user, narrowedBy }: TokenAccess): string[] {
  const narrowed = narrowedBy === undefined ? [] : [`${scope}:{${narrowedBy}}`]
  return [...(user === undefined ? [] : [`${userScopePrefix}{${user}}`]), [scope, ...narrowed].join('` or `')]
}
