/** /profiles: read, merged, replaced, patched, and subscribed to lists. */
import { listsPage, type PatchOperation, profileBytesMax } from '@postrider/contract'
import { invalidRequest, notFound } from '../../base/errors.ts'
import { isObject, type JsonObject, merge } from '../../base/json/json.ts'
import { checkListId } from '../../base/list-pattern.ts'
import {
  addSubscriptions,
  listsOfRecipient,
  removeSubscriptionsOf,
} from '../../database/tables/lists/list-subscriptions.ts'
import { findPreferences } from '../../database/tables/preferences/preferences.ts'
import { deleteProfile, findProfile, replaceProfile, writeProfile } from '../../database/tables/users/profiles.ts'
import { boundedPreferences, listRecord } from '../../lists/subscriptions.ts'
import { boundedProfile } from '../../recipients/profile-size.ts'
import { type Call, done, type Reply, type ResourceHandlers, success } from '../call.ts'
import { patchedBy } from '../json-patch.ts'
import { paging } from '../paging.ts'
import { beginErasing } from '../records/erasures.ts'
import { contended } from '../retry-on-conflict.ts'

export const profiles = {
  'profiles.get': async ({ params: { user_id } }, { house, caller }) => {
    const { engine } = house
    const [stored, preferences] = await Promise.all([
      findProfile(engine, caller.workspaceId, user_id),
      findPreferences(engine, caller.workspaceId, user_id),
    ])
    if (!stored) throw notFound()
    return success('profiles.get', {
      profile: stored.profile,
      preferences: preferences?.preferences ?? { notifications: {}, categories: {} },
    })
  },
  'profiles.merge': async ({ params: { user_id }, body: { profile, patch } }, call) => {
    const make = (before: JsonObject) => (profile ? merge(before, profile) : patched(before, patch ?? []))
    return change(call, user_id, make, success('profiles.merge', done))
  },
  'profiles.replace': async ({ params: { user_id }, body: { profile } }, { house, caller, now }) => {
    await replaceProfile(house.engine, caller.workspaceId, user_id, boundedProfile(profile), now)
    return success('profiles.replace', done)
  },
  'profiles.patch': async ({ params: { user_id }, body }, call) => {
    const patch = Array.isArray(body) ? body : body.patch
    return change(call, user_id, (before) => patched(before, patch), success('profiles.patch', done))
  },
  'profiles.delete': async ({ params: { user_id }, query: { erase } }, call) => {
    const { house, caller } = call
    if (erase) return { status: 202, body: await beginErasing(user_id, call) }
    await deleteProfile(house.engine, caller.workspaceId, user_id)
    return success('profiles.delete', done)
  },
  'profiles.lists': async ({ params: { user_id }, query: { cursor, limit = listsPage } }, { house, caller }) => {
    const page = await listsOfRecipient(house.engine, caller.workspaceId, user_id, cursor, limit)
    return success('profiles.lists', { paging: paging(page), results: page.rows.map(listRecord) })
  },
  'profiles.subscribe': async ({ params: { user_id }, body: { lists } }, { caller, now, keeping }) => {
    for (const { listId } of lists) checkListId(listId)
    const byList = new Map(lists.map(({ listId, preferences }) => [listId, boundedPreferences(preferences)]))
    const subscriptions = [...byList].map(([listId, preferences]) => ({ listId, recipient: user_id, preferences }))
    const reply = success('profiles.subscribe', done)
    await addSubscriptions(keeping(reply), caller.workspaceId, [...byList.keys()], subscriptions, now)
    return reply
  },
  'profiles.unsubscribe': async ({ params: { user_id } }, { house, caller }) => {
    await removeSubscriptionsOf(house.engine, caller.workspaceId, user_id)
    return success('profiles.unsubscribe', done)
  },
} satisfies ResourceHandlers<'profiles'>

async function change(
  call: Call,
  userId: string,
  make: (before: JsonObject) => JsonObject,
  reply: Reply,
): Promise<Reply> {
  const { house, caller, now } = call
  const commit = call.keeping(reply)
  return contended('The profile is being changed by others', async () => {
    const stored = await findProfile(house.engine, caller.workspaceId, userId)
    const profile = boundedProfile(make(stored?.profile ?? {}))
    const save = [house.engine.tokens, caller.workspaceId, userId, profile, stored?.version, now] as const
    return (await writeProfile(commit, ...save)) ? reply : undefined
  })
}

function patched(before: JsonObject, patch: readonly PatchOperation[]): JsonObject {
  const after = patchedBy(patch, before, profileBytesMax)
  if (!isObject(after)) throw invalidRequest('patch must leave an object')
  return after
}
