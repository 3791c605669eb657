/** /profiles: read, merged, replaced, patched, and subscribed to lists. */
import {
  importedProfilesBytesMax,
  listsPage,
  type PatchOperation,
  type ProfileSummary,
  profileBytesMax,
  profilesPage,
} from '@postrider/contract'
import { startTimeBudget, type TimeBudget } from '../../../base/budget.ts'
import { invalidField, notFound, tooLarge } from '../../../base/errors.ts'
import { isObject, type JsonObject, merge } from '../../../base/json/json.ts'
import { checkListId } from '../../../base/list-pattern.ts'
import { digitsIn } from '../../../base/phone-number.ts'
import { addSubscriptions, listsOfRecipient, removeSubscriptionsOf } from '../../../database/tables/lists/lists.ts'
import { findPreferences } from '../../../database/tables/preferences/preferences.ts'
import {
  deleteProfile,
  findProfile,
  listProfiles,
  type ProfileSummaryRow,
  profileReplacement,
  profileSave,
  profilesSave,
  profilesToChange,
  searchProfiles,
} from '../../../database/tables/users/users.ts'
import { boundedPreferences, listRecord } from '../../../lists/subscriptions.ts'
import { boundedProfile, patchedBy } from '../../../recipients/document.ts'
import { type ImportRow, importedProfiles, readImportRows } from '../../../recipients/profile-import.ts'
import { profileWarnings } from '../../../recipients/profile-warnings.ts'
import { type CallContext, changeBy, done, type HandlerReply, paging, success } from '../../call.ts'
import { type HandlerWork, otherwise, type ResourceHandlers, retry } from '../../outcome.ts'
import { existsAlready, resourceNamed } from '../../preconditions.ts'
import { warn } from '../../warnings.ts'
import { startErasing } from './erasures.ts'

export const profiles = {
  'profiles.list': async ({ query: { search, cursor, limit = profilesPage } }, { app, caller }) => {
    const { database } = app
    const page =
      search === undefined
        ? await listProfiles(database, caller.workspaceId, cursor, limit)
        : await searchProfiles(database, caller.workspaceId, { text: search, digits: digitsIn(search) }, cursor, limit)
    return success('profiles.list', { paging: paging(page), results: page.rows.map(summary) })
  },
  'profiles.import': async ({ body: { profiles: bodies, replace = false } }, ctx) => {
    const { rows, errors: unfit } = readImportRows(bodies)
    const budget = startTimeBudget(Number.POSITIVE_INFINITY)
    const conflicting = conflictingIds.get(ctx) ?? new Set()
    const others = await importPart(
      rows.filter(({ id }) => !conflicting.has(id)),
      { ctx, replace, budget },
    )
    // Read last and written first: between the two is as little time as in a call of their own. Out of the order of the
    // ids two of these may deadlock, rarely: the engine repeats the one that is rolled back.
    const first = await importPart(
      rows.filter(({ id }) => conflicting.has(id)),
      { ctx, replace, budget },
    )
    const inOrder = <Entry extends { row: number }>(entries: readonly Entry[]) =>
      entries.toSorted((left, right) => left.row - right.row)
    return {
      reply: success('profiles.import', {
        written: first.written + others.written,
        errors: inOrder([...unfit, ...first.errors, ...others.errors]),
        warnings: inOrder([...first.warnings, ...others.warnings]),
      }),
      writes: [...first.writes, ...others.writes],
      onConflict: otherwise(async () => {
        const changed = await changedSince(others.versions, ctx)
        conflictingIds.set(ctx, new Set([...conflicting, ...changed]))
        return retry('The profiles are being changed by others')
      }),
    }
  },
  'profiles.get': async ({ params: { user_id } }, { app, caller }) => {
    const { database } = app
    const [storedProfile, preferences] = await Promise.all([
      findProfile(database, caller.workspaceId, user_id),
      findPreferences(database, caller.workspaceId, user_id),
    ])
    if (!storedProfile) throw notFound()
    return success('profiles.get', {
      profile: storedProfile.profile,
      preferences: preferences?.preferences ?? { notifications: {}, categories: {} },
    })
  },
  'profiles.merge': ({ params: { user_id }, body: { profile, patch } }, ctx) => {
    const make = (before: JsonObject) => (profile ? merge(before, profile) : patched(before, patch ?? []))
    return change(ctx, user_id, make, success('profiles.merge', done))
  },
  'profiles.replace': ({ params: { user_id }, body: { profile } }, ctx) => {
    const { app, caller, now } = ctx
    const { mustBeAbsent } = ctx.preconditions
    const { tokens } = app.database
    warn(ctx, ...profileWarnings(profile))
    return {
      reply: success('profiles.replace', done),
      writes: [profileReplacement(tokens, caller.workspaceId, user_id, boundedProfile(profile), { now, mustBeAbsent })],
      onConflict: otherwise(() => existsAlready(resourceNamed('profile', user_id))),
    }
  },
  'profiles.patch': ({ params: { user_id }, body }, ctx) => {
    const patch = Array.isArray(body) ? body : body.patch
    return change(ctx, user_id, (before) => patched(before, patch), success('profiles.patch', done))
  },
  'profiles.delete': ({ params: { user_id }, query: { erase } }, ctx) =>
    erase
      ? startErasing(user_id, ctx)
      : {
          reply: success('profiles.delete', done),
          writes: deleteProfile(ctx.caller.workspaceId, user_id, changeBy(ctx)),
        },
  'profiles.lists': async ({ params: { user_id }, query: { cursor, limit = listsPage } }, { app, caller }) => {
    const page = await listsOfRecipient(app.database, caller.workspaceId, user_id, cursor, limit)
    return success('profiles.lists', { paging: paging(page), results: page.rows.map(listRecord) })
  },
  'profiles.subscribe': ({ params: { user_id }, body: { lists } }, { caller, now }) => {
    for (const [index, { listId }] of lists.entries()) checkListId(listId, `lists.${index}.listId`)
    const byList = new Map(lists.map(({ listId, preferences }) => [listId, boundedPreferences(preferences)]))
    const subscriptions = [...byList].map(([listId, preferences]) => ({ listId, recipient: user_id, preferences }))
    return {
      reply: success('profiles.subscribe', done),
      writes: addSubscriptions(caller.workspaceId, [...byList.keys()], subscriptions, now),
    }
  },
  'profiles.unsubscribe': ({ params: { user_id } }, { caller }) => ({
    reply: success('profiles.unsubscribe', done),
    writes: removeSubscriptionsOf(caller.workspaceId, user_id),
  }),
} satisfies ResourceHandlers<'profiles'>

