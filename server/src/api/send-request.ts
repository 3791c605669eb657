/** A call that means many messages, accepted: on disk together with its reply, and its expansion begun. */
import { timedId } from '../base/ids.ts'
import { type FanOutRequest, requestWrite } from '../recipients/fan-out-request.ts'
import type { Call, Reply } from './call.ts'

export async function request(
  call: Call,
  wanted: Pick<FanOutRequest, 'kind' | 'shared' | 'addressing'>,
  replyOf: (id: string) => Reply,
): Promise<Reply> {
  const { house, caller, now } = call
  const id = timedId(now)
  const reply = replyOf(id)
  const { workspaceId, mode } = caller
  await call.keeping(reply)([requestWrite(house.engine.tokens, { id, workspaceId, mode, created: now, ...wanted })])
  house.fanOut.wake()
  return reply
}
