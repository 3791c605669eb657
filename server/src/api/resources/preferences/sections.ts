/** /preferences/sections: headings, each with its topics. */
import { type Section, type SectionWrite, sectionsMax, topicsMax } from '@postrider/contract'
import { busy, conflict, notFound } from '../../../base/errors.ts'
import { recordId } from '../../../base/ids.ts'
import { iso } from '../../../base/time/clock.ts'
import {
  archiveSection,
  findPage,
  findSection,
  insertSection,
  listSections,
  listTopics,
  type PageRow,
  type SectionChange,
  type SectionRow,
  type TopicRow,
  updateSection,
  writePage,
} from '../../../database/tables/preferences/topics.ts'
import { authorship, topicRecord } from '../../../preferences/topic.ts'
import { type CallContext, success } from '../../call.ts'
import { orNotFound, orTaken, otherwise, type ResourceHandlers } from '../../outcome.ts'

export const sections = {
  'sections.list': async (_input, { app, caller }) => {
    const [section, topics] = await Promise.all([
      listSections(app.database, caller.workspaceId, sectionsMax),
      listTopics(app.database, caller.workspaceId, undefined, topicsMax),
    ])
    return success('sections.list', { results: section.map((row) => record(row, topics)) })
  },
  'sections.create': ({ body }, ctx) => {
    const write = change(ctx, body)
    const row = { id: body.id ?? recordId(), ...write, created: ctx.now, updated: ctx.now }
    const reply = success('sections.create', record({ ...row, creator: write.author, updater: write.author }, []))
    return {
      reply,
      writes: insertSection(ctx.caller.workspaceId, row.id, write, sectionsMax),
      onConflict: (error) => orTaken(error) ?? whenNone(error),
    }
  },
  'sections.get': async ({ params: { section_id } }, ctx) => success('sections.get', await show(ctx, section_id)),
  'sections.replace': ({ params: { section_id }, body }, ctx) => ({
    writes: updateSection(ctx.caller.workspaceId, section_id, change(ctx, body)),
    onConflict: orNotFound,
    replyFrom: async () => success('sections.replace', await show(ctx, section_id)),
  }),
  'sections.archive': ({ params: { section_id } }, { app, caller, now }) => ({
    reply: success('sections.archive', undefined),
    writes: archiveSection(caller.workspaceId, section_id, caller.name, now),
    onConflict: otherwise(async () =>
      (await findSection(app.database, caller.workspaceId, section_id))
        ? conflict('in_use', 'The section has topics: archive them first')
        : notFound(),
    ),
  }),
  'sections.publish': async (_input, ctx) => {
    const { app, caller, now } = ctx
    const last = await findPage(app.database, caller.workspaceId)
    const version = Math.max(now, (last?.version ?? 0) + 1)
    const page = { id: last?.id ?? recordId(), version, published: now, publisher: caller.name }
    return {
      reply: success('sections.publish', published(page)),
      writes: writePage(caller.workspaceId, page, last?.version),
      onConflict: otherwise(() => busy('Another publication is in progress')),
    }
  },
} satisfies ResourceHandlers<'sections'>

const whenNone = otherwise(() =>
  conflict('limit_reached', `There are ${sectionsMax} sections, as many as there can be`),
)

const published = ({ id, version, published, publisher }: PageRow) => ({
  page_id: id,
  published_version: version,
  published_at: iso(published),
  published_by: publisher,
  preview_url: null,
})

async function show({ app, caller }: CallContext, id: string): Promise<Section> {
  const [row, topics] = await Promise.all([
    findSection(app.database, caller.workspaceId, id),
    listTopics(app.database, caller.workspaceId, id, topicsMax),
  ])
  if (!row) throw notFound()
  return record(row, topics)
}

function change({ caller, now }: CallContext, body: SectionWrite): SectionChange {
  const { name, routing_options, has_custom_routing } = body
  return {
    name,
    routingOptions: routing_options ?? [],
    hasCustomRouting: has_custom_routing ?? false,
    author: caller.name,
    now,
  }
}

function record(row: SectionRow, topics: readonly TopicRow[]): Section {
  const { id, name, routingOptions, hasCustomRouting } = row
  return {
    id,
    name,
    routing_options: [...routingOptions] as Section['routing_options'],
    has_custom_routing: hasCustomRouting,
    ...authorship(row),
    topics: topics.filter(({ sectionId }) => sectionId === id).map(topicRecord),
  }
}
