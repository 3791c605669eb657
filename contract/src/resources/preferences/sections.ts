/** /preferences/sections: the headings that topics stand under, and publishing them. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { id, name, nullable } from '../../api/values.ts'
import { channelList } from '../../shapes/preferences.ts'
import { authorship, Topic, topicExample, topicParamsExample, topicsMax } from './topics.ts'

/** Sections are listed without pages, each with its topics: people read them on one page. */
export const sectionsMax = 100

const section = {
  name: name('Name for people.'),
  routing_options: Type.Optional(
    nullable(
      channelList('The channels its topics use that name none of their own, when `has_custom_routing` is true.'),
    ),
  ),
  has_custom_routing: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether `routing_options` hold for its topics; false unless given.' })),
  ),
}

export const SectionWrite = Type.Object(section, {
  title: 'SectionWrite',
  description: 'A section as it is written.',
})
export type SectionWrite = Static<typeof SectionWrite>

export const Section = Type.Object(
  {
    id: Type.String({ description: 'The id.' }),
    name: section.name,
    routing_options: channelList('The channels of its topics that name none of their own.'),
    has_custom_routing: Type.Boolean({ description: 'Whether `routing_options` hold for its topics.' }),
    ...authorship,
    topics: Type.Array(Topic, { maxItems: topicsMax, description: 'Its topics, oldest first.' }),
  },
  { title: 'Section', description: 'A heading with its topics.' },
)
export type Section = Static<typeof Section>

const sectionExample: Section = {
  id: topicParamsExample.section_id,
  name: 'Shop',
  routing_options: [],
  has_custom_routing: false,
  created: '2024-03-13T12:57:23.000Z',
  creator: 'key/backend',
  updated: '2024-03-13T12:57:23.000Z',
  updater: 'key/backend',
  topics: [topicExample],
}

const params = Type.Object({ section_id: id('The section id.') })
const example = { section_id: sectionExample.id }

export default resource({
  name: 'sections',
  position: 150,
  title: 'Sections',
  description: 'The headings that topics stand under.',
  operations: [
    operation({
      id: 'sections.list',
      method: 'GET',
      path: '/preferences/sections',
      summary: 'List sections with their topics',
      description: 'Oldest first.',
      replies: { 200: Type.Object({ results: Type.Array(Section, { maxItems: sectionsMax }) }) },
      example: { reply: { results: [sectionExample] } },
    }),
    operation({
      id: 'sections.create',
      method: 'POST',
      path: '/preferences/sections',
      summary: 'Create a section',
      audit: 'preference-section:created',
      body: SectionWrite,
      replies: { 200: Section, 409: ErrorBody },
      example: { body: { name: 'Shop' }, reply: { ...sectionExample, topics: [] } },
    }),
    operation({
      id: 'sections.get',
      method: 'GET',
      path: '/preferences/sections/:section_id',
      summary: 'Get a section with its topics',
      params,
      replies: { 200: Section, 404: ErrorBody },
      example: { params: example, reply: sectionExample },
    }),
    operation({
      id: 'sections.replace',
      method: 'PUT',
      path: '/preferences/sections/:section_id',
      summary: 'Replace a section',
      audit: 'preference-section:updated',
      description: 'Fields that are left out are cleared. Its topics stay as they are.',
      params,
      body: SectionWrite,
      replies: { 200: Section, 404: ErrorBody },
      example: { params: example, body: { name: 'Shop' }, reply: sectionExample },
    }),
    operation({
      id: 'sections.archive',
      method: 'DELETE',
      path: '/preferences/sections/:section_id',
      summary: 'Archive a section',
      audit: 'preference-section:archived',
      description: 'A section with topics is refused: archive them first.',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'sections.publish',
      method: 'POST',
      path: '/preferences/publish',
      summary: 'Give the sections and topics a version number',
      audit: 'preference-page:published',
      description:
        'Sections and topics are in force as soon as they are written; publishing only counts, for clients that expect it.',
      replies: {
        200: Type.Object(
          {
            page_id: Type.String({ description: 'Stays the same.' }),
            published_version: Type.Integer({ description: 'Rises with each publishing.' }),
            published_at: Type.String({ description: 'ISO 8601.' }),
            published_by: Type.String({ description: 'The key that published.' }),
            preview_url: Type.Null({ description: 'There is no page to look at.' }),
          },
          { title: 'Published', description: 'The version that was made.' },
        ),
      },
      example: {
        reply: {
          page_id: 'D8C3VFJ6PYAZQ4M9R2K7T1WXBHN5',
          published_version: 1_710_334_643_000,
          published_at: '2024-03-13T12:57:23.000Z',
          published_by: 'key/backend',
          preview_url: null,
        },
      },
    }),
  ],
})
