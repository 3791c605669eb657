/** /keys: API keys made, listed and revoked; the key itself is shown once. */
import { randomBytes } from 'node:crypto'
import { type ApiKey, type KeyEnvironment, type KeyKind, keyPrefixes, keysMax } from '@postrider/contract'
import { conflict, forbidden, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { hashKey } from '../../../base/secret.ts'
import {
  findKeyById,
  type KeyRow,
  keyInsert,
  listKeys,
  revokeKey,
} from '../../../database/tables/workspace/api-keys.ts'
import { sessionsOfKeyDelete } from '../../../database/tables/workspace/sessions.ts'
import { environmentOf, workspaceOf } from '../../authentication.ts'
import { success } from '../../call.ts'
import { otherwise, type ResourceHandlers } from '../../outcome.ts'

const record = ({ id, name, kind, role, workspaceId, created }: KeyRow): ApiKey => ({
  id,
  name,
  kind,
  role,
  environment: environmentOf(workspaceId),
  created,
})

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
    if ((await listKeys(app.database, workspaceOf[environment], keysMax)).length >= keysMax)
      throw conflict('limit_reached', `There are ${keysMax} keys already; revoke one first`)
    const key = newKey(kind, environment)
    const name = body?.name ?? kind
    const row = {
      id: recordId(),
      workspaceId: workspaceOf[environment],
      kind,
      role,
      name,
      created: now,
    }
    const reply = success('keys.create', { ...record(row), key })
    return { reply, writes: [keyInsert({ ...row, hash: hashKey(key), hint: key.slice(-4) })] }
  },
  'keys.revoke': ({ params: { id } }, { app, caller, now }) => ({
    reply: success('keys.revoke', undefined),
    writes: [...revokeKey(caller.workspaceId, id, now), sessionsOfKeyDelete(caller.workspaceId, id)],
    onConflict: otherwise(async () =>
      (await findKeyById(app.database, caller.workspaceId, id))
        ? conflict('in_use', 'This is the last published key of role full in the environment; create another one first')
        : notFound(),
    ),
    afterCommit: () => app.callers.forget(),
  }),
} satisfies ResourceHandlers<'keys'>

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
