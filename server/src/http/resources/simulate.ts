/** POST /automations/simulate: what an automation would do. */
import { simulate as play } from '../../automations/simulate.ts'
import { storedIn } from '../../automations/stored.ts'
import { type ResourceHandlers, success } from '../call.ts'

export const simulate = {
  'simulate.simulate': async ({ body }, { house, caller, now }) => {
    const { engine, secretKey, pipeline } = house
    const { workspaceId, mode } = caller
    const stored = storedIn(engine)
    const around = {
      workspaceId,
      mode,
      secret: secretKey.derive('simulation'),
      stored,
      explain: pipeline.explain,
    }
    return success('simulate.simulate', await play(body, around, now))
  },
} satisfies ResourceHandlers<'simulate'>
