/** The plain values schemas are built from: JSON objects, moments, names, the acknowledgement. */
import { type TSchema, Type } from 'typebox'
import { idCharactersMax, nameCharactersMax, tenantIdCharactersMax, textCharactersMax } from './limits.ts'

/** Any JSON object. Its keys are not walked when it is checked. */
export const jsonObject = (description: string) => Type.Unsafe<Record<string, unknown>>({ type: 'object', description })

/** An object that may be left out or sent as null. */
export const optionalObject = (description: string) =>
  Type.Optional(Type.Union([Type.Unsafe<Record<string, unknown>>({ type: 'object' }), Type.Null()], { description }))

/** A value that may be sent as null. */
export const nullable = <S extends TSchema>(schema: S) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description ?? '' })

/** Milliseconds since the Unix epoch, UTC. */
export const moment = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description} In milliseconds since the Unix epoch.` })

/** The pattern of `momentText`; a fault is a sentence of its own. */
export const momentPattern =
  '^(\\d{1,15}|\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\\d|3[01])([T ]([01]\\d|2[0-3]):[0-5]\\d(:[0-5]\\d(\\.\\d{1,9})?)?(Z|[+-]([01]\\d|2[0-3]):?[0-5]\\d)?)?)$'

/** A moment that a person or a program wrote. */
export const momentText = (description: string) =>
  Type.String({
    pattern: momentPattern,
    description: `${description} ISO 8601 or milliseconds since the Unix epoch, as text.`,
  })

/** As lists, subscriptions, audiences and tokens say it. */
export const isoMoment = (description: string) => Type.String({ description: `${description} ISO 8601, UTC.` })

export const id = (description: string) => Type.String({ minLength: 1, maxLength: idCharactersMax, description })

export const tenantId = (description: string) =>
  Type.String({ minLength: 1, maxLength: tenantIdCharactersMax, description })

export const name = (description: string) => Type.String({ minLength: 1, maxLength: nameCharactersMax, description })

/** A free query value. */
export const text = (description: string) => Type.String({ maxLength: textCharactersMax, description })

export const Success = Type.Object(
  { status: Type.Literal('SUCCESS', { description: 'Always `SUCCESS`.' }) },
  { title: 'Success', description: 'The change is stored.' },
)
