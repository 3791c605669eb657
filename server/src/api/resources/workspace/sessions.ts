/** /session and /sessions: signing in and out, the caller's identity and environment, and the sessions of keys. */
import { randomBytes } from 'node:crypto'
import {
  type Identity,
  type InputOf,
  type KeyEnvironment,
  listedSessionsMax,
  type Session,
  sessionIdleMs,
  sessionLifetimeMs,
} from '@postrider/contract'
import {
  CallerError,
  forbidden,
  invalidRequest,
  keyExpired,
  sessionExpired,
  unauthorized,
} from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { hashKey } from '../../../base/secret.ts'
import type { Statement } from '../../../database/engine.ts'
import { findOperatorKey, keyEnd } from '../../../database/tables/workspace/api-keys.ts'
import {
  environmentUpdate,
  listSessions,
  type SessionRow,
  sessionDelete,
  sessionInsert,
  sessionRevoke,
} from '../../../database/tables/workspace/sessions.ts'
import { type Caller, type CallerSession, callerOf, environmentOf, workspaceOf } from '../../authentication.ts'
import { type CallContext, callerAddress, success } from '../../call.ts'
import { orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { createSignInLimit } from '../../rate-limit.ts'
import { endedCookie, refuseLostCookie, refuseOtherOrigins, sessionCookie } from '../../session-cookie.ts'
import { newSignInLink, openSignInLink, signInLinkUsed } from '../../sign-in-link.ts'

export const sessions = {
  'sessions.signIn': async ({ body }, ctx) => {
    const { app, request, now } = ctx
    // A page of another site must not sign a browser in to a key of its choice.
    refuseOtherOrigins(request.headers, app.publicUrl)
    refuseLostCookie(request.headers, app.publicUrl)
    const { author, use, refused } = await callerSigningIn(body, ctx)
    const token = randomBytes(32).toString('base64url')
    const { keyId, workspaceId } = author
    const row = { id: recordId(), keyId, workspaceId, hash: hashKey(token), now }
    const session = { id: row.id, keyWorkspaceId: workspaceId, created: now, lastSeen: now }
    const reply = success('sessions.signIn', identityOf({ ...author, session }))
    return {
      author: { ...author, session },
      target: session.id,
      reply: { ...reply, headers: { 'set-cookie': sessionCookie(app.publicUrl, token), 'cache-control': 'no-store' } },
      writes: [...use, ...sessionInsert(row)],
      onConflict: otherwise(refused),
    }
  },
  'sessions.createLink': async (_input, { app, caller, now }) => {
    // A session ends; one that made links could follow itself for ever.
    if (caller.session) throw forbidden('api_key_required', 'A session cannot make a sign-in link')
    if (!app.dashboard) throw invalidRequest('This server does not serve the dashboard: POSTRIDER_DASHBOARD is off')
    const { keyId: id, workspaceId } = caller
    // The operator has no key.
    const key = id === '' ? await findOperatorKey(app.database, now) : { id, workspaceId }
    if (!key) throw invalidRequest('There is no key that a link could sign in with. Make one: postrider keys create')
    const { link, insert } = newSignInLink(key, app.publicUrl, now)
    const reply = success('sessions.createLink', link)
    return { reply: { ...reply, headers: { 'cache-control': 'no-store' } }, target: key.id, writes: [insert] }
  },
  'sessions.identity': (_input, { caller }) => success('sessions.identity', identityOf(caller)),
  'sessions.switch': ({ body: { environment } }, { app, caller }) => {
    const { session } = caller
    if (!session) throw forbidden('session_required', 'Only a session can switch its environment')
    if (!environmentsOf(caller).includes(environment))
      throw forbidden('key_environment', `A session of this key cannot act in ${environment}`)
    const workspaceId = workspaceOf[environment]
    return {
      reply: success('sessions.switch', identityOf({ ...caller, workspaceId })),
      target: session.id,
      writes: [environmentUpdate(session.id, workspaceId)],
      onConflict: otherwise(() => sessionExpired()),
      afterCommit: () => app.callers.forget(),
    }
  },
  'sessions.signOut': (_input, { app, caller: { session } }) => {
    if (!session) throw forbidden('session_required', 'There is no session to end: the call was made with an API key')
    return {
      reply: { ...success('sessions.signOut', undefined), headers: { 'set-cookie': endedCookie(app.publicUrl) } },
      target: session.id,
      writes: [sessionDelete(session.id)],
      afterCommit: () => app.callers.forget(),
    }
  },
  'sessions.list': async (_input, { app, caller, now }) => {
    const rows = await listSessions(app.database, caller.workspaceId, now, listedSessionsMax)
    return success('sessions.list', { results: rows.map((row) => record(row, caller)) })
  },
  'sessions.revoke': ({ params: { id } }, { app, caller }) => ({
    reply: success('sessions.revoke', undefined),
    writes: [sessionRevoke(caller.workspaceId, id)],
    onConflict: orNotFound,
    afterCommit: () => app.callers.forget(),
  }),
} satisfies ResourceHandlers<'sessions'>

/** One for each server of a process. */
const limits = new WeakMap<object, ReturnType<typeof createSignInLimit>>()

interface SigningIn {
  author: Caller
  /** Stored with the session. */
  use: Statement[]
  /** Why a write was refused: the key was revoked meanwhile, or the link used. */
  refused(): CallerError
}

/** Throws a 401, and a 429 after too many wrong keys and links. */
async function callerSigningIn(credentials: InputOf<'sessions.signIn'>['body'], ctx: CallContext): Promise<SigningIn> {
  const { app, now } = ctx
  const limit = limits.get(app.metrics) ?? createSignInLimit()
  limits.set(app.metrics, limit)
  const from = callerAddress(ctx)
  limit.check(from, now)
  return callerBy(credentials, ctx).catch((error: unknown) => {
    if (error instanceof CallerError && error.status === 401) limit.count(from, now)
    throw error
  })
}

async function callerBy(
  { key, link }: InputOf<'sessions.signIn'>['body'],
  { app, now }: CallContext,
): Promise<SigningIn> {
  if ((key === undefined) === (link === undefined)) throw invalidRequest('Give either `key` or `link`')
  if (key !== undefined) return { author: await callerWithKey(key, app), use: [], refused: keyRevoked }
  const { key: ofLink, use } = await openSignInLink(app.database, link ?? '', now)
  return { author: callerOf(ofLink), use: [use], refused: signInLinkUsed }
}

const keyRevoked = () => unauthorized('This key was revoked')

/** Throws a 401 that says more than other calls do: a person reads it, who may have pasted half of a key. */
async function callerWithKey(key: string, { callers, database }: CallContext['app']): Promise<Caller> {
  const caller = await callers.findKey(key)
  if (caller) return caller
  const { revoked, expires } = (await keyEnd(database, hashKey(key))) ?? {}
  if (revoked) throw unauthorized(`This key was revoked on ${new Date(revoked).toISOString().slice(0, 10)}`)
  if (expires) throw keyExpired('This key', expires)
  throw unauthorized(
    'This server has no such key. It may belong to another installation, or miss characters at its end',
  )
}

function identityOf(caller: Caller): Identity {
  const { keyId, keyName, workspaceId, kind, role, session } = caller
  const keyEnvironment = environmentOf(session?.keyWorkspaceId ?? workspaceId)
  return {
    session_id: session?.id ?? null,
    key: { id: keyId, name: keyName, environment: keyEnvironment },
    kind,
    role,
    environment: environmentOf(workspaceId),
    environments: environmentsOf(caller),
    expires: session ? expiryOf(session, caller.expires) : null,
  }
}

/** A published key of production can make keys of the other environment, so its sessions may act there. */
function environmentsOf({ workspaceId, kind, role, session }: Caller): KeyEnvironment[] {
  const keyEnvironment = environmentOf(session?.keyWorkspaceId ?? workspaceId)
  const mayMakeKeys =
    session !== undefined && keyEnvironment === 'production' && kind === 'published' && role === 'full'
  return mayMakeKeys ? ['production', 'test'] : [keyEnvironment]
}

/** No later than its key. */
function expiryOf(
  { created, lastSeen }: Pick<CallerSession, 'created' | 'lastSeen'>,
  keyExpires: number | null,
): number {
  const end = Math.min(lastSeen + sessionIdleMs, created + sessionLifetimeMs)
  return Math.min(end, keyExpires ?? end)
}

const record = (row: SessionRow, { session }: Caller): Session => ({
  id: row.id,
  key: { id: row.keyId, name: row.name, environment: environmentOf(row.keyWorkspaceId) },
  environment: environmentOf(row.workspaceId),
  current: row.id === session?.id,
  created: row.created,
  last_seen: row.lastSeen,
  expires: expiryOf(row, row.keyExpires),
})
