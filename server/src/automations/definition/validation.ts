/** Rejects an automation that can never work, before a run of it starts: steps, references and conditions name what exists. */
import { Automation as AutomationSchema, automationSteps, RunContext as ContextSchema } from '@postrider/contract'
import { Type } from 'typebox'
import { invalidField, missingField } from '../../base/errors.ts'
import { pathsIn } from '../../base/expression/expression.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { checkFieldNames, type Report } from '../../base/schema/unknown-fields.ts'
import { locateErrors } from '../error-location.ts'
import { type FieldKinds, fieldKindOf } from '../references/interpolation.ts'
import { isLiteral, pathParts, type Reference, referencesIn } from '../references/references.ts'
import type { RunContext } from '../run.ts'
import { behaviorOf } from '../steps/steps.generated.ts'
import { type Automation, type AutomationStep, cancelationTokenNames, checkLiterals } from './automation.ts'
import { scopeNames, statusNames } from './step-scope.ts'

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
const namesOf = (action: AutomationStep['action']) =>
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
const lacksTemplate = ({ action, fields, condition }: AutomationStep) =>
  !condition && fields.template === undefined && behaviorOf(action).needsTemplate?.(fields) === true

/** The refs of earlier steps, and the positions of the later ones. */
interface Refs {
  earlier: ReadonlySet<string>
  later: ReadonlyMap<string, number>
}

/** Throws a 400 that names the place. */
function checkReferences({ steps, cancelationToken }: Automation, at: string): void {
  const later = new Map(steps.flatMap(({ ref }, index) => (ref === undefined ? [] : [[ref, index] as const])).reverse())
  const earlier = new Set(['data'])
  if (cancelationToken !== undefined)
    check(referencesIn(cancelationToken), `${at}.cancelation_token`, { earlier, later })
  for (const [index, { ref, condition, fields }] of steps.entries()) {
    const place = `${at}.steps.${index}`
    if (condition) check([{ kind: 'expression', source: condition.source }], `${place}.if`, { earlier, later })
    for (const [field, value] of Object.entries(fields))
      check(referencesIn(value), `${place}.${field}`, { earlier, later })
    if (ref !== undefined) earlier.add(ref)
  }
}

function check(references: readonly Reference[], place: string, refs: Refs): void {
  for (const { kind, source } of references) {
    if (kind === 'literal') continue
    for (const path of kind === 'path' ? [pathParts(source)] : pathsIn(source)) {
      const error = referenceError(path, refs)
      if (error !== undefined) throw invalidField(place, error)
    }
  }
}

/** The end of an error message. */
function referenceError([root = '', name]: readonly string[], { earlier, later }: Refs): string | undefined {
  if (!scopeNames.has(root)) return `names \`${root}\`, but there are only ${[...scopeNames].join(', ')}`
  if (name === undefined) return undefined
  if (root === 'MessageStatus' && !statusNames.has(name))
    return `names \`MessageStatus.${name}\`, but there are only ${[...statusNames].join(', ')}`
  if (root !== 'refs' || earlier.has(name)) return undefined
  const position = later.get(name)
  if (position !== undefined) return `names \`refs.${name}\`, which is there only after steps.${position}`
  const there = [...earlier].filter((ref) => ref !== 'data')
  const availableNames = there.length > 0 ? `: there are ${there.join(', ')}` : ''
  return `names \`refs.${name}\`, but no earlier step has that \`ref\`${availableNames}`
}

/** JSONPath, and variables of templates. */
const FORMS = [
  /^\$\.((?:data|profile|refs|recipient|template|brand)(?:\.[\w$-]+)*)$/,
  /^\{\{?\s*\$?\.?((?:data|profile|refs|recipient)(?:\.[\w$-]+)*)\s*\}?\}$/,
]
/** For recipients only: an event can be called `profile.updated`. */
const BARE = /^((?:data|profile)(?:\.[\w$-]+)+)$/
const RECIPIENT = /(?:^|\.)(?:recipient|recipient_id|user_id)$/

/** Reports names that look like references in another syntax and are used as written. `at` is the place of the step. */
function reportUnsupportedReferences(fields: JsonObject, fieldKinds: FieldKinds, at: string, report: Report): void {
  visit(fields, '', at)

  function visit(value: unknown, path: string, place: string): void {
    if (typeof value === 'string') {
      const source = fieldKindOf(path, fieldKinds) === 'name' ? pathIn(value, path) : undefined
      if (source !== undefined)
        report(
          () => `${place} is sent as \`${value}\`, which is not a reference. Did you mean \`{"$ref": "${source}"}\`?`,
        )
    } else if (Array.isArray(value)) for (const [index, item] of value.entries()) visit(item, path, `${place}.${index}`)
    else if (isObject(value) && !isLiteral(value))
      for (const [key, item] of Object.entries(value))
        visit(item, path === '' ? key : `${path}.${key}`, `${place}.${key}`)
  }
}

function pathIn(value: string, path: string): string | undefined {
  if (value.length > 256) return undefined
  const forms = RECIPIENT.test(path) ? [...FORMS, BARE] : FORMS
  return forms.map((form) => form.exec(value)?.[1]).find((source) => source !== undefined)
}
