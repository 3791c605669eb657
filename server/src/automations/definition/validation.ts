/** Refuses an automation that can never work before a run of it starts, by its text alone or with its context. */
import { Automation as AutomationSchema, automationSteps, RunContext as ContextSchema } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidRequest } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { locateErrors } from '../error-location.ts'
import type { RunContext } from '../run.ts'
import { behaviorOf } from '../steps/shared/registry.ts'
import { checkFieldNames, type Report } from '../unknown-fields.ts'
import { type Automation, cancelationTokenNames, type Step } from './automation.ts'
import { checkLiterals } from './literal-fields.ts'
import { checkReferences, reportUnsupportedReferences } from './reference-check.ts'

/**
 * Whatever it is started with. What holds references is looked at when they are filled in. Reports unknown fields and
 * what else is ignored. Throws a 400 that names the place.
 */
export function checkWritten(automation: Automation, now: number, report: Report, at = 'automation'): void {
  checkReferences(automation, at)
  for (const [index, { action, fields }] of automation.steps.entries()) {
    const place = `${at}.steps.${index}`
    checkFieldNames(namesOf(action), fields, { at: place, what: action, report })
    reportUnsupportedReferences(fields, behaviorOf(action).fieldKinds ?? {}, place, report)
    locateErrors(place, () => checkLiterals(action, fields))
    behaviorOf(action).checkWritten?.(fields, { at: place, now, report })
  }
}

/** Beside `action`, which is what it was found by. */
const namesOf = (action: Step['action']) =>
  Type.Object({ ...automationSteps[action].fields.properties, if: Type.Boolean(), ref: Type.String() })

const Beside = Type.Object({ ...AutomationSchema.properties, ...ContextSchema.properties })

/** The fields beside its steps. */
export function checkBeside(automation: JsonObject, report: Report, at = 'automation'): void {
  const others = Object.entries(automation).filter(([name]) => !cancelationTokenNames.has(name))
  checkFieldNames(Beside, Object.fromEntries(others), { at, what: 'an automation', report })
}

/**
 * With what it is started with: each step that sends has something to send. Whom to is said by the run: a step may be
 * skipped, and the data of a later one are not known yet. Throws a 400 that names the field.
 */
export function checkContext(automation: Automation, context: RunContext, at = 'automation'): void {
  if (context.template !== undefined) return
  const index = automation.steps.findIndex(lacksTemplate)
  if (index >= 0)
    throw invalidRequest(`${at}.steps.${index}.template is required: neither the step nor the run has one`)
}

/** A step with a condition may be skipped. */
const lacksTemplate = ({ action, fields, condition }: Step) =>
  !condition && fields.template === undefined && behaviorOf(action).needsTemplate?.(fields) === true
