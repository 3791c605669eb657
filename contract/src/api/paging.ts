/** Pagination: an opaque cursor in the query, the next cursor and `more` in the reply. */
import { type TSchema, Type } from 'typebox'
import { cursorCharactersMax, pageMax, tenantsPage } from './limits.ts'
import { nullable } from './values.ts'

const cursorText = (description: string) => Type.Optional(Type.String({ maxLength: cursorCharactersMax, description }))

export const Paging = Type.Object(
  {
    cursor: Type.Optional(
      Type.String({ description: 'Value of `cursor` for the next page. Present when `more` is true.' }),
    ),
    more: Type.Boolean({ description: 'Whether another page follows.' }),
  },
  { title: 'Paging', description: 'Position of a page in its list.' },
)

/** Items per page; each list has its own default. */
const pageLimit = (rows: number) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: pageMax, description: `Items per page. Default: ${rows}.` }))

/** The query parameters of every list. */
export const pageQuery = (rows: number) => ({ cursor, limit: pageLimit(rows) })

const cursor = cursorText('The `paging.cursor` of the previous page. It never expires.')

/** A page of tenants, memberships or digests. */
export const listPage = <S extends TSchema>(item: S, title: string, description: string) =>
  Type.Object(
    {
      type: Type.Literal('list', { description: 'Always `list`.' }),
      items: Type.Array(item, { description: 'Items of this page.' }),
      has_more: Type.Boolean({ description: 'Whether another page follows.' }),
      url: Type.String({ description: 'The path of the list.' }),
      next_url: nullable(Type.String({ description: 'Path and query of the next page; null on the last page.' })),
      cursor: nullable(Type.String({ description: 'Value of `cursor` for the next page; null on the last page.' })),
    },
    { title, description },
  )

export const listPageQuery = {
  limit: pageLimit(tenantsPage),
  cursor: cursorText('The `cursor` of the previous page. It never expires.'),
  starting_after: cursorText('Alias of `cursor` for older clients.'),
}

/** Paging fields of an example. */
export const lastPage = { has_more: false, next_url: null, cursor: null }
