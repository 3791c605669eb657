/** /users/:user_id/tokens: the devices of a user. */
import { conflict, notFound } from '../../base/errors.ts'
import {
  type DeviceTokenRow,
  deleteDeviceToken,
  findDeviceToken,
  listDeviceTokens,
  putDeviceTokens,
  updateDeviceToken,
} from '../../database/tables/users/device-tokens.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { patched, record, rowOf } from '../records/device-tokens.ts'
import { contended } from '../retry-on-conflict.ts'

export const deviceTokens = {
  'deviceTokens.list': async ({ params: { user_id } }, { house, caller }) => {
    const found = await listDeviceTokens(house.engine, caller.workspaceId, user_id)
    return success('deviceTokens.list', { tokens: found.map(record) })
  },
  'deviceTokens.get': async ({ params: { user_id, token } }, call) =>
    success('deviceTokens.get', record(await known(call, user_id, token))),
  'deviceTokens.add': async ({ params: { user_id }, body = [] }, call) => {
    const given = Array.isArray(body) ? body : body.tokens
    const byToken = new Map(given.map((input) => [input.token, rowOf(input.token, input, call.now)]))
    if (byToken.size > 0) await store(call, user_id, [...byToken.values()])
    return success('deviceTokens.add', undefined)
  },
  'deviceTokens.put': async ({ params: { user_id, token }, body }, call) => {
    await store(call, user_id, [rowOf(token, body, call.now)])
    return success('deviceTokens.put', undefined)
  },
  'deviceTokens.patch': async ({ params: { user_id, token }, body: { patch } }, call) => {
    const { house, caller, now } = call
    return contended('The token is being changed by others', async () => {
      const stored = await known(call, user_id, token)
      const row = { ...rowOf(token, patched(stored, patch), now), version: stored.version }
      const isStored = await updateDeviceToken(house.engine, caller.workspaceId, user_id, row, now)
      return isStored ? success('deviceTokens.patch', undefined) : undefined
    })
  },
  'deviceTokens.delete': async ({ params: { user_id, token } }, { house, caller }) => {
    await deleteDeviceToken(house.engine, caller.workspaceId, user_id, token)
    return success('deviceTokens.delete', undefined)
  },
} satisfies ResourceHandlers<'deviceTokens'>

async function known({ house, caller }: Call, userId: string, token: string) {
  const found = await findDeviceToken(house.engine, caller.workspaceId, userId, token)
  if (!found) throw notFound('Token not found')
  return found
}

async function store({ house, caller, now }: Call, userId: string, rows: readonly DeviceTokenRow[]): Promise<void> {
  if ((await putDeviceTokens(house.engine, caller.workspaceId, userId, rows, now)) === 'too_many')
    throw conflict('The user has too many tokens; delete some first')
}
