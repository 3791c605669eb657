/** /views: filters of a page of the dashboard, saved under a name. */

import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { pageNamePattern } from '../../api/patterns.ts'
import { resource } from '../../api/resource.ts'
import { jsonObject, name, timestamp } from '../../api/values.ts'

/** Views of one environment: a menu that is longer is no help. */
export const viewsMax = 100
/** Every filter of a list of messages, with many values each. */
export const viewFiltersBytesMax = 8_192

const page = Type.String({
  pattern: pageNamePattern,
  description: 'The page that it is a view of, such as `messages`.',
})
const filters = jsonObject(
  `The filters of the page, as the page writes them: at most ${viewFiltersBytesMax} bytes of JSON.`,
)

export const View = Type.Object(
  {
    name: Type.String({ description: 'Its name, unique in the environment.' }),
    page,
    filters,
    created: timestamp('Time of creation.'),
    updated: timestamp('Time of the last change.'),
  },
  { title: 'View', description: 'Saved filters of a page.' },
)
export type View = Static<typeof View>

const params = Type.Object({ name: name('Name of the view.') })
const example = { name: 'Failed today' }
const record = {
  ...example,
  page: 'messages',
  filters: { status: ['UNDELIVERABLE'], enqueued_after: 'today' },
  created: 1_710_334_643_000,
  updated: 1_710_334_643_000,
}

export default resource({
  name: 'views',
  position: 285,
  title: 'Views',
  description: 'Filters of a page of the dashboard, saved under a name, shared by all users of the environment.',
  operations: [
    operation({
      id: 'views.list',
      origin: 'postrider',
      method: 'GET',
      path: '/views',
      summary: 'List saved views',
      description: 'In the order of their names.',
      query: Type.Object({ page: Type.Optional(page) }),
      replies: { 200: Type.Object({ results: Type.Array(View, { maxItems: viewsMax }) }) },
      example: { query: { page: record.page }, reply: { results: [record] } },
    }),
    operation({
      id: 'views.put',
      origin: 'postrider',
      method: 'PUT',
      path: '/views/:name',
      access: 'key',
      summary: 'Save a view',
      description: `Creates the view, or replaces the one of that name. An environment has at most ${viewsMax}.`,
      audit: 'view:saved',
      preconditions: ['absent'],
      params,
      body: Type.Object({ page, filters }, { additionalProperties: false }),
      replies: { 200: View, 409: ErrorBody },
      example: { params: example, body: { page: record.page, filters: record.filters }, reply: record },
    }),
    operation({
      id: 'views.delete',
      origin: 'postrider',
      method: 'DELETE',
      path: '/views/:name',
      access: 'key',
      summary: 'Delete a view',
      audit: 'view:deleted',
      params,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
  ],
})
