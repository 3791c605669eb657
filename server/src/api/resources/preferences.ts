/** /preferences and /users/:user_id/preferences: what recipients want, in both generations. */
import {
  type InputOf,
  type PreferenceEntry,
  preferencesBytesMax,
  preferencesListMax,
  type SuccessOf,
  type TopicPreference,
  topicsMax,
} from '@postrider/contract'
import { invalidRequest, notFound, tooLarge } from '../../base/errors.ts'
import { merge } from '../../base/json/json.ts'
import { quoted } from '../../base/quote.ts'
import {
  documentOf,
  findPreferences,
  type PreferableNotification,
  type PreferenceDocument,
  preferableNotifications,
  putPreferences,
  writePreferences,
} from '../../database/tables/preferences/preferences.ts'
import {
  type Chooser,
  deleteChoice,
  putChoices,
  replaceChoices,
} from '../../database/tables/preferences/topic-choices.ts'
import { findTopic, listTopics, type TopicRow } from '../../database/tables/preferences/topics.ts'
import { deleteTenantDefault, putTenantDefault } from '../../database/tables/tenants/tenant-topic-defaults.ts'
import { type Call, done, type ResourceHandlers, success } from '../call.ts'
import { refusal } from '../errors.ts'
import {
  choiceRow,
  refusalReason,
  sortedChoices,
  standingsOf,
  unknownTopic,
  type Who,
} from '../records/topic-preferences.ts'
import { contended } from '../retry-on-conflict.ts'

export const preferences = {
  'preferences.list': async (_input, { house, caller }) => {
    const found = await preferableNotifications(house.engine, caller.workspaceId, preferencesListMax)
    return success('preferences.list', byCategory(found))
  },
  'preferences.get': async ({ params: { recipient_id } }, { house, caller }) => {
    const found = await findPreferences(house.engine, caller.workspaceId, recipient_id)
    return success('preferences.get', found?.preferences ?? documentOf({}))
  },
  'preferences.replace': async ({ params: { recipient_id }, body }, { house, caller, now }) => {
    await putPreferences(house.engine, caller.workspaceId, recipient_id, bounded(given(body)), now)
    return success('preferences.replace', done)
  },
  'preferences.merge': async ({ params: { recipient_id }, body }, call) => {
    await mergeInto(call, recipient_id, given(body))
    return success('preferences.merge', done)
  },
  'preferences.topics': async (input, call) => {
    const topics = await listTopics(call.house.engine, call.caller.workspaceId, undefined, topicsMax)
    const items = await standingsOf(call, whoOf(input), topics)
    return success('preferences.topics', { paging: { more: false }, items })
  },
  'preferences.replaceTopics': async (input, call) => {
    const who = whoOf(input)
    const { stored, items, errors } = await sortedChoices(call, who, input.body.topics)
    if (errors.length > 0) {
      const refused = refusal(400, 'invalid_request_error', errors.map(({ reason }) => reason).join('; '))
      return { ...refused, body: { ...(refused.body as object), errors } }
    }
    const deleted = await replaceChoices(call.house.engine, chooser(call, who), stored, call.now)
    return success('preferences.replaceTopics', { items, deleted })
  },
  'preferences.updateTopics': async (input, call) => {
    const who = whoOf(input)
    const { stored, items, errors } = await sortedChoices(call, who, input.body.topics)
    const reply = success('preferences.updateTopics', { items, errors })
    await putChoices(call.keeping(reply), chooser(call, who), stored, call.now)
    return reply
  },
  'preferences.topic': async (input, call) =>
    success('preferences.topic', { topic: (await known(call, whoOf(input), input.params.topic_id)).standing }),
  'preferences.putTopic': async (input, call) => {
    const who = whoOf(input)
    const { topic_id } = input.params
    const { topic } = input.body
    const found = await known(call, who, topic_id)
    const reason = refusalReason(found.topic, found.standing, topic)
    if (reason) throw invalidRequest(reason)
    await putChoices(call.house.engine.batch, chooser(call, who), [choiceRow({ topic_id, ...topic })], call.now)
    return success('preferences.putTopic', { message: 'success' })
  },
  'preferences.deleteTopic': async (input, call) => {
    await deleteChoice(call.house.engine, chooser(call, whoOf(input)), input.params.topic_id, call.now)
    return success('preferences.deleteTopic', undefined)
  },
  'preferences.putTenantDefault': async ({ params: { tenant_id, topic_id }, body }, { house, caller }) => {
    const { engine } = house
    if (!(await findTopic(engine, caller.workspaceId, topic_id))) throw notFound(unknownTopic(topic_id))
    const row = choiceRow({ topic_id, ...body })
    if (!(await putTenantDefault(engine, caller.workspaceId, tenant_id, row)))
      throw notFound(`Unknown tenant ${quoted(tenant_id)}`)
    return success('preferences.putTenantDefault', undefined)
  },
  'preferences.deleteTenantDefault': async ({ params: { tenant_id, topic_id } }, { house, caller }) => {
    await deleteTenantDefault(house.engine, caller.workspaceId, tenant_id, topic_id)
    return success('preferences.deleteTenantDefault', undefined)
  },
} satisfies ResourceHandlers<'preferences'>

