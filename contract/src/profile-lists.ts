/** /profiles/:user_id/lists: the lists of one recipient. */
import { Type } from 'typebox'
import { id, Success } from './json.ts'
import { listsPage, listsPerCallMax } from './limits.ts'
import { listExample, listId, lists, written } from './lists.ts'
import { operation } from './operation.ts'
import { Paging, pageQuery } from './paging.ts'

const params = Type.Object({ user_id: id('The recipient id.') })
const example = { user_id: 'user-7' }
const chosen = { notifications: { 'weekly-digest': { status: 'OPTED_OUT' } } }

export const profileListOperations = [
  operation({
    id: 'profiles.lists',
    method: 'GET',
    path: '/profiles/:user_id/lists',
    summary: 'List the lists of a recipient',
    description:
      'With the preferences of each subscription. A recipient without lists, or without a profile, has none.',
    params,
    query: Type.Object(pageQuery(listsPage)),
    replies: { 200: Type.Object({ paging: Paging, results: lists }) },
    example: {
      params: example,
      reply: { paging: { more: false }, results: [{ ...listExample, preferences: chosen }] },
    },
  }),
  operation({
    id: 'profiles.subscribe',
    method: 'POST',
    path: '/profiles/:user_id/lists',
    summary: 'Subscribe a recipient to lists',
    description:
      'Other lists stay. Preferences that are left out stay as they are. Creates the lists that do not exist.',
    params,
    body: Type.Object({
      lists: Type.Array(
        Type.Object({
          listId: listId('The list id.'),
          preferences: written('What the recipient wants of what is sent to the list.'),
        }),
        { maxItems: listsPerCallMax, description: 'Of a list named twice the last entry counts.' },
      ),
    }),
    replies: { 200: Success },
    example: {
      params: example,
      body: { lists: [{ listId: listExample.id }] },
      reply: { status: 'SUCCESS' },
    },
  }),
  operation({
    id: 'profiles.unsubscribe',
    method: 'DELETE',
    path: '/profiles/:user_id/lists',
    summary: 'Unsubscribe a recipient from every list',
    description: 'Deleted lists included: restoring one does not bring the recipient back.',
    params,
    replies: { 200: Success },
    example: { params: example, reply: { status: 'SUCCESS' } },
  }),
] as const
