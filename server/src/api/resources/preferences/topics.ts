/** /preferences/sections/:section_id/topics: the subjects recipients can opt in to or out of. */
import { type TopicWrite, topicsMax } from '@postrider/contract'
import { conflict, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import {
  archiveTopic,
  findSection,
  findTopic,
  insertTopic,
  listTopics,
  type TopicChange,
  type TopicRow,
  updateTopic,
} from '../../../database/tables/preferences/topics.ts'
import { topicRecord, topicSettings } from '../../../preferences/topic.ts'
import { type CallContext, success } from '../../call.ts'
import { orNotFound, orTaken, otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const topics = {
  'topics.list': async ({ params: { section_id } }, ctx) => {
    const { database } = ctx.app
    const [section, topic] = await Promise.all([
      findSection(database, ctx.caller.workspaceId, section_id),
      listTopics(database, ctx.caller.workspaceId, section_id, topicsMax),
    ])
    if (!section) throw notFound()
    return success('topics.list', { results: topic.map(topicRecord) })
  },
  'topics.create': ({ params: { section_id }, body }, ctx) => {
    const { workspaceId } = ctx.caller
    const write = change(ctx, body, {})
    const row = { id: body.id ?? recordId(), sectionId: section_id, ...write, created: ctx.now, updated: ctx.now }
    const whenNone = otherwise(async () =>
      (await findSection(ctx.app.database, workspaceId, section_id))
        ? conflict('limit_reached', `There are ${topicsMax} topics, as many as there can be`)
        : notFound(),
    )
    const reply = success('topics.create', topicRecord({ ...row, creator: write.author, updater: write.author }))
    return {
      reply,
      writes: insertTopic(workspaceId, section_id, row.id, write, topicsMax),
      onConflict: (error) => orTaken(error) ?? whenNone(error),
    }
  },
  'topics.get': async ({ params: { section_id, topic_id } }, ctx) =>
    success('topics.get', topicRecord(await find(ctx, section_id, topic_id))),
  'topics.replace': async ({ params: { section_id, topic_id }, body }, ctx) => {
    const { settings } = await find(ctx, section_id, topic_id)
    return {
      writes: updateTopic(ctx.caller.workspaceId, section_id, topic_id, change(ctx, body, settings), settings),
      onConflict: otherwise(() => retry('The topic is being changed by others')),
      replyFrom: async () => success('topics.replace', topicRecord(await find(ctx, section_id, topic_id))),
    }
  },
  'topics.archive': ({ params: { section_id, topic_id } }, { caller, now }) => ({
    reply: success('topics.archive', undefined),
    writes: archiveTopic(caller.workspaceId, section_id, topic_id, caller.name, now),
    onConflict: orNotFound,
  }),
} satisfies ResourceHandlers<'topics'>

async function find({ app, caller }: CallContext, sectionId: string, id: string): Promise<TopicRow> {
  const row = await findTopic(app.database, caller.workspaceId, id)
  if (row?.sectionId !== sectionId) throw notFound()
  return row
}

function change({ caller, now }: CallContext, body: TopicWrite, before: JsonObject): TopicChange {
  const { name, default_status: defaultStatus } = body
  return { name, defaultStatus, settings: topicSettings(body, before, now), author: caller.name, now }
}
