/** Why one row of a call with many was refused. */
import { type Static, Type } from 'typebox'
import { errorFields } from '../api/errors.ts'

export const rowPlace = Type.Integer({ minimum: 0, description: 'Place of the row in the call, from 0.' })

export const RowError = Type.Object(
  {
    row: rowPlace,
    id: Type.Optional(Type.String({ description: 'The recipient id, where the row has one.' })),
    error: Type.String({ description: 'Why it was refused: the message that a call of its own would get.' }),
    code: errorFields.code,
    param: Type.Optional(Type.String({ description: 'The faulty field of the row, where it is known.' })),
  },
  { title: 'RowError', description: 'A row of a call that was refused; the others were written.' },
)
export type RowError = Static<typeof RowError>
