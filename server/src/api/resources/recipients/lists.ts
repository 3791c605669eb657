/** /lists: lists and who is subscribed to them. */
import { listsPage, subscriptionsPage } from '@postrider/contract'
import { invalidRequest, notFound } from '../../../base/errors.ts'
import { textsOf } from '../../../base/finding.ts'
import { checkListId, parseListPattern } from '../../../base/list-pattern.ts'
import {
  addSubscriptions,
  deleteList,
  findList,
  type ListRow,
  listLists,
  listSubscriptions,
  putList,
  removeSubscription,
  replaceSubscriptions,
  restoreList,
} from '../../../database/tables/lists/lists.ts'
import { boundedPreferences, listRecord, subscribersOf, subscriptionRecord } from '../../../lists/subscriptions.ts'
import { readDelay, readShared } from '../../../messages/accept/read-send.ts'
import { keptMistakes, listSendMistakes } from '../../../messages/accept/send-mistakes.ts'
import type { Target } from '../../../recipients/read-recipients.ts'
import { type CallContext, paging, success } from '../../call.ts'
import { orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { existsAlready, resourceNamed } from '../../preconditions.ts'
import { checkSendToMany } from '../../strict-sends.ts'
import { warn } from '../../warnings.ts'
import { request } from '../messages/send.ts'

export const lists = {
  'lists.send': async ({ body }, ctx) => {
    const { list, pattern, delay, ...shared } = body
    if (Boolean(list) === Boolean(pattern)) throw invalidRequest('Give either list or pattern')
    if (pattern) parseListPattern(pattern)
    const target: Target = list ? { kind: 'list', listId: list } : { kind: 'pattern', pattern: pattern ?? '' }
    const { notBefore, openingHours } = readDelay(delay, ctx.now)
    const addressing = { targets: [target], ...(notBefore !== undefined && { notBefore }) }
    const mistakes = listSendMistakes(body, ctx.now)
    warn(ctx, ...textsOf(mistakes))
    const input = { ...readShared(shared), ...(openingHours && { openingHours }), ...keptMistakes(mistakes) }
    await checkSendToMany({ shared: input, targets: [target], notBefore }, ctx)
    return request(ctx, { kind: 'list', shared: input, addressing }, (messageId) =>
      success('lists.send', { messageId }),
    )
  },
  'lists.list': async ({ query: { cursor, limit = listsPage, pattern } }, { app, caller }) => {
    const filter = { cursor, pattern: pattern === undefined ? undefined : parseListPattern(pattern) }
    const page = await listLists(app.database, caller.workspaceId, filter, limit)
    const items = page.rows.map(listRecord)
    return success('lists.list', { paging: paging(page), items, results: items })
  },
  'lists.get': async ({ params: { list_id } }, ctx) =>
    success('lists.get', listRecord(await requireList(ctx, list_id))),
  'lists.put': ({ params: { list_id }, body: { name, preferences } }, { caller, now, preconditions }) => {
    checkListId(list_id)
    const list = { id: list_id, name, preferences: boundedPreferences(preferences) }
    return {
      reply: success('lists.put', undefined),
      writes: putList(caller.workspaceId, list, now, preconditions),
      onConflict: otherwise(() => existsAlready(resourceNamed('list', list_id))),
    }
  },
  'lists.delete': ({ params: { list_id } }, { caller, now }) => ({
    reply: success('lists.delete', undefined),
    writes: deleteList(caller.workspaceId, list_id, now),
    onConflict: orNotFound,
  }),
  'lists.restore': ({ params: { list_id } }, { caller, now }) => ({
    reply: success('lists.restore', undefined),
    writes: restoreList(caller.workspaceId, list_id, now),
    onConflict: orNotFound,
  }),
  'lists.subscriptions': async ({ params: { list_id }, query: { cursor, limit = subscriptionsPage } }, ctx) => {
    const { id } = await requireList(ctx, list_id)
    const { app, caller } = ctx
    const page = await listSubscriptions(app.database, caller.workspaceId, id, cursor, limit)
    return success('lists.subscriptions', { paging: paging(page), items: page.rows.map(subscriptionRecord) })
  },
  'lists.replaceSubscriptions': ({ params: { list_id }, body }, { caller, now }) => {
    checkListId(list_id)
    return {
      reply: success('lists.replaceSubscriptions', undefined),
      writes: replaceSubscriptions(caller.workspaceId, list_id, subscribersOf(body), now),
    }
  },
  'lists.addSubscriptions': ({ params: { list_id }, body }, { caller, now }) => {
    checkListId(list_id)
    const subscriptions = subscribersOf(body).map((subscriber) => ({ listId: list_id, ...subscriber }))
    return {
      reply: success('lists.addSubscriptions', undefined),
      writes: addSubscriptions(caller.workspaceId, [list_id], subscriptions, now),
    }
  },
  'lists.subscribe': ({ params: { list_id, user_id }, body }, { caller, now }) => {
    checkListId(list_id)
    const subscription = { listId: list_id, recipient: user_id, preferences: boundedPreferences(body?.preferences) }
    return {
      reply: success('lists.subscribe', undefined),
      writes: addSubscriptions(caller.workspaceId, [list_id], [subscription], now),
    }
  },
  'lists.unsubscribe': ({ params: { list_id, user_id } }, { caller }) => ({
    reply: success('lists.unsubscribe', undefined),
    writes: removeSubscription(caller.workspaceId, list_id, user_id),
    onConflict: orNotFound,
  }),
} satisfies ResourceHandlers<'lists'>

async function requireList({ app, caller }: CallContext, id: string): Promise<ListRow> {
  const list = await findList(app.database, caller.workspaceId, id)
  if (!list) throw notFound()
  return list
}