/** Profiles that others changed during an earlier try of the call. */
const conflictingIds = new WeakMap<CallContext, ReadonlySet<string>>()

interface ImportContext {
  ctx: CallContext
  replace: boolean
  budget: TimeBudget
}

/** Each recipient is in one part, with all of its rows. */
async function importPart(rows: readonly ImportRow[], { ctx, replace, budget }: ImportContext) {
  const { app, caller, now, strict } = ctx
  const { database } = app
  const { workspaceId } = caller
  const ids = [...new Set(rows.map(({ id }) => id))]
  const existing = await profilesToChange(database, workspaceId, ids, replace ? 0 : importedProfilesBytesMax, budget)
  const before = new Map<string, JsonObject>()
  for (const [id, { profile }] of replace ? [] : existing) {
    if (profile === undefined) throw tooManyBytes()
    before.set(id, profile)
  }
  const { profiles, ...result } = await importedProfiles(rows, before, { replace, strict }, budget)
  const changes = [...profiles].map(([id, profile]) => ({ id, profile, version: existing.get(id)?.version }))
  const writes = await profilesSave(database.tokens, workspaceId, changes, now, budget)
  return { ...result, writes, versions: new Map(changes.map(({ id, version }) => [id, version])) }
}

async function changedSince(
  versions: ReadonlyMap<string, number | undefined>,
  { app, caller }: CallContext,
): Promise<string[]> {
  const budget = startTimeBudget(Number.POSITIVE_INFINITY)
  const ids = [...versions.keys()]
  const existing = await profilesToChange(app.database, caller.workspaceId, ids, 0, budget)
  return ids.filter((id) => existing.get(id)?.version !== versions.get(id))
}

const tooManyBytes = () =>
  tooLarge(
    `The stored profiles of the call have more than ${importedProfilesBytesMax / 1_048_576} MB together. Send fewer profiles a call`,
    'profiles',
  )

function summary({ given_name, family_name, nickname, ...row }: ProfileSummaryRow): ProfileSummary {
  const { id, email, phone_number, created, updated } = row
  const name = row.name || [given_name, family_name].filter(Boolean).join(' ') || nickname || null
  return { id, name, email, phone_number, created, updated }
}

async function change(
  ctx: CallContext,
  userId: string,
  make: (before: JsonObject) => JsonObject,
  reply: HandlerReply,
): Promise<HandlerWork> {
  const { app, caller, now } = ctx
  const before = await findProfile(app.database, caller.workspaceId, userId)
  const profile = boundedProfile(make(before?.profile ?? {}))
  warn(ctx, ...profileWarnings(profile, before?.profile))
  return {
    reply,
    writes: [profileSave(app.database.tokens, caller.workspaceId, userId, profile, before?.version, now)],
    onConflict: otherwise(() => retry('The profile is being changed by others')),
  }
}

function patched(before: JsonObject, patch: readonly PatchOperation[]): JsonObject {
  const after = patchedBy(patch, before, profileBytesMax)
  if (!isObject(after)) throw invalidField('patch', 'must leave an object')
  return after
}
