/** /auth: tokens for browsers and apps, with fewer permissions than an API key and a limited lifetime. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { tokenScopes } from '../../api/scopes.ts'

/** The scope is part of a header, and all headers have 16 kB: sufficient for some twenty users. */
export const scopeCharactersMax = 2_048
/** A year: longer than any browser session, and only revoking the key ends a token earlier. */
export const tokenLifetimeMsMax = 366 * 86_400_000
/** `2 days`, also written out. */
export const durationCharactersMax = 64

const scope = Type.String({
  minLength: 1,
  maxLength: scopeCharactersMax,
  description: `Permissions of the token, separated by spaces: \`user_id:<id>\` (a user of the token; once for each user), ${tokenScopes.map((word) => `\`${word}\``).join(', ')}. Scopes of brands can be narrowed to one brand: \`read:brands:<id>\`.`,
})

const lifetime = Type.Union([Type.String({ minLength: 1, maxLength: durationCharactersMax }), Type.Number()], {
  description:
    'Lifetime: a number of seconds, or a string such as `2 days`, `10h` or `30 minutes`. At least a second, at most 366 days.',
})

export const IssuedToken = Type.Object(
  { token: Type.String({ description: 'Token (JWT), sent as `Authorization: Bearer <token>`.' }) },
  { title: 'IssuedToken', description: 'A token; it cannot be retrieved again.' },
)
export type IssuedToken = Static<typeof IssuedToken>

export default resource({
  name: 'auth',
  position: 280,
  title: 'Auth',
  description: 'Tokens for browsers and apps.',
  impersonal: true,
  operations: [
    operation({
      id: 'auth.issueToken',
      method: 'POST',
      path: '/auth/issue-token',
      access: 'key',
      summary: 'Issue a token',
      secretReply: 'caller',
      audit: 'token:issued',
      description:
        'Issues a token for a browser or an app, which must not contain an API key. The token belongs to the environment of the calling key and is revoked with it, on other nodes within a second. Operations without a scope in this reference require an API key; a token gets 403 for them and for operations outside its scope.',
      body: Type.Object({ scope, expires_in: lifetime }),
      replies: { 200: IssuedToken },
      example: {
        body: { scope: 'user_id:ada read:preferences write:preferences', expires_in: '2 days' },
        reply: { token: 'eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE' },
      },
    }),
  ],
})
