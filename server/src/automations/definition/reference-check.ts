/** Checks the references and conditions of an automation: they name earlier steps, and names that exist. */

import { invalidField } from '../../base/errors.ts'
import { pathsIn } from '../../base/expression/expression.ts'
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { type FieldKinds, fieldKindOf } from '../references/interpolation.ts'
import { isLiteral, partsOf, type Reference, referencesIn } from '../references/references.ts'
import type { Report } from '../unknown-fields.ts'
import type { Automation } from './automation.ts'
import { scopeNames, statusNames } from './step-scope.ts'

/** The refs of earlier steps, and the positions of the later ones. */
interface Refs {
  earlier: ReadonlySet<string>
  later: ReadonlyMap<string, number>
}

/** Throws a 400 that names the place. */
export function checkReferences({ steps, cancelationToken }: Automation, at: string): void {
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
    for (const path of kind === 'path' ? [partsOf(source)] : pathsIn(source)) {
      const fault = faultOf(path, refs)
      if (fault !== undefined) throw invalidField(place, fault)
    }
  }
}

/** The end of an error message. */
function faultOf([root = '', name]: readonly string[], { earlier, later }: Refs): string | undefined {
  if (!scopeNames.has(root)) return `names \`${root}\`, but there are only ${[...scopeNames].join(', ')}`
  if (name === undefined) return undefined
  if (root === 'MessageStatus' && !statusNames.has(name))
    return `names \`MessageStatus.${name}\`, but there are only ${[...statusNames].join(', ')}`
  if (root !== 'refs' || earlier.has(name)) return undefined
  const position = later.get(name)
  if (position !== undefined) return `names \`refs.${name}\`, which is there only after steps.${position}`
  const there = [...earlier].filter((ref) => ref !== 'data')
  const known = there.length > 0 ? `: there are ${there.join(', ')}` : ''
  return `names \`refs.${name}\`, but no earlier step has that \`ref\`${known}`
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
export function reportUnsupportedReferences(
  fields: JsonObject,
  fieldKinds: FieldKinds,
  at: string,
  report: Report,
): void {
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
