/** POST /automations/simulate: what an automation would do. */
import { simulate as play } from '../../automations/simulate.ts'
import { listRecipients } from '../../database/tables/list-subscriptions.ts'
import { findProfile } from '../../database/tables/profiles.ts'
import { type ResourceHandlers, success } from '../call.ts'

export const simulate = {
  'simulate.simulate': async ({ body }, { house, caller, now }) => {
    const { engine, secretKey, pipeline } = house
    const { workspaceId, mode } = caller
    const simulation = await play(
      body,
      {
        workspaceId,
        mode,
        secret: secretKey.derive('simulation'),
        stored: {
          profile: async (recipient) => (await findProfile(engine, workspaceId, recipient))?.profile,
          template: async () => undefined,
          async subscribers(listId, after, limit) {
            const found = await listRecipients(engine, workspaceId, [listId], after, limit)
            return found.map(({ recipient }) => recipient)
          },
        },
        explain: (input, notBefore, at) => pipeline.explain(workspaceId, mode, input, notBefore, at),
      },
      now,
    )
    return success('simulate.simulate', simulation)
  },
} satisfies ResourceHandlers<'simulate'>
