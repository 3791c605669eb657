/** invoke: starts a run of an automation template. */
import { isObject } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import { MINUTE } from '../../base/time/duration.ts'
import { reportUnknownZones } from '../profile-zones.ts'
import { contextOver, readContext } from '../run.ts'
import { type StepBehavior, StepFailed } from '../step.ts'
import { digest } from './shared/counter-key.ts'

/** A useful tree of runs is not this deep. */
const DEPTH_MAX = 10
/** For each root: stops an automation that invokes itself, but not one run for each of many customers. */
const RUNS_A_MINUTE = 600

export default {
  fieldKinds: {
    names: ['template', 'context.recipient', 'context.template', 'context.brand', 'context.profile.user_id'],
  },
  checkWritten({ context }, { at, report }) {
    if (isObject(context)) reportUnknownZones(context.profile, `${at}.context.profile`, report)
  },
  async run({ template, context = {} }, { run, state, store, now, id, start }) {
    if (run.depth >= DEPTH_MAX) throw new StepFailed(`Runs may start runs at most ${DEPTH_MAX} deep`)
    const automationTemplate = await store.template(run.workspaceId, template)
    if (!automationTemplate) throw new StepFailed(`Unknown automation template ${quoted(template)}`)
    const child = start({
      id: id('invoke'),
      workspaceId: run.workspaceId,
      mode: run.mode,
      automation: automationTemplate.automation,
      context: contextOver({ ...run.context, data: state.data }, readContext(context, 'context')),
      templateId: automationTemplate.id,
      source: [`invoke/${run.id}`],
      depth: run.depth + 1,
      root: run.root,
      created: now,
    })
    return {
      kind: 'reserve',
      key: digest(['invoke', run.root]),
      max: RUNS_A_MINUTE,
      periodMs: MINUTE,
      allowed: { kind: 'next', effects: { runs: [child] }, ref: { runId: child.id }, result: { runId: child.id } },
      refused: {
        kind: 'ends',
        status: 'ERROR',
        reason: `More than ${RUNS_A_MINUTE} runs were started within a minute by one run and those it started`,
      },
    }
  },
} satisfies StepBehavior<'invoke'>
