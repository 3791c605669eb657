/** Checks the settings of a brand: colors, fonts and the names of fields. */
import { BrandSettings } from '@postrider/contract'
import type { TSchema } from 'typebox'
import { invalidField, invalidRequest } from '../base/errors.ts'
import { isObject, type JsonObject } from '../base/json/json.ts'
import { unknownFields } from '../base/schema/check.ts'
import { isColor, isFontFamily } from '../templates/brand.ts'

/** Throws a 400. The content of fields for other clients is not checked. */
export function checkBrandSettings(settings: JsonObject): void {
  checkFields(settings, BrandSettings, 'settings')
  const { colors } = settings
  const email = objectOf(settings.email)
  const theme = objectOf(email.theme)
  for (const [name, value] of Object.entries(objectOf(colors))) checkColor(value, `settings.colors.${name}`)
  checkColor(objectOf(email.header).barColor, 'settings.email.header.barColor')
  checkColors(theme, 'settings.email.theme')
  checkColors(objectOf(theme.dark), 'settings.email.theme.dark')
  const { fontFamily } = theme
  if (typeof fontFamily === 'string' && fontFamily !== '' && !isFontFamily(fontFamily))
    throw invalidField(
      'settings.email.theme.fontFamily',
      "must be names of fonts with commas between them, such as Georgia, 'Times New Roman', serif",
    )
}

const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

function checkColors(fields: JsonObject, at: string): void {
  for (const [name, value] of Object.entries(fields)) if (name.endsWith('Color')) checkColor(value, `${at}.${name}`)
}

function checkColor(value: unknown, at: string): void {
  if (typeof value === 'string' && value !== '' && !isColor(value))
    throw invalidField(at, 'must be a color such as #2a5bd7, rgb(42, 91, 215) or navy')
}

function checkFields(fields: JsonObject, schema: TSchema, at: string): void {
  const properties = propertiesOf(schema)
  const [unknown] = unknownFields(fields, Object.keys(properties), at)
  if (unknown) throw invalidRequest(unknown.sentence, { code: 'unknown_field', param: unknown.field })
  for (const [name, value] of Object.entries(fields)) {
    const field = properties[name]
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
