/** /lists: lists and who is subscribed to them. */
import { listsPage, subscriptionsPage } from '@postrider/contract'
import { invalidRequest, notFound } from '../../base/errors.ts'
import { checkListId, parseListPattern } from '../../base/list-pattern.ts'
import {
  addSubscriptions,
  listSubscriptions,
  removeSubscription,
  replaceSubscriptions,
} from '../../database/tables/lists/list-subscriptions.ts'
import {
  deleteList,
  findList,
  type ListRow,
  listLists,
  putList,
  restoreList,
} from '../../database/tables/lists/lists.ts'
import { boundedPreferences, listRecord, subscribersOf, subscriptionRecord } from '../../lists/subscriptions.ts'
import { readDelay, readShared } from '../../messages/accept/read-send.ts'
import type { Target } from '../../recipients/read-recipients.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'
import { request } from '../send-request.ts'
import { listSendWarnings } from '../send-warnings.ts'
import { refuseProblemsOfMany } from '../strict-sends.ts'

export const lists = {
  'lists.send': async ({ body }, call) => {
    const { list, pattern, delay, ...shared } = body
    if (Boolean(list) === Boolean(pattern)) throw invalidRequest('Give either list or pattern')
    if (pattern) parseListPattern(pattern)
    const target: Target = list ? { kind: 'list', listId: list } : { kind: 'pattern', pattern: pattern ?? '' }
    const { notBefore, openingHours } = readDelay(delay, call.now)
    const addressing = { targets: [target], ...(notBefore !== undefined && { notBefore }) }
    const wanted = { ...readShared(shared), ...(openingHours && { openingHours }) }
    if (call.strict)
      await refuseProblemsOfMany(listSendWarnings(body), { shared: wanted, targets: [target], notBefore }, call)
    return request(call, { kind: 'list', shared: wanted, addressing }, (messageId) =>
      success('lists.send', { messageId }),
    )
  },
  'lists.list': async ({ query: { cursor, limit = listsPage, pattern } }, { house, caller }) => {
    const filter = { cursor, pattern: pattern === undefined ? undefined : parseListPattern(pattern) }
    const page = await listLists(house.engine, caller.workspaceId, filter, limit)
    const items = page.rows.map(listRecord)
    return success('lists.list', { paging: paging(page), items, results: items })
  },
  'lists.get': async ({ params: { list_id } }, call) => success('lists.get', listRecord(await known(call, list_id))),
  'lists.put': async ({ params: { list_id }, body: { name, preferences } }, { caller, now, keeping }) => {
    checkListId(list_id)
    const reply = success('lists.put', undefined)
    const list = { id: list_id, name, preferences: boundedPreferences(preferences) }
    await putList(keeping(reply), caller.workspaceId, list, now)
    return reply
  },
  'lists.delete': async ({ params: { list_id } }, { caller, now, keeping }) => {
    const reply = success('lists.delete', undefined)
    if (!(await deleteList(keeping(reply), caller.workspaceId, list_id, now))) throw notFound()
    return reply
  },
  'lists.restore': async ({ params: { list_id } }, { caller, now, keeping }) => {
    const reply = success('lists.restore', undefined)
    if (!(await restoreList(keeping(reply), caller.workspaceId, list_id, now))) throw notFound()
    return reply
  },
  'lists.subscriptions': async ({ params: { list_id }, query: { cursor, limit = subscriptionsPage } }, call) => {
    const { id } = await known(call, list_id)
    const { house, caller } = call
    const page = await listSubscriptions(house.engine, caller.workspaceId, id, cursor, limit)
    return success('lists.subscriptions', { paging: paging(page), items: page.rows.map(subscriptionRecord) })
  },
  'lists.replaceSubscriptions': async ({ params: { list_id }, body }, { house, caller, now }) => {
    checkListId(list_id)
    await replaceSubscriptions(house.engine, caller.workspaceId, list_id, subscribersOf(body), now)
    return success('lists.replaceSubscriptions', undefined)
  },
  'lists.addSubscriptions': async ({ params: { list_id }, body }, { caller, now, keeping }) => {
    checkListId(list_id)
    const subscriptions = subscribersOf(body).map((subscriber) => ({ listId: list_id, ...subscriber }))
    const reply = success('lists.addSubscriptions', undefined)
    await addSubscriptions(keeping(reply), caller.workspaceId, [list_id], subscriptions, now)
    return reply
  },
  'lists.subscribe': async ({ params: { list_id, user_id }, body }, { house, caller, now }) => {
    checkListId(list_id)
    const subscription = { listId: list_id, recipient: user_id, preferences: boundedPreferences(body?.preferences) }
    await addSubscriptions(house.engine.batch, caller.workspaceId, [list_id], [subscription], now)
    return success('lists.subscribe', undefined)
  },
  'lists.unsubscribe': async ({ params: { list_id, user_id } }, { house, caller }) => {
    if (!(await removeSubscription(house.engine, caller.workspaceId, list_id, user_id))) throw notFound()
    return success('lists.unsubscribe', undefined)
  },
} satisfies ResourceHandlers<'lists'>

async function known({ house, caller }: Call, id: string): Promise<ListRow> {
  const list = await findList(house.engine, caller.workspaceId, id)
  if (!list) throw notFound()
  return list
}
