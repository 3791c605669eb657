/** /keys: API keys made, listed, ended and revoked; the key itself is shown once. */
import { randomBytes } from 'node:crypto'
import {
  type ApiKey,
  type KeyEnvironment,
  type KeyKind,
  keyPrefixes,
  keysMax,
  timestampPattern,
} from '@postrider/contract'
import { conflict, forbidden, invalidField, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { hashKey } from '../../../base/secret.ts'
import { endOfDuration } from '../../../base/time/calendar-duration.ts'
import { toTimestamp } from '../../../base/time/clock.ts'
import { DAY } from '../../../base/time/duration.ts'
import type { Reader } from '../../../database/engine.ts'
import {
  expiryUpdate,
  findKeyById,
  isExpired,
  type KeyRow,
  keyInsert,
  listKeys,
  revokeExpired,
  revokeKey,
} from '../../../database/tables/workspace/api-keys.ts'
import { sessionsOfKeyDelete } from '../../../database/tables/workspace/sessions.ts'
import { environmentOf, workspaceOf } from '../../authentication.ts'
import { success } from '../../call.ts'
import { otherwise, type ResourceHandlers } from '../../outcome.ts'

const record = ({ lastUsedDay, lastAddress, workspaceId, ...key }: KeyRow): ApiKey => ({
  ...key,
  environment: environmentOf(workspaceId),
  last_used: lastUsedDay === null ? null : { day: dayText(lastUsedDay), address: lastAddress },
})

const dayText = (day: number) => new Date(day * DAY).toISOString().slice(0, 10)

export const keys = {
  'keys.list': async (_input, { app, caller }) => {
    const rows = await listKeys(app.database, caller.workspaceId, keysMax)
    return success('keys.list', { results: rows.map(record) })
  },
  'keys.create': async ({ body }, ctx) => {
    const { app, caller, now } = ctx
    const callerEnvironment = environmentOf(caller.workspaceId)
    const { kind = 'published', role = 'full', environment = callerEnvironment } = body ?? {}
    if (environment === 'production' && callerEnvironment !== 'production')
      throw forbidden('key_environment', 'A key of the test environment cannot create a key of production')
    const workspaceId = workspaceOf[environment]
    const existing = await listKeys(app.database, workspaceId, keysMax)
    const isFull = existing.length >= keysMax
    if (isFull && !existing.some((row) => isExpired(row, now)))
      throw conflict('limit_reached', `There are ${keysMax} keys already; revoke one first`)
    const key = newKey(kind, environment)
    const name = body?.name ?? kind
    const row = {
      id: recordId(),
      workspaceId,
      kind,
      role,
      name,
      created: now,
      expires: expiryOf(body?.expires, now),
    }
    const reply = success('keys.create', { ...record({ ...row, lastUsedDay: null, lastAddress: null }), key })
    return {
      reply,
      // Expired ones make room.
      writes: [
        ...(isFull ? [revokeExpired(workspaceId, now)] : []),
        keyInsert({ ...row, hash: hashKey(key), hint: key.slice(-4) }),
      ],
    }
  },
  'keys.update': async ({ params: { id }, body }, { app, caller, now }) => {
    const key = await findKeyById(app.database, caller.workspaceId, id)
    if (!key) throw notFound()
    const expires = expiryOf(body.expires, now)
    return {
      reply: success('keys.update', record({ ...key, expires })),
      // The sessions of an expired key have ended: they do not come back with it.
      writes: [
        ...(isExpired(key, now) ? [sessionsOfKeyDelete(caller.workspaceId, id)] : []),
        ...expiryUpdate(caller.workspaceId, id, expires),
      ],
      onConflict: otherwise(() => lastKeyOrNone(app.database, caller.workspaceId, id)),
      afterCommit: () => app.callers.forget(),
    }
  },
  'keys.revoke': ({ params: { id } }, { app, caller, now }) => ({
    reply: success('keys.revoke', undefined),
    writes: [...revokeKey(caller.workspaceId, id, now), sessionsOfKeyDelete(caller.workspaceId, id)],
    onConflict: otherwise(() => lastKeyOrNone(app.database, caller.workspaceId, id)),
    afterCommit: () => app.callers.forget(),
  }),
} satisfies ResourceHandlers<'keys'>

/** The key that a write has spared, or that is not there. */
const lastKeyOrNone = async (database: Reader, workspaceId: number, id: string) =>
  (await findKeyById(database, workspaceId, id))
    ? conflict(
        'in_use',
        'This is the last published key of role full in the environment: no other one is valid for 14 days longer than it. Make one that is: postrider keys create, or POST /keys',
      )
    : notFound()

/** Null for no end. */
function expiryOf(text: string | null | undefined, now: number): number | null {
  if (text === undefined || text === null) return null
  const expires = new RegExp(timestampPattern).test(text) ? toTimestamp(text) : endOfDuration(text, now)
  if (expires === undefined || Number.isNaN(expires))
    throw invalidField('expires', 'must be a time such as `2027-01-31T12:00:00Z`, or a length such as `90 days`')
  if (expires <= now) throw invalidField('expires', 'must be in the future; a key is ended at once by revoking it')
  return expires
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 36 characters of 62 are 214 bits, which cannot be guessed: a fast hash is enough. */
const RANDOM_CHARACTERS = 36

export function newKey(kind: KeyKind, environment: KeyEnvironment): string {
  let random = ''
  while (random.length < RANDOM_CHARACTERS)
    // 248 is the greatest multiple of 62 in a byte: beyond it some characters would come up more often.
    for (const byte of randomBytes(RANDOM_CHARACTERS)) if (byte < 248) random += ALPHABET[byte % 62]
  return keyPrefixes[kind][environment] + random.slice(0, RANDOM_CHARACTERS)
}
