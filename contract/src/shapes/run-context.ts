/** The values that the steps of a run start from. */
import { Type } from 'typebox'
import { idCharactersMax } from '../api/limits.ts'
import { id, nullable, optionalObject } from '../api/values.ts'

export const runContextFields = {
  brand: Type.Optional(nullable(id('Brand of steps that name none.'))),
  template: Type.Optional(nullable(id('Notification or mapped event of steps that name none.'))),
  recipient: Type.Optional(
    Type.Union([Type.String({ minLength: 1, maxLength: idCharactersMax }), Type.Integer(), Type.Null()], {
      description: 'Recipient of steps that name none.',
    }),
  ),
  data: optionalObject('What steps and their messages see; below the data of each step.'),
  profile: optionalObject('Contact values of the recipient; below the profile of each step.'),
}

export const RunContext = Type.Object(runContextFields, {
  title: 'RunContext',
  description: 'What lies below the fields of every step.',
})
