/** Strings in the place of a name that were probably meant as references, in forms that steps do not read: used as they are. */
import { isObject, type JsonObject } from '../../base/json/json.ts'
import { type FieldKinds, fieldKindOf } from '../references/field-kinds.ts'
import { isLiteral } from '../references/references.ts'
import type { Report } from './unknown-fields.ts'

/** As JSONPath, or as a variable of a template. */
const FORMS = [
  /^\$\.((?:data|profile|refs|recipient|template|brand)(?:\.[\w$-]+)*)$/,
  /^\{\{?\s*\$?\.?((?:data|profile|refs|recipient)(?:\.[\w$-]+)*)\s*\}?\}$/,
]
/** Only of recipients: an event may well be called `profile.updated`. */
const BARE = /^((?:data|profile)(?:\.[\w$-]+)+)$/
const RECIPIENT = /(?:^|\.)(?:recipient|recipient_id|user_id)$/

/** `at` is the place of the step. */
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
