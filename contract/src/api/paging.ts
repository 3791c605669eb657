/** Pages: an opaque cursor goes in, a cursor and whether more follows come out. */
import { type TSchema, Type } from 'typebox'
import { cursorCharactersMax, pageMax, tenantsPage } from './limits.ts'
import { nullable } from './values.ts'

const cursorText = (description: string) => Type.Optional(Type.String({ maxLength: cursorCharactersMax, description }))

export const Paging = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ description: 'Pass it as `cursor` to get the next page. Present when `more` is true.' }),
    ),
    more: Type.Boolean({ description: 'True when another page follows.' }),
  },
  { title: 'Paging', description: 'Where a page ends.' },
)

/** Rows of a page; each list has its own number of them. */
const pageLimit = (rows: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, description: `Rows of a page; ${rows} when left out.` }))

/** The query parameters of every list. */
export const pageQuery = (rows: number) => ({ cursor, limit: pageLimit(rows) })

const cursor = cursorText('The `paging.cursor` of the page before. It never expires.')

/** A page as tenants and memberships are listed. */
export const listPage = <S extends TSchema>(item: S, title: string, description: string) =>
  Type.Object(
    {
      type: Type.Literal('list', { description: 'Always `list`.' }),
      items: Type.Array(item, { description: 'The rows of this page.' }),
      has_more: Type.Boolean({ description: 'True when another page follows.' }),
      url: Type.String({ description: 'The path of the list.' }),
      next_url: nullable(Type.String({ description: 'Path and query of the next page; null on the last one.' })),
      cursor: nullable(Type.String({ description: 'Pass it as `cursor` to get the next page; null on the last one.' })),
    },
    { title, description },
  )

export const listPageQuery = {
  limit: pageLimit(tenantsPage),
  cursor: cursorText('The `cursor` of the page before. It never expires.'),
  starting_after: cursorText('The same, as older clients name it.'),
}

/** The end of an example. */
export const lastPage = { has_more: false, next_url: null, cursor: null }
