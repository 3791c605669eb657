/** /session: signing in to the dashboard with an API key, and the sessions of the keys of an environment. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, nullable, timestamp } from '../../api/values.ts'
import { KeyEnvironment, KeyKind, KeyRole, keyEnvironments } from './keys.ts'

/** A session ends when it was not used for so long. */
export const sessionIdleMs = 12 * 3_600_000
/** A session ends after so long, however much it is used. */
export const sessionLifetimeMs = 30 * 86_400_000
/** Sessions of one key: enough for a team that shares it. One more ends the one that was used longest ago. */
export const sessionsMax = 50
/** A link signs in for so long after it was made, and once. */
export const signInLinkMs = 10 * 60_000
/** Longer than any key that the server makes or accepts. */
const keyCharactersMax = 512
/** With the address of any server in front. */
const linkCharactersMax = 2_048
/** Keys of one environment, each with as many sessions as it can have, are listed up to here. */
export const listedSessionsMax = 1_000

/** A call with the cookie of a session has this header, which a page of another origin cannot set. */
export const sessionHeader = 'x-postrider-session'
/** A page names its key by it, so that a call never acts with the key of a sign-in elsewhere in the browser. */
export const sessionKeyHeader = 'x-postrider-session-key'

const sessionKey = Type.Object(
  {
    id: Type.String({ description: 'Id of the key.' }),
    name: Type.String({ description: 'Display name of the key.' }),
    environment: KeyEnvironment,
  },
  { title: 'SessionKey', description: 'The API key that signed in.' },
)

export const Identity = Type.Object(
  {
    session_id: nullable(Type.String({ description: 'Id of the session; null for a call with an API key.' })),
    key: sessionKey,
    kind: KeyKind,
    role: KeyRole,
    environment: KeyEnvironment,
    environments: Type.Array(KeyEnvironment, {
      maxItems: keyEnvironments.length,
      description: 'Environments that the session can be switched to, the present one included.',
    }),
    expires: nullable(timestamp('When the session ends unless it is used before; null for a call with an API key.')),
  },
  { title: 'Identity', description: 'The key and the session of a call, and where it acts.' },
)
export type Identity = Static<typeof Identity>

export const Session = Type.Object(
  {
    id: Type.String({ description: 'Id of the session, not its token.' }),
    key: sessionKey,
    environment: KeyEnvironment,
    current: Type.Boolean({ description: 'Whether the call was made with this session.' }),
    created: timestamp('When it was signed in.'),
    last_seen: timestamp('When it was last used, to some minutes.'),
    expires: timestamp('When it ends unless it is used before.'),
  },
  { title: 'Session', description: 'A session of a key.' },
)
export type Session = Static<typeof Session>

export const SignInLink = Type.Object(
  {
    url: Type.String({ description: 'Address of the dashboard with the link; the public address of this server.' }),
    expires: timestamp('When it ends, used or not.'),
  },
  { title: 'SignInLink', description: 'An address that signs a browser in, once.' },
)
export type SignInLink = Static<typeof SignInLink>

const identity = {
  session_id: 'K7QX2MD9V4HTR8WCP3NBZ6JY5GFA',
  key: { id: 'T1WXBHN5D8C3VFJ6PYAZQ4M9R2K7', name: 'backend', environment: 'production' },
  kind: 'published',
  role: 'full',
  environment: 'production',
  environments: ['production', 'test'],
  expires: 1_710_377_843_000,
}

