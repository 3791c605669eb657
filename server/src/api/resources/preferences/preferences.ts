/** /preferences and /users/:user_id/preferences: what recipients want, in both generations. */
import {
  type InputOf,
  type PreferenceChange,
  type PreferenceEntry,
  type PreferenceStatus,
  preferenceChangesPage,
  preferencesBytesMax,
  preferencesListMax,
  type SuccessOf,
  type TopicPreference,
  topicsMax,
} from '@postrider/contract'
import { CallerError, invalidRequest, notFound, tooLarge } from '../../../base/errors.ts'
import { jsonBytes, merge } from '../../../base/json/json.ts'
import { quoted } from '../../../base/quote.ts'
import {
  listPreferenceChanges,
  type PreferenceChangeRow,
} from '../../../database/tables/preferences/preference-changes.ts'
import {
  type Chooser,
  deleteChoice,
  documentOf,
  findPreferences,
  type PreferableNotification,
  type PreferenceDocument,
  preferableNotifications,
  putChoices,
  putPreferences,
  removedChoices,
  replaceChoices,
  writePreferences,
} from '../../../database/tables/preferences/preferences.ts'
import { findTopic, listTopics, type TopicRow } from '../../../database/tables/preferences/topics.ts'
import { deleteTenantDefault, putTenantDefault } from '../../../database/tables/tenants/tenants.ts'
import {
  choiceProblem,
  choiceRow,
  type PreferenceOwner,
  preferencesAbout,
  sortedChoices,
  unknownTopic,
} from '../../../preferences/topic-preferences.ts'
import { type CallContext, changeBy, done, paging, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const preferences = {
  'preferences.list': async (_input, { app, caller }) => {
    const notifications = await preferableNotifications(app.database, caller.workspaceId, preferencesListMax)
    return success('preferences.list', byCategory(notifications))
  },
  'preferences.get': async ({ params: { recipient_id } }, { app, caller }) => {
    const document = await findPreferences(app.database, caller.workspaceId, recipient_id)
    return success('preferences.get', document?.preferences ?? documentOf({}))
  },
  'preferences.replace': ({ params: { recipient_id }, body }, { caller, now }) => ({
    reply: success('preferences.replace', done),
    writes: putPreferences(
      caller.workspaceId,
      recipient_id,
      bounded(suppliedPreferences(body)),
      changeBy({ caller, now }),
    ),
  }),
  'preferences.merge': async ({ params: { recipient_id }, body }, { app, caller, now }) => {
    const before = await findPreferences(app.database, caller.workspaceId, recipient_id)
    const preferences = documentOf(bounded(merge({ ...before?.preferences }, suppliedPreferences(body))))
    return {
      reply: success('preferences.merge', done),
      writes: writePreferences(
        caller.workspaceId,
        recipient_id,
        { preferences, version: before?.version },
        changeBy({ caller, now }),
      ),
      onConflict: otherwise(() => retry('The preferences are being changed by others')),
    }
  },
  'preferences.topics': async (input, ctx) => {
    const topics = await listTopics(ctx.app.database, ctx.caller.workspaceId, undefined, topicsMax)
    const items = await preferencesAbout(ctx.app.database, ownerOf(input, ctx), topics)
    return success('preferences.topics', { paging: { more: false }, items })
  },
  'preferences.replaceTopics': async (input, ctx) => {
    const owner = ownerOf(input, ctx)
    const { storedRows, items, errors } = await sortedChoices(ctx.app.database, owner, input.body.topics)
    if (errors.length > 0) {
      const reasons = errors.map(({ reason }) => reason).join('; ')
      throw new CallerError('topic_choice_refused', reasons, { param: 'topics', details: { errors } })
    }
    return {
      writes: replaceChoices(chooser(owner), storedRows, changeBy(ctx)),
      replyFrom: (results) => success('preferences.replaceTopics', { items, deleted: removedChoices(results) }),
    }
  },
  'preferences.updateTopics': async (input, ctx) => {
    const owner = ownerOf(input, ctx)
    const { storedRows, items, errors } = await sortedChoices(ctx.app.database, owner, input.body.topics)
    return {
      reply: success('preferences.updateTopics', { items, errors }),
      writes: putChoices(chooser(owner), storedRows, changeBy(ctx)),
    }
  },
  'preferences.topic': async (input, ctx) =>
    success('preferences.topic', {
      topic: (await requireTopic(ctx, ownerOf(input, ctx), input.params.topic_id)).preference,
    }),
  'preferences.putTopic': async (input, ctx) => {
    const owner = ownerOf(input, ctx)
    const { topic_id } = input.params
    const { topic } = input.body
    const preference = await requireTopic(ctx, owner, topic_id)
    const reason = choiceProblem(preference.topic, preference.preference, topic)
    if (reason) throw invalidRequest(reason, { code: 'topic_choice_refused', param: 'topic' })
    return {
      reply: success('preferences.putTopic', { message: 'success' }),
      writes: putChoices(chooser(owner), [choiceRow({ topic_id, ...topic })], changeBy(ctx)),
    }
  },
  'preferences.deleteTopic': (input, ctx) => {
    const reply = success('preferences.deleteTopic', undefined)
    return {
      reply,
      writes: deleteChoice(chooser(ownerOf(input, ctx)), input.params.topic_id, changeBy(ctx)),
      // Nothing was chosen: nothing changes, and no webhook is called.
      onConflict: otherwise(() => reply),
    }
  },
  'preferences.history': async ({ params: { user_id }, query }, { app, caller }) => {
    const { topic_id: topicId, cursor, limit = preferenceChangesPage } = query
    const page = await listPreferenceChanges(
      app.database,
      caller.workspaceId,
      { userId: user_id, topicId },
      { cursor, limit },
    )
    return success('preferences.history', { paging: paging(page), results: page.rows.map(changeRecord) })
  },
  'preferences.putTenantDefault': async ({ params: { tenant_id, topic_id }, body }, { app, caller }) => {
    if (!(await findTopic(app.database, caller.workspaceId, topic_id))) throw notFound(unknownTopic(topic_id))
    return {
      reply: success('preferences.putTenantDefault', undefined),
      writes: putTenantDefault(caller.workspaceId, tenant_id, choiceRow({ topic_id, ...body })),
      onConflict: otherwise(() => notFound(`Unknown tenant ${quoted(tenant_id)}`)),
    }
  },
  'preferences.deleteTenantDefault': ({ params: { tenant_id, topic_id } }, { caller }) => ({
    reply: success('preferences.deleteTenantDefault', undefined),
    writes: deleteTenantDefault(caller.workspaceId, tenant_id, topic_id),
  }),
} satisfies ResourceHandlers<'preferences'>

const ownerOf = (
  { params, query }: Pick<InputOf<'preferences.topics'>, 'params' | 'query'>,
  { caller }: CallContext,
): PreferenceOwner => ({ workspaceId: caller.workspaceId, userId: params.user_id, tenantId: query.tenant_id })

const chooser = ({ workspaceId, userId, tenantId = '' }: PreferenceOwner): Chooser => ({
  workspaceId,
  userId,
  tenantId,
})

async function requireTopic(
  ctx: CallContext,
  owner: PreferenceOwner,
  topicId: string,
): Promise<{ topic: TopicRow; preference: TopicPreference }> {
  const topic = await findTopic(ctx.app.database, ctx.caller.workspaceId, topicId)
  const [preference] = topic ? await preferencesAbout(ctx.app.database, owner, [topic]) : []
  if (!topic || !preference) throw notFound(unknownTopic(topicId))
  return { topic, preference }
}

/** The maps that are there: null is as good as nothing. */
function suppliedPreferences({
  notifications,
  categories,
}: InputOf<'preferences.replace'>['body']): Partial<PreferenceDocument> {
  return { ...(notifications && { notifications }), ...(categories && { categories }) }
}

function bounded<Document extends object>(document: Document): Document {
  if (jsonBytes(document) > preferencesBytesMax)
    throw tooLarge(`The preferences of a recipient have at most ${preferencesBytesMax} bytes`)
  return document
}

function changeRecord(row: PreferenceChangeRow): PreferenceChange {
  const { id, tenantId, topicId, hasCustomRouting, customRouting, digestScheduleId, document } = row
  const { source, actor, messageId, ip, userAgent, created } = row
  return {
    id,
    ...(topicId !== null && { topic_id: topicId }),
    ...((topicId !== null || row.status !== null) && { status: row.status as PreferenceStatus | null }),
    ...(tenantId !== '' && { tenant_id: tenantId }),
    ...(hasCustomRouting && { custom_routing: (customRouting ?? []) as TopicPreference['custom_routing'] }),
    ...(digestScheduleId !== null && { digest_schedule_id: digestScheduleId }),
    ...(document && { preferences: documentOf(document) }),
    source: source as PreferenceChange['source'],
    actor,
    ...(messageId !== null && { message_id: messageId }),
    ...(ip !== null && { ip }),
    ...(userAgent !== null && { user_agent: userAgent }),
    created,
  }
}

const optTypes: Record<string, PreferenceEntry['config']['type']> = { OPTED_OUT: 'OPT_IN', REQUIRED: 'REQUIRED' }

const entry = ({ id, name, defaultStatus }: PreferableNotification): PreferenceEntry => ({
  id,
  title: name,
  config: { type: optTypes[defaultStatus ?? ''] ?? 'OPT_OUT' },
})

function byCategory(allNotifications: readonly PreferableNotification[]): SuccessOf<'preferences.list'> {
  const names = new Set(allNotifications.flatMap(({ category }) => (category === null ? [] : [category])))
  return {
    uncategorized: allNotifications.filter(({ category }) => category === null).map(entry),
    categories: [...names].sort().map((name) => {
      const notifications = allNotifications.filter(({ category }) => category === name).map(entry)
      const [first, ...others] = notifications
      const isShared = others.every(({ config }) => config.type === first?.config.type)
      const type = (isShared && first?.config.type) || 'OPT_OUT'
      return { id: name, title: name, config: { type }, notifications }
    }),
  }
}
