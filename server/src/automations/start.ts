/** The beginning of a run: its automation read, its token filled in, its first state. */
import { cancelationTokenCharactersMax } from '@postrider/contract'
import { invalidRequest } from '../base/errors.ts'
import { readAutomation } from './automation.ts'
import type { RunStart, RunState } from './run.ts'
import type { NewRun } from './step.ts'
import { resolve } from './values.ts'

/** Reads the automation, so that nothing starts that cannot be worked on, and fills in its token. Throws a 400. */
export function startRun(start: NewRun): RunStart {
  const { steps: _steps, ...automation } = readAutomation(start.automation, start.created)
  const data = start.context.data ?? {}
  const token = resolve(automation.cancelationToken, { ...start.context, data, refs: { data } })
  return { ...start, root: start.root ?? start.id, ...tokenOf(token, automation.cancelationToken) }
}

function tokenOf(token: unknown, given: unknown): { cancelationToken?: string } {
  if (given === undefined) return {}
  const text = typeof token === 'number' ? String(token) : token
  if (typeof text !== 'string' || text === '' || text.length > cancelationTokenCharactersMax)
    throw invalidRequest(
      `automation.cancelation_token must come to a text of 1 to ${cancelationTokenCharactersMax} characters`,
    )
  return { cancelationToken: text }
}

export function firstState({ context, created }: RunStart): RunState {
  return { position: 0, since: created, data: context.data ?? {}, refs: {}, taken: 0, fetched: 0 }
}
