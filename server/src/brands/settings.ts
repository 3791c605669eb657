/** Checks the settings of a brand: colors and the names of fields. */
import { BrandSettings } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { invalidField, invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { unknownFields } from '../base/schema/check.ts'
import { isColor } from '../templates/brand.ts'

/** Throws a 400. The content of fields for other clients is not checked. */
export function checkBrandSettings(settings: JsonObject): void {
  checkFields(settings, BrandSettings, 'settings')
  const { colors, email } = settings
  const header = isObject(email) && isObject(email.header) ? email.header : {}
  for (const [name, value] of Object.entries(isObject(colors) ? colors : {}))
    checkColor(value, `settings.colors.${name}`)
  checkColor(header.barColor, 'settings.email.header.barColor')
}

function checkColor(value: unknown, at: string): void {
  if (typeof value === 'string' && value !== '' && !isColor(value))
    throw invalidField(at, 'must be a color such as #2a5bd7, rgb(42, 91, 215) or navy')
}

function checkFields(fields: JsonObject, schema: TSchema, at: string): void {
  const known = propertiesOf(schema)
  const [unknown] = unknownFields(fields, Object.keys(known), at)
  if (unknown) throw invalidRequest(unknown.sentence, { code: 'unknown_field', param: unknown.field })
  for (const [name, value] of Object.entries(fields)) {
    const field = known[name]
    if (field && isObject(value) && Object.keys(propertiesOf(field)).length > 0)
      checkFields(value, field, `${at}.${name}`)
  }
}

/** The properties of the schema, or of its alternative to null. */
function propertiesOf(schema: TSchema): Record<string, TSchema> {
  if ('anyOf' in schema && Array.isArray(schema.anyOf))
    return Object.assign({}, ...(schema.anyOf as TSchema[]).map(propertiesOf))
  return 'properties' in schema && isObject(schema.properties) ? (schema.properties as Record<string, TSchema>) : {}
}
