/** /preferences/sections: headings, each with its topics. */
import { type Section, type SectionWrite, sectionsMax, topicsMax } from '@postrider/contract'
import { busy, conflict, notFound } from '../../base/errors.ts'
import { recordId } from '../../base/ids.ts'
import { iso } from '../../base/time/timestamp.ts'
import {
  archiveSection,
  findPage,
  findSection,
  insertSection,
  listSections,
  type PageRow,
  type SectionChange,
  type SectionRow,
  updateSection,
  writePage,
} from '../../database/tables/preferences/sections.ts'
import { listTopics, type TopicRow } from '../../database/tables/preferences/topics.ts'
import { authorship, topicRecord } from '../../preferences/topic.ts'
import { type Call, type ResourceHandlers, success } from '../call.ts'

export const sections = {
  'sections.list': async (_input, { house, caller }) => {
    const [found, topics] = await Promise.all([
      listSections(house.engine, caller.workspaceId, sectionsMax),
      listTopics(house.engine, caller.workspaceId, undefined, topicsMax),
    ])
    return success('sections.list', { results: found.map((row) => record(row, topics)) })
  },
  'sections.create': async ({ body }, call) => {
    const write = change(call, body)
    const row = { id: recordId(), ...write, created: call.now, updated: call.now }
    const reply = success('sections.create', record({ ...row, creator: write.author, updater: write.author }, []))
    if (await insertSection(call.keeping(reply), call.caller.workspaceId, row.id, write, sectionsMax)) return reply
    throw conflict(`There are ${sectionsMax} sections, as many as there can be`)
  },
  'sections.get': async ({ params: { section_id } }, call) => success('sections.get', await show(call, section_id)),
  'sections.replace': async ({ params: { section_id }, body }, call) => {
    const { engine } = call.house
    if (!(await updateSection(engine, call.caller.workspaceId, section_id, change(call, body)))) throw notFound()
    return success('sections.replace', await show(call, section_id))
  },
  'sections.archive': async ({ params: { section_id } }, { house, caller, now }) => {
    const { engine } = house
    if (!(await archiveSection(engine, caller.workspaceId, section_id, caller.name, now))) {
      if (!(await findSection(engine, caller.workspaceId, section_id))) throw notFound()
      throw conflict('The section has topics: archive them first')
    }
    return success('sections.archive', undefined)
  },
  'sections.publish': async (_input, call) => {
    const { house, caller, now } = call
    const last = await findPage(house.engine, caller.workspaceId)
    const version = Math.max(now, (last?.version ?? 0) + 1)
    const page = { id: last?.id ?? recordId(), version, published: now, publisher: caller.name }
    const reply = success('sections.publish', published(page))
    if (await writePage(call.keeping(reply), caller.workspaceId, page, last?.version)) return reply
    throw busy('Another publication is in progress')
  },
} satisfies ResourceHandlers<'sections'>

const published = ({ id, version, published, publisher }: PageRow) => ({
  page_id: id,
  published_version: version,
  published_at: iso(published),
  published_by: publisher,
  preview_url: null,
})

async function show({ house, caller }: Call, id: string): Promise<Section> {
  const [row, topics] = await Promise.all([
    findSection(house.engine, caller.workspaceId, id),
    listTopics(house.engine, caller.workspaceId, id, topicsMax),
  ])
  if (!row) throw notFound()
  return record(row, topics)
}

function change({ caller, now }: Call, body: SectionWrite): SectionChange {
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
