/** Puts together what the API needs, the same for a server and for a command that opens the database itself. */

import type { AppContext } from './api/app-context.ts'
import { version } from './assets.ts'
import { createStarter } from './automations/runs/start-runs.ts'
import { wakeJob } from './background.ts'
import type { Pipeline } from './messages/pipeline.ts'
import type { Context } from './service-context.ts'

/** Background work is done by the process that takes the wake-up first: this one or another node. */
export function appContextOf(
  context: Context,
  pipeline: Pipeline,
): Omit<AppContext, 'callers' | 'serves' | 'notReady'> {
  const { config, engine, metrics } = context
  const { backup } = engine
  return {
    ...context,
    version,
    publicUrl: config.publicUrl,
    rateLimits: config.rateLimits,
    strictSends: config.strictSends,
    metrics,
    ...(backup && { backup }),
    pipeline,
    automations: startedElsewhere(context),
    erasure: { wake: () => wakeJob(context, 'erasure') },
    fanOut: { wake: () => wakeJob(context, 'fan-out') },
  }
}

/** On a node that only accepts; runs that are started close together share a hint. */
function startedElsewhere(context: Context) {
  const wake = () => wakeJob(context, 'runs')
  const start = createStarter({
    ...{ engine: context.engine, now: () => context.clock.now(), leaseMs: 0, newLease: () => '', wake },
    ...{ fitting: () => [], begin: () => {} },
  })
  return { start, wake }
}
