/** Schemas of plain values: JSON objects, timestamps, ids, names, the success reply. */

import { type TSchema, Type } from 'typebox'
import {
  idCharactersMax,
  idempotencyKeyCharactersMax,
  nameCharactersMax,
  tenantIdCharactersMax,
  textCharactersMax,
} from './limits.ts'
import { newIdPattern, timestampPattern } from './patterns.ts'

/** Any JSON object; its keys are not validated. */
export const jsonObject = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description })

/** An object that can be omitted or null. */
export const optionalObject = (description: string) =>
  Type.Optional(Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.Null()], { description }))

/** A value that can be null. */
export const nullable = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description ?? '' })

/** Milliseconds since the Unix epoch, UTC. */
export const timestamp = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description} In milliseconds since the Unix epoch.` })

/** A timestamp in a request. */
export const timestampText = (description: string) =>
  Type.String({
    pattern: timestampPattern,
    description: `${description} ISO 8601 or milliseconds since the Unix epoch, as a string.`,
  })

/** An ISO 8601 timestamp in a reply. */
export const isoTimestamp = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })

export const id = (description: string) => Type.String({ minLength: 1, maxLength: idCharactersMax, description })

/** An id that the caller can choose. URLs read `.` and `..` as steps, and forms change line breaks. */
export const chosenId = () =>
  Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: idCharactersMax,
        pattern: newIdPattern,
        description: 'Your own id; the id of an archived record is not free. Default: a generated id.',
      }),
    ),
  )

export const tenantId = (description: string) =>
  Type.String({ minLength: 1, maxLength: tenantIdCharactersMax, description })

export const name = (description: string) => Type.String({ minLength: 1, maxLength: nameCharactersMax, description })

export const idempotencyKey = (description: string) =>
  Type.String({ minLength: 1, maxLength: idempotencyKeyCharactersMax, description })

/** A string without a format of its own. */
export const text = (description: string) => Type.String({ maxLength: textCharactersMax, description })

export const Success = Type.Object(
  { status: Type.Literal('SUCCESS', { description: 'Always `SUCCESS`.' }) },
  { title: 'Success', description: 'The change is stored.' },
)