export default resource({
  name: 'sessions',
  position: 275,
  title: 'Sessions',
  description: 'Sessions of a browser, signed in with an API key.',
  impersonal: true,
  operations: [
    operation({
      id: 'sessions.signIn',
      origin: 'postrider',
      method: 'POST',
      path: '/session',
      access: 'open',
      summary: 'Sign in',
      description: `Starts a session with an API key, or with the text of a sign-in link, and sets its cookie, which scripts cannot read. The session ends ${sessionIdleMs / 3_600_000} hours after its last use, ${sessionLifetimeMs / 86_400_000} days after it began, or with its key. Calls with the cookie need the header \`${sessionHeader}: 1\` and no \`Authorization\`; with the name of an environment instead of \`1\`, a call is refused (409 \`environment_switched\`) once the session was switched to another one; with the id of a key in \`${sessionKeyHeader}\`, it is refused (401 \`session_expired\`) once another key has signed in. A key has at most ${sessionsMax} sessions: another one ends the one that was used longest ago.`,
      audit: 'session:created',
      body: Type.Object(
        {
          key: Type.Optional(
            Type.String({ minLength: 1, maxLength: keyCharactersMax, description: 'An API key of this server.' }),
          ),
          link: Type.Optional(
            Type.String({
              minLength: 1,
              maxLength: linkCharactersMax,
              description: `A sign-in link, or what follows \`#link=\` in it, in place of the key: works once, within ${signInLinkMs / 60_000} minutes.`,
            }),
          ),
        },
        { additionalProperties: false },
      ),
      replies: { 201: Identity, 400: ErrorBody, 401: ErrorBody, 403: ErrorBody, 429: ErrorBody },
      example: { body: { key: 'pk_prod_EXAMPLEEXAMPLEEXAMPLEEXAMPLE' }, reply: identity },
    }),
    operation({
      id: 'sessions.createLink',
      origin: 'postrider',
      method: 'POST',
      path: '/session/links',
      access: 'key',
      role: 'viewer',
      summary: 'Create a sign-in link',
      description: `A link to the dashboard that signs a browser in with the API key of the call: once, and within ${signInLinkMs / 60_000} minutes. A browser sends nothing after \`#\` of an address, so that the link is in no log of a proxy. A session cannot make one.`,
      audit: 'key:link_created',
      secretReply: 'unstored',
      replies: { 201: SignInLink, 403: ErrorBody },
      example: {
        reply: { url: 'http://127.0.0.1:4600/app/#link=EXAMPLEexampleEXAMPLE1', expires: 1_710_335_243_000 },
      },
    }),
    operation({
      id: 'sessions.identity',
      origin: 'postrider',
      method: 'GET',
      path: '/session',
      summary: 'Get the key and the environment of the caller',
      description: 'A session that has ended gets 401 with the code `session_expired`.',
      replies: { 200: Identity },
      example: { reply: { ...identity, session_id: null, expires: null } },
    }),
    operation({
      id: 'sessions.switch',
      origin: 'postrider',
      method: 'PUT',
      path: '/session',
      access: 'key',
      summary: 'Switch the environment of the session',
      description:
        'A session can act in the environment of its key, and a session of a published key of production in every other one.',
      audit: 'session:switched',
      body: Type.Object({ environment: KeyEnvironment }, { additionalProperties: false }),
      replies: { 200: Identity },
      example: { body: { environment: 'test' }, reply: { ...identity, environment: 'test' } },
    }),
    operation({
      id: 'sessions.signOut',
      origin: 'postrider',
      method: 'DELETE',
      path: '/session',
      access: 'key',
      role: 'viewer',
      summary: 'Sign out',
      description: 'Ends the session and removes its cookie.',
      audit: 'session:ended',
      replies: { 204: null },
    }),
    operation({
      id: 'sessions.list',
      origin: 'postrider',
      method: 'GET',
      path: '/sessions',
      summary: 'List sessions',
      description: 'Sessions of the keys of this environment, the one used last first.',
      replies: { 200: Type.Object({ results: Type.Array(Session, { maxItems: listedSessionsMax }) }) },
      example: {
        reply: {
          results: [
            {
              id: identity.session_id,
              key: identity.key,
              environment: 'production',
              current: false,
              created: 1_710_334_643_000,
              last_seen: 1_710_334_643_000,
              expires: identity.expires,
            },
          ],
        },
      },
    }),
    operation({
      id: 'sessions.revoke',
      origin: 'postrider',
      method: 'DELETE',
      path: '/sessions/:id',
      summary: 'Revoke a session',
      description: 'The session is refused from then on, on other nodes within a second.',
      audit: 'session:revoked',
      params: Type.Object({ id: id('Id of the session.') }),
      replies: { 204: null, 404: ErrorBody },
      example: { params: { id: identity.session_id } },
    }),
  ],
})
