/** Plain JSON Schema, reduced to the keywords of the contract; documents and the client are generated from it. */
import type { TSchema } from 'typebox'

export interface PlainSchema {
  title?: string
  description?: string
  type?: string
  const?: string | boolean
  enum?: string[]
  properties?: Record<string, PlainSchema>
  required?: string[]
  /** `true` documents that other fields are accepted. */
  additionalProperties?: PlainSchema | true
  items?: PlainSchema
  anyOf?: PlainSchema[]
  $ref?: string
  /** Client shapes only: the TypeScript type. */
  typescript?: string
  /** Client shapes only: values in each of `anyOf` can be references. */
  references?: boolean
  [keyword: string]: unknown
}

/** Maps of any key become `additionalProperties`, which tools support better than a pattern. */
export function plainSchema(schema: TSchema): PlainSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const anyKey = value?.patternProperties?.['^.*$']
    if (!anyKey) return value
    const { patternProperties: _pattern, ...rest } = value
    return { ...rest, additionalProperties: anyKey }
  }) as PlainSchema
}
