/** The values that the steps of a run start from. */
import { Type } from 'typebox'
import { idCharactersMax } from '../api/limits.ts'
import { id, nullable, optionalObject } from '../api/values.ts'

export const runContextFields = {
  brand: Type.Optional(nullable(id('Default brand of the steps.'))),
  template: Type.Optional(nullable(id('Default notification or mapped event of the steps.'))),
  recipient: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer(), Type.Null()], {
      description: 'Default recipient of the steps.',
    }),
  ),
  data: optionalObject('Data of the steps and their messages; the data of a step is merged over it.'),
  profile: optionalObject('Contact values of the recipient; the profile of a step is merged over it.'),
}

export const RunContext = Type.Object(runContextFields, {
  title: 'RunContext',
  description: 'Default values for the fields of every step.',
})
