/** What could never work in an automation is refused before a run of it starts: for its text alone, or for its context. */
import { Automation as AutomationSchema, automationSteps, RunContext as ContextSchema } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/merge.ts'
import { type Automation, blame, cancelationTokenNames, type Step } from './automation.ts'
import { checkLiterals } from './literals.ts'
import { checkMentions } from './mentions.ts'
import type { RunContext } from './run.ts'
import { steps } from './steps.ts'
import { checkFieldNames } from './unknown-fields.ts'
import { checkMessage } from './written-message.ts'

/** Whatever it is started with. What holds references is looked at when they are filled in. Throws a 400 that names the place. */
export function checkWritten(automation: Automation, now: number, at = 'automation'): void {
  checkMentions(automation, at)
  for (const [index, { action, fields }] of automation.steps.entries()) {
    const place = `${at}.steps.${index}`
    checkFieldNames(namesOf(action), fields, place, action)
    blame(place, () => {
      checkLiterals(action, fields)
      steps[action].written?.(fields)
    })
    if (action === 'send' && isObject(fields.message)) checkMessage(fields.message, now, `${place}.message`)
  }
}

/** Beside `action`, which is what it was found by. */
const namesOf = (action: Step['action']) =>
  Type.Object({ ...automationSteps[action].properties, if: Type.Boolean(), ref: Type.String() })

const Beside = Type.Object({ ...AutomationSchema.properties, ...ContextSchema.properties })

/** What stands beside its steps. Throws a 400 that names the place. */
export function checkBeside(automation: JsonObject, at = 'automation'): void {
  const others = Object.entries(automation).filter(([name]) => !cancelationTokenNames.has(name))
  checkFieldNames(Beside, Object.fromEntries(others), at, 'an automation')
}

/** With what it is started with: each step has somebody and something to send. Throws a 400 that names the field. */
export function checkContext(automation: Automation, context: RunContext, at = 'automation'): void {
  for (const [index, step] of automation.steps.entries()) {
    const field = neededOf(step).find((name) => context[name] === undefined)
    if (field !== undefined)
      throw invalidRequest(`${at}.steps.${index}.${field} is required: neither the step nor the run has one`)
  }
}

/** What a step leaves to its run. */
function neededOf({ action, fields }: Step): ('template' | 'recipient')[] {
  const { message } = fields
  const said: JsonObject = action === 'send' && isObject(message) ? message : {}
  // It says itself what it is when it is filled in.
  if (Object.hasOwn(said, '$ref') || typeof message === 'string') return []
  const isSend = action === 'send' || action === 'send-list'
  const hasTemplate = fields.template !== undefined || Boolean(said.template) || Boolean(said.content)
  const hasRecipient = fields.recipient !== undefined || (said.to ?? undefined) !== undefined
  const isForOne = action === 'send' || action === 'add-to-digest' || fields.scope === 'user'
  return [
    ...(isSend && !hasTemplate ? (['template'] as const) : []),
    ...(isForOne && !hasRecipient ? (['recipient'] as const) : []),
  ]
}
