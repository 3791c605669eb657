/** /lists: recipients subscribed by name. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { pageMax } from '../../api/limits.ts'
import { operation } from '../../api/operation.ts'
import { Paging, pageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { StrictQuery } from '../../api/strict.ts'
import { id, isoTimestamp, name, nullable, text } from '../../api/values.ts'
import { Preferences } from '../../shapes/preferences.ts'
import { SendBody, SendReply } from '../messages/send.ts'

/** Four UUIDs with their dots have 147; with a recipient id it fits an index entry. */
export const listIdCharactersMax = 150
/** Preferences of a list or a subscription, as JSON; they are read for every message to the list. */
export const listPreferencesBytesMax = 16_000
/** One statement, which locks the list for a few seconds. */
export const subscriptionsPerCallMax = 100_000
/** Lists that one recipient joins in one call; each of them is locked. */
export const listsPerCallMax = 500
export const listsPage = 25
export const subscriptionsPage = 100

const shown = Type.Optional(Preferences)
/** Preferences of a list or a subscription; null is the same as absent. */
export const listPreferences = (description: string) =>
  Type.Optional(Type.Union([Preferences, Type.Null()], { description }))
export const listId = (description: string) =>
  Type.String({ minLength: 1, maxLength: listIdCharactersMax, description })

export const List = Type.Object(
  {
    id: Type.String({ description: 'List id: 1 to 4 parts, separated by dots.' }),
    name: Type.String({ description: 'Display name.' }),
    created: isoTimestamp('Time of creation.'),
    updated: isoTimestamp('Time of the last change, subscriptions excluded.'),
    preferences: shown,
  },
  { title: 'List', description: 'A list of subscribed recipients.' },
)
export type List = Static<typeof List>

export const ListSubscription = Type.Object(
  {
    recipientId: Type.String({ description: 'The recipient id.' }),
    created: isoTimestamp('Time of the subscription.'),
    preferences: shown,
  },
  { title: 'ListSubscription', description: 'A recipient subscribed to a list.' },
)
export type ListSubscription = Static<typeof ListSubscription>

export const ListSubscriptionWrite = Type.Object(
  {
    recipientId: id('The recipient id.'),
    preferences: listPreferences('Preferences of the recipient for messages to the list.'),
  },
  { title: 'ListSubscriptionWrite', description: 'A recipient to subscribe.' },
)
export type ListSubscriptionWrite = Static<typeof ListSubscriptionWrite>

const recipients = Type.Array(Type.Union([ListSubscriptionWrite, id('A recipient id.')]), {
  maxItems: subscriptionsPerCallMax,
  description: 'Subscriptions or recipient ids. If a recipient occurs twice, the last entry applies.',
})

export const ListSubscriptionsWrite = Type.Union([Type.Object({ recipients }), ListSubscriptionWrite, recipients], {
  title: 'ListSubscriptionsWrite',
  description: 'Recipients to subscribe: an object with `recipients`, a single subscription, or an array.',
})
export type ListSubscriptionsWrite = Static<typeof ListSubscriptionsWrite>

const list = Type.Object({ list_id: listId('The list id.') })
const subscription = Type.Object({ list_id: listId('The list id.'), user_id: id('The recipient id.') })

export const listItems = Type.Array(List, { maxItems: pageMax, description: 'Ordered by id.' })
const example = { list_id: 'news.product.eu' }
export const listExample = {
  id: example.list_id,
  name: 'Product news, Europe',
  created: '2024-03-13T12:57:23.000Z',
  updated: '2024-03-13T12:57:23.000Z',
}
const chosen = { notifications: { 'weekly-digest': { status: 'OPTED_OUT' } } }
const recipientsBody = { recipients: [{ recipientId: 'user-7' }, { recipientId: 'user-8' }] }

const { event, brand, data, override, preferences, delay } = SendBody.properties

export const ListSendBody = Type.Object(
  {
    list: Type.Optional(nullable(id('List id. Either `list` or `pattern` is required.'))),
    pattern: Type.Optional(nullable(id('Pattern of list ids: `team.*`, `team.**`.'))),
    event,
    brand,
    data,
    override,
    preferences,
    delay,
  },
  { title: 'ListSendBody', description: 'One notification to all subscribers of a list.' },
)
export type ListSendBody = Static<typeof ListSendBody>

