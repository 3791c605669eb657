/** Refuses an automation that can never work before a run of it starts, by its text alone or with its context. */
import { Automation as AutomationSchema, automationSteps, RunContext as ContextSchema } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidRequest } from '../../base/errors.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { readKeyExpiry } from '../../messages/idempotency-expiry.ts'
import { referencesIn } from '../references/references.ts'
import type { RunContext } from '../run.ts'
import { steps } from '../steps/registry.ts'
import { type Automation, blame, cancelationTokenNames, type Step } from './automation.ts'
import { checkLiterals } from './literal-fields.ts'
import { checkMessage } from './message-check.ts'
import { checkReferences } from './reference-check.ts'
import { checkFieldNames, type Report } from './unknown-fields.ts'
import { reportUnsupportedReferences } from './unsupported-references.ts'

/**
 * Whatever it is started with. What holds references is looked at when they are filled in. Reports unknown fields and
 * what else is ignored. Throws a 400 that names the place.
 */
export function checkWritten(automation: Automation, now: number, report: Report, at = 'automation'): void {
  checkReferences(automation, at)
  for (const [index, { action, fields }] of automation.steps.entries()) {
    const place = `${at}.steps.${index}`
    checkFieldNames(namesOf(action), fields, { at: place, what: action, report })
    reportIgnored(action, fields, { now, at: place, report })
    reportUnsupportedReferences(fields, steps[action].fieldKinds ?? {}, place, report)
    blame(place, () => {
      checkLiterals(action, fields)
      steps[action].written?.(fields)
    })
    if (action === 'send' && isObject(fields.message)) checkMessage(fields.message, now, `${place}.message`, report)
  }
}

/** Beside `action`, which is what it was found by. */
const namesOf = (action: Step['action']) =>
  Type.Object({ ...automationSteps[action].properties, if: Type.Boolean(), ref: Type.String() })

const Beside = Type.Object({ ...AutomationSchema.properties, ...ContextSchema.properties })

/** The fields beside its steps. */
export function checkBeside(automation: JsonObject, report: Report, at = 'automation'): void {
  const others = Object.entries(automation).filter(([name]) => !cancelationTokenNames.has(name))
  checkFieldNames(Beside, Object.fromEntries(others), { at, what: 'an automation', report })
}

/** Fields that a step has and that have no effect as they are. */
function reportIgnored(
  action: Step['action'],
  { duration, until, idempotency_expiry: expiry }: JsonObject,
  { now, at, report }: { now: number; at: string; report: Report },
): void {
  if (action === 'delay' && duration !== undefined && until !== undefined)
    report(() => `${at}.duration is ignored beside \`until\`.`)
  if (action === 'delay' && duration === undefined && until === undefined)
    report(() => `${at} does not wait: it has neither \`duration\` nor \`until\`.`)
  const isUnreadable = referencesIn(expiry).length === 0 && readKeyExpiry(expiry, now) === undefined
  if (expiry !== undefined && action !== 'fetch-data' && isUnreadable)
    report(() => `${at}.idempotency_expiry is neither a moment nor a duration: the key is kept for 25 hours.`)
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

/** One with a condition may be skipped. */
function lacksTemplate({ action, fields, condition }: Step): boolean {
  const { message, template } = fields
  if (condition || template !== undefined || (action !== 'send' && action !== 'send-list')) return false
  if (action === 'send-list') return true
  // A message that is a reference says itself what it is when it is filled in.
  if (typeof message === 'string') return false
  return !isObject(message) || !(Object.hasOwn(message, '$ref') || message.template || message.content)
}
