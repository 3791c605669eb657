/** Pages: an opaque cursor goes in, a cursor and whether more follows come out. */
import { Type } from 'typebox'
import { cursorCharactersMax } from './limits.ts'

export const Paging = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ description: 'Pass it as `cursor` to get the next page. Present when `more` is true.' }),
    ),
    more: Type.Boolean({ description: 'True when another page follows.' }),
  },
  { title: 'Paging', description: 'Where a page ends.' },
)

/** The query parameter of every list. */
export const cursor = Type.Optional(
  Type.String({
    maxLength: cursorCharactersMax,
    description: 'The `paging.cursor` of the page before. It never expires.',
  }),
)
