/** The initial state of a run: its parsed automation, its merged context, and its cancelation token. */
import { cancelationTokenCharactersMax } from '@postrider/contract'
import { invalidField } from '../../base/errors.ts'
import { isObject } from '../../base/json/json.ts'
import { type Automation, readAutomation } from '../definition/automation.ts'
import { locateErrors } from '../error-location.ts'
import { resolve } from '../references/interpolation.ts'
import { contextOver, ownRecipient, type RunContext, type RunStart, type RunState } from '../run.ts'
import type { UnparsedRun } from '../step.ts'

/**
 * Parses the automation, so that only valid ones start, and interpolates its token. Context fields in the automation
 * are defaults for the context of the run. Throws a 400 that names the place.
 */
export function startRun(start: UnparsedRun, at = 'automation'): RunStart {
  return startOf(start, readAutomation(start.automation, start.created, at), at)
}

/** Completes a run whose automation is parsed. */
export function startOf(
  start: UnparsedRun,
  { cancelationToken: token, context: nested }: Automation,
  at = 'automation',
): RunStart {
  const merged = contextOver(nested, start.context)
  const recipient = merged.recipient ?? ownRecipient(merged.profile)
  const context: RunContext = recipient === undefined ? merged : { ...merged, recipient }
  const { steps } = start.automation
  const run = { ...start, context, automation: { steps }, root: start.root ?? start.id }
  if (token === undefined) return run
  const cancelationToken = tokenOf(token, context, `${at}.cancelation_token`)
  return { ...run, automation: { steps, cancelation_token: token }, cancelationToken }
}

function tokenOf(source: NonNullable<Automation['cancelationToken']>, context: RunContext, at: string): string {
  const data = context.data ?? {}
  const token = locateErrors(at, () => resolve(source, { ...context, data, refs: { data } }, { names: [''] }))
  if (token === undefined && isObject(source)) throw invalidField(at, `is \`${source.$ref}\`, which leads to no value`)
  const text = typeof token === 'number' ? String(token) : token
  if (typeof text !== 'string' || text === '' || text.length > cancelationTokenCharactersMax)
    throw invalidField(at, `must resolve to a string of 1 to ${cancelationTokenCharactersMax} characters`)
  return text
}

export function firstState({ context, created }: RunStart): RunState {
  return { position: 0, since: created, data: context.data ?? {}, refs: {}, taken: 0, fetched: 0 }
}
