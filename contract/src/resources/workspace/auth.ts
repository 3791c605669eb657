/** /auth: tokens for browsers and apps, which may do less than the key they come from, and not for ever. */
import { type Static, Type } from 'typebox'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { tokenScopes } from '../../api/scopes.ts'

/** A token's scope travels in a header, of which all together have 16 kB: room for some twenty users. */
export const scopeCharactersMax = 2_048
/** A year, however it is written: longer than a browser keeps anything, and only revoking its key ends one earlier. */
export const tokenLifetimeMsMax = 366 * 86_400_000
/** `2 days`, with room to write it out. */
export const durationCharactersMax = 64

const scope = Type.String({
  minLength: 1,
  maxLength: scopeCharactersMax,
  description: `What the token may do: words with a space between them, each one of \`user_id:<id>\` (whose token it is; once for each user), ${tokenScopes.map((word) => `\`${word}\``).join(', ')}. The scopes of brands may be narrowed to one: \`read:brands:<id>\`.`,
})

const lifetime = Type.Union([Type.String({ minLength: 1, maxLength: durationCharactersMax }), Type.Number()], {
  description:
    'How long it is good for: a number of seconds, or a text such as `2 days`, `10h` or `30 minutes`. At least a second, at most 366 days.',
})

export const IssuedToken = Type.Object(
  { token: Type.String({ description: 'The token (a JWT); sent as `Authorization: Bearer <token>`.' }) },
  { title: 'IssuedToken', description: 'A token. It cannot be read again.' },
)
export type IssuedToken = Static<typeof IssuedToken>

export default resource({
  name: 'auth',
  position: 280,
  title: 'Auth',
  description: 'Tokens for browsers and apps.',
  operations: [
    operation({
      id: 'auth.issueToken',
      method: 'POST',
      path: '/auth/issue-token',
      summary: 'Issue a token',
      audit: 'token:issued',
      description:
        'For a browser or an app, which must not hold an API key. A token belongs to the environment of the key that asks, and ends with it: when the key is revoked, its tokens are refused with it, on other nodes within a second. Calls that name no scope in this reference are for API keys only; a token gets 403 there, and where its scope does not reach.',
      body: Type.Object({ scope, expires_in: lifetime }),
      replies: { 200: IssuedToken },
      example: {
        body: { scope: 'user_id:ada read:preferences write:preferences', expires_in: '2 days' },
        reply: { token: 'eyJhbGciOiJIUzI1NiJ9.EXAMPLE.EXAMPLE' },
      },
    }),
  ],
})