export default resource({
  name: 'lists',
  position: 90,
  title: 'Lists',
  description: 'Lists of subscribed recipients, for sends to all of them.',
  operations: [
    operation({
      id: 'lists.list',
      method: 'GET',
      path: '/lists',
      summary: 'List lists',
      query: Type.Object({
        ...pageQuery(listsPage),
        pattern: Type.Optional(
          text('Pattern of list ids: `*` matches one part, `**` at the end one or more; `news.*.eu`, `news.**`.'),
        ),
      }),
      replies: {
        200: Type.Object({
          paging: Paging,
          items: listItems,
          results: Type.Array(List, { maxItems: pageMax, description: 'Alias of `items`.' }),
        }),
      },
      example: {
        query: { pattern: 'news.**' },
        reply: { paging: { more: false }, items: [listExample], results: [listExample] },
      },
    }),
    operation({
      id: 'lists.get',
      method: 'GET',
      path: '/lists/:list_id',
      summary: 'Get a list',
      params: list,
      replies: { 200: List, 404: ErrorBody },
      example: { params: example, reply: listExample },
    }),
    operation({
      id: 'lists.put',
      method: 'PUT',
      path: '/lists/:list_id',
      summary: 'Create or replace a list',
      audit: 'list:updated',
      recommendedPerMinute: 20,
      description: 'Subscriptions are unchanged. A deleted list is created again, without subscriptions.',
      preconditions: ['absent'],
      params: list,
      body: Type.Object({
        name: name('Display name.'),
        preferences: listPreferences('Default preferences of all subscribers. Default: none.'),
      }),
      replies: { 204: null },
      example: { params: example, body: { name: listExample.name } },
    }),
    operation({
      id: 'lists.delete',
      method: 'DELETE',
      path: '/lists/:list_id',
      summary: 'Delete a list',
      audit: 'list:deleted',
      description: 'The list is hidden, with its subscriptions, until it is restored or created again.',
      params: list,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'lists.restore',
      method: 'PUT',
      path: '/lists/:list_id/restore',
      summary: 'Restore a deleted list',
      audit: 'list:restored',
      description: 'Restores the list with its subscriptions. A list that is not deleted is unchanged.',
      params: list,
      replies: { 204: null, 404: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'lists.subscriptions',
      method: 'GET',
      path: '/lists/:list_id/subscriptions',
      summary: 'List the subscriptions of a list',
      params: list,
      query: Type.Object(pageQuery(subscriptionsPage)),
      replies: {
        200: Type.Object({
          paging: Paging,
          items: Type.Array(ListSubscription, {
            maxItems: pageMax,
            description: 'Ordered by recipient id.',
          }),
        }),
        404: ErrorBody,
      },
      example: {
        params: example,
        reply: {
          paging: { more: false },
          items: [{ recipientId: 'user-7', created: listExample.created, preferences: chosen }],
        },
      },
    }),
    operation({
      id: 'lists.replaceSubscriptions',
      method: 'PUT',
      path: '/lists/:list_id/subscriptions',
      summary: 'Replace the subscriptions of a list',
      description: 'Replaces all subscriptions and their preferences. Creates the list if necessary.',
      params: list,
      body: ListSubscriptionsWrite,
      replies: { 204: null },
      example: { params: example, body: recipientsBody },
    }),
    operation({
      id: 'lists.addSubscriptions',
      method: 'POST',
      path: '/lists/:list_id/subscriptions',
      summary: 'Subscribe recipients to a list',
      recommendedPerMinute: 20,
      description:
        'Other subscriptions are unchanged, and so are omitted preferences of recipients who are already subscribed. Creates the list if necessary.',
      params: list,
      body: ListSubscriptionsWrite,
      replies: { 204: null },
      example: { params: example, body: recipientsBody },
    }),
    operation({
      id: 'lists.subscribe',
      method: 'PUT',
      path: '/lists/:list_id/subscriptions/:user_id',
      summary: 'Subscribe a recipient to a list',
      description: 'Omitted preferences are unchanged. Creates the list if necessary.',
      params: subscription,
      body: Type.Object({ preferences: listPreferences('Preferences of the recipient for messages to the list.') }),
      bodyOptional: true,
      replies: { 204: null },
      example: {
        params: { ...example, user_id: 'user-7' },
        body: { preferences: chosen },
      },
    }),
    operation({
      id: 'lists.unsubscribe',
      method: 'DELETE',
      path: '/lists/:list_id/subscriptions/:user_id',
      summary: 'Unsubscribe a recipient from a list',
      params: subscription,
      replies: { 204: null, 404: ErrorBody },
      example: { params: { ...example, user_id: 'user-7' } },
    }),
    operation({
      id: 'lists.send',
      method: 'POST',
      path: '/send/list',
      access: 'key',
      summary: 'Send to a list',
      description:
        'Replies as soon as the request is durably stored; recipients are resolved afterwards, each once. `GET /messages?messageId=` or `?list=` lists the messages, and `GET /requests/:request_id` has the progress. A list that does not exist has no subscribers; a strict call (`?strict=true`, as for `POST /send`) returns 400 for it, and for problems that would affect the message of every recipient.',
      query: StrictQuery,
      body: ListSendBody,
      replies: { 200: SendReply },
      example: {
        body: { list: 'news.product.eu', event: 'welcome', data: { product: 'Postrider' } },
        reply: { messageId: '1-65f1a2b3-0a1b2c3d4e5f60718293a4b5' },
      },
    }),
  ],
})
