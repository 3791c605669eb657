/** Rejects an automation that can never work, before a run of it starts. */
import { Automation as AutomationSchema, automationSteps, RunContext as ContextSchema } from '@postrider/contract'
import { Type } from 'typebox'
import { missingField } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { locateErrors } from '../error-location.ts'
import type { RunContext } from '../run.ts'
import { behaviorOf } from '../steps/shared/registry.ts'
import { checkFieldNames, type Report } from '../unknown-fields.ts'
import { type Automation, cancelationTokenNames, type Step } from './automation.ts'
import { checkLiterals } from './literal-fields.ts'
import { checkReferences, reportUnsupportedReferences } from './reference-check.ts'

/**
 * Checks that do not depend on the context of a run; values with references are checked after interpolation. Reports
 * unknown fields and fields without effect. Throws a 400 that names the place.
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

/** Field names of a step besides `action`. */
const namesOf = (action: Step['action']) =>
  Type.Object({ ...automationSteps[action].fields.properties, if: Type.Boolean(), ref: Type.String() })

const Beside = Type.Object({ ...AutomationSchema.properties, ...ContextSchema.properties })

/** Checks the fields beside the steps. */
export function checkBeside(automation: JsonObject, report: Report, at = 'automation'): void {
  const others = Object.entries(automation).filter(([name]) => !cancelationTokenNames.has(name))
  checkFieldNames(Beside, Object.fromEntries(others), { at, what: 'an automation', report })
}

/**
 * Checks with the context of a run: each step that sends has a template. A missing recipient is an error of the run:
 * the step can be skipped, and its data are not known yet. Throws a 400 that names the field.
 */
export function checkContext(automation: Automation, context: RunContext, at = 'automation'): void {
  if (context.template !== undefined) return
  const index = automation.steps.findIndex(lacksTemplate)
  if (index >= 0)
    throw missingField(`${at}.steps.${index}.template`, `is required: neither the step nor the run has one`)
}

/** A step with a condition may be skipped. */
const lacksTemplate = ({ action, fields, condition }: Step) =>
  !condition && fields.template === undefined && behaviorOf(action).needsTemplate?.(fields) === true