const whoOf = ({ params, query }: Pick<InputOf<'preferences.topics'>, 'params' | 'query'>): Who => ({
  userId: params.user_id,
  tenantId: query.tenant_id,
})

const chooser = ({ caller }: Call, { userId, tenantId = '' }: Who): Chooser => ({
  workspaceId: caller.workspaceId,
  userId,
  tenantId,
})

async function known(call: Call, who: Who, topicId: string): Promise<{ topic: TopicRow; standing: TopicPreference }> {
  const topic = await findTopic(call.house.engine, call.caller.workspaceId, topicId)
  const [standing] = topic ? await standingsOf(call, who, [topic]) : []
  if (!topic || !standing) throw notFound(unknownTopic(topicId))
  return { topic, standing }
}

/** The maps that are there: null is as good as nothing. */
function given({ notifications, categories }: InputOf<'preferences.replace'>['body']): Partial<PreferenceDocument> {
  return { ...(notifications && { notifications }), ...(categories && { categories }) }
}

function mergeInto(call: Call, recipient: string, change: Partial<PreferenceDocument>): Promise<true> {
  const { house, caller, now } = call
  return contended('The preferences are being changed by others', async () => {
    const stored = await findPreferences(house.engine, caller.workspaceId, recipient)
    const preferences = documentOf(bounded(merge({ ...stored?.preferences }, change)))
    const next = { preferences, version: stored?.version }
    return (await writePreferences(house.engine, caller.workspaceId, recipient, next, now)) || undefined
  })
}

function bounded<Document extends object>(document: Document): Document {
  if (Buffer.byteLength(JSON.stringify(document)) > preferencesBytesMax)
    throw tooLarge(`The preferences of a recipient have at most ${preferencesBytesMax} bytes`)
  return document
}

const optTypes: Record<string, PreferenceEntry['config']['type']> = { OPTED_OUT: 'OPT_IN', REQUIRED: 'REQUIRED' }

const entry = ({ id, name, defaultStatus }: PreferableNotification): PreferenceEntry => ({
  id,
  title: name,
  config: { type: optTypes[defaultStatus ?? ''] ?? 'OPT_OUT' },
})

function byCategory(found: readonly PreferableNotification[]): SuccessOf<'preferences.list'> {
  const names = new Set(found.flatMap(({ category }) => (category === null ? [] : [category])))
  return {
    uncategorized: found.filter(({ category }) => category === null).map(entry),
    categories: [...names].sort().map((name) => {
      const notifications = found.filter(({ category }) => category === name).map(entry)
      const [first, ...others] = notifications
      const isShared = others.every(({ config }) => config.type === first?.config.type)
      const type = (isShared && first?.config.type) || 'OPT_OUT'
      return { id: name, title: name, config: { type }, notifications }
    }),
  }
}
