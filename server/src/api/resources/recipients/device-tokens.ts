/** /users/:user_id/tokens: the devices of a user. */
import { conflict, notFound } from '../../../base/errors.ts'
import {
  type DeviceTokenRow,
  deleteDeviceToken,
  findDeviceToken,
  listDeviceTokens,
  putDeviceTokens,
  updateDeviceToken,
} from '../../../database/tables/users/users.ts'
import { deviceTokenRecord, patched, rowOf } from '../../../recipients/device-tokens.ts'
import { type CallContext, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const deviceTokens = {
  'deviceTokens.list': async ({ params: { user_id } }, { app, caller }) => {
    const tokens = await listDeviceTokens(app.database, caller.workspaceId, user_id)
    return success('deviceTokens.list', { tokens: tokens.map(deviceTokenRecord) })
  },
  'deviceTokens.get': async ({ params: { user_id, token } }, ctx) =>
    success('deviceTokens.get', deviceTokenRecord(await requireToken(ctx, user_id, token))),
  'deviceTokens.add': ({ params: { user_id }, body = [] }, ctx) => {
    const inputs = Array.isArray(body) ? body : body.tokens
    const byToken = new Map(inputs.map((input) => [input.token, rowOf(input.token, input, ctx.now)]))
    return { reply: success('deviceTokens.add', undefined), ...store(ctx, user_id, [...byToken.values()]) }
  },
  'deviceTokens.put': ({ params: { user_id, token }, body }, ctx) => ({
    reply: success('deviceTokens.put', undefined),
    ...store(ctx, user_id, [rowOf(token, body, ctx.now)]),
  }),
  'deviceTokens.patch': async ({ params: { user_id, token }, body: { patch } }, ctx) => {
    const { caller, now } = ctx
    const before = await requireToken(ctx, user_id, token)
    const row = { ...rowOf(token, patched(before, patch), now), version: before.version }
    return {
      reply: success('deviceTokens.patch', undefined),
      writes: updateDeviceToken(caller.workspaceId, user_id, row, now),
      onConflict: otherwise(() => retry('The token is being changed by others')),
    }
  },
  'deviceTokens.delete': ({ params: { user_id, token } }, { caller }) => ({
    reply: success('deviceTokens.delete', undefined),
    writes: deleteDeviceToken(caller.workspaceId, user_id, token),
  }),
} satisfies ResourceHandlers<'deviceTokens'>

async function requireToken({ app, caller }: CallContext, userId: string, token: string) {
  const tokenRow = await findDeviceToken(app.database, caller.workspaceId, userId, token)
  if (!tokenRow) throw notFound('Token not found')
  return tokenRow
}

const store = ({ caller, now }: CallContext, userId: string, rows: readonly DeviceTokenRow[]) => ({
  writes: rows.length > 0 ? putDeviceTokens(caller.workspaceId, userId, rows, now) : [],
  onConflict: otherwise(() => conflict('limit_reached', 'The user has too many tokens; delete some first')),
})
