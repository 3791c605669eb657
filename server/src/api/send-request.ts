/** A call that means many messages: a request on disk together with its reply, expanded afterwards. */
import { timedId } from '../base/ids.ts'
import { type FanOutRequest, requestWrite } from '../recipients/fan-out-request.ts'
import type { CallContext, Reply } from './call.ts'
import type { Work } from './outcome.ts'

export function request(
  { app, caller, now }: CallContext,
  wanted: Pick<FanOutRequest, 'kind' | 'shared' | 'addressing'>,
  replyOf: (id: string) => Reply,
): Work {
  const id = timedId(now)
  const { workspaceId, mode } = caller
  return {
    reply: replyOf(id),
    writes: [requestWrite(app.database.tokens, { id, workspaceId, mode, created: now, ...wanted })],
    afterCommit: () => app.fanOut.wake(),
  }
}
