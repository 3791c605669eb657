/** /keys: API keys made, listed and revoked; the key itself is shown once. */
import { randomBytes } from 'node:crypto'
import { type ApiKey, type KeyEnvironment, type KeyKind, keyPrefixes, keysMax } from '@postrider/contract'
import { conflict, forbidden, notFound } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import { hashKey } from '../../base/secret.ts'
import { type KeyRow, keyInsert, listKeys, revokeKey } from '../../database/tables/workspace/api-keys.ts'
import { environmentOf, workspaceOf } from '../authentication/key-environment.ts'
import { type ResourceHandlers, success } from '../call.ts'

const record = ({ id, name, kind, workspaceId, created }: KeyRow): ApiKey => ({
  id,
  name,
  kind,
  environment: environmentOf(workspaceId),
  created,
})

export const keys = {
  'keys.list': async (_input, { house, caller }) => {
    const found = await listKeys(house.engine, caller.workspaceId, keysMax)
    return success('keys.list', { results: found.map(record) })
  },
  'keys.create': async ({ body }, call) => {
    const { house, caller, now } = call
    const own = environmentOf(caller.workspaceId)
    const { kind = 'published', environment = own } = body ?? {}
    if (environment === 'production' && own !== 'production')
      throw forbidden('A key of the test environment cannot create a key of production')
    if ((await listKeys(house.engine, workspaceOf[environment], keysMax)).length >= keysMax)
      throw conflict(`There are ${keysMax} keys already; revoke one first`)
    const key = newKey(kind, environment)
    const row = { id: recordId(), workspaceId: workspaceOf[environment], kind, name: body?.name ?? kind, created: now }
    const reply = success('keys.create', { ...record(row), key })
    await call.keeping(reply)([keyInsert({ ...row, hash: hashKey(key), hint: key.slice(-4) })])
    return reply
  },
  'keys.revoke': async ({ params: { id } }, call) => {
    const { house, caller, now } = call
    const reply = success('keys.revoke', undefined)
    const outcome = await revokeKey(house.engine, call.keeping(reply), caller.workspaceId, id, now)
    if (outcome === 'missing') throw notFound()
    if (outcome === 'last')
      throw conflict('This is the last published key of the environment; create another one first')
    await house.callers.forget()
    return reply
  },
} satisfies ResourceHandlers<'keys'>

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** 36 characters of 62 are 214 bits: nobody guesses one, and a fast hash keeps them. */
const RANDOM_CHARACTERS = 36

export function newKey(kind: KeyKind, environment: KeyEnvironment): string {
  let random = ''
  while (random.length < RANDOM_CHARACTERS)
    // 248 is the greatest multiple of 62 in a byte: beyond it some characters would come up more often.
    for (const byte of randomBytes(RANDOM_CHARACTERS)) if (byte < 248) random += ALPHABET[byte % 62]
  return keyPrefixes[kind][environment] + random.slice(0, RANDOM_CHARACTERS)
}
