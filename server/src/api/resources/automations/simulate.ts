/** POST /automations/simulate: what an automation would do. */

import { createStoredReader } from '../../../automations/runs/stored-reader.ts'
import { simulate as play } from '../../../automations/simulation/simulate.ts'
import { overloaded } from '../../../base/errors.ts'
import { success } from '../../call.ts'
import type { ResourceHandlers } from '../../outcome.ts'

/** For each process: a simulation takes up to five seconds of its CPU, in parts of some ten milliseconds. */
const PLAYED_MAX = 4
let played = 0

export const simulate = {
  'simulate.simulate': async ({ body }, { app, caller, now }) => {
    if (played >= PLAYED_MAX) throw overloaded(`${PLAYED_MAX} simulations are in progress; try again`)
    const { database, secretKey, pipeline } = app
    const { workspaceId, mode } = caller
    const storedReader = createStoredReader(database)
    const around = {
      workspaceId,
      mode,
      secret: secretKey.derive('simulation'),
      storedReader,
      explain: pipeline.explain,
    }
    played += 1
    try {
      return success('simulate.simulate', await play(body, around, now))
    } finally {
      played -= 1
    }
  },
} satisfies ResourceHandlers<'simulate'>
