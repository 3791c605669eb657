/** A schema as plain JSON Schema, reduced to what the contract uses: documents and the client are drawn from it. */
import type { TSchema } from 'typebox'

export interface PlainSchema {
  title?: string
  description?: string
  type?: string
  const?: string | boolean
  enum?: string[]
  properties?: Record<string, PlainSchema>
  required?: string[]
  /** `true` says in so many words that other fields may follow. */
  additionalProperties?: PlainSchema | true
  items?: PlainSchema
  anyOf?: PlainSchema[]
  $ref?: string
  /** Of shapes of the client alone: its type as it is written in TypeScript. */
  typescript?: string
  /** Of shapes of the client alone: each of `anyOf` may hold references in the place of values. */
  references?: boolean
  [keyword: string]: unknown
}

/** Maps of any key become `additionalProperties`, which tools know better than a pattern. */
export function plainSchema(schema: TSchema): PlainSchema {
  return JSON.parse(JSON.stringify(schema), (_, value) => {
    const anyKey = value?.patternProperties?.['^.*$']
    if (!anyKey) return value
    const { patternProperties: _pattern, ...rest } = value
    return { ...rest, additionalProperties: anyKey }
  }) as PlainSchema
}
