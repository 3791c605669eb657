/** /preferences/sections: groups of topics, and publishing them. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { resource } from '../../api/resource.ts'
import { chosenId, id, name, nullable } from '../../api/values.ts'
import { channelList } from '../../shapes/preferences.ts'
import { authorship, Topic, topicExample, topicParamsExample, topicsMax } from './topics.ts'

/** Sections are listed without pages, each with its topics. */
export const sectionsMax = 100

const section = {
  name: name('Display name.'),
  routing_options: Type.Optional(
    nullable(channelList('Channels of topics without channels of their own, if `has_custom_routing` is true.')),
  ),
  has_custom_routing: Type.Optional(
    nullable(Type.Boolean({ description: 'Whether `routing_options` apply to its topics. Default: false.' })),
  ),
}

export const SectionWrite = Type.Object(section, {
  title: 'SectionWrite',
  description: 'A section, in a request to replace it.',
})
export type SectionWrite = Static<typeof SectionWrite>

export const SectionCreate = Type.Object(
  { id: chosenId(), ...section },
  { title: 'SectionCreate', description: 'A section, in a request to create it.' },
)

export const Section = Type.Object(
  {
    id: Type.String({ description: 'The section id.' }),
    name: section.name,
    routing_options: channelList('Channels of topics without channels of their own.'),
    has_custom_routing: Type.Boolean({ description: 'Whether `routing_options` apply to its topics.' }),
    ...authorship,
    topics: Type.Array(Topic, { maxItems: topicsMax, description: 'Topics of the section, oldest first.' }),
  },
  { title: 'Section', description: 'A section with its topics.' },
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
  description: 'Groups of topics.',
  impersonal: true,
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
      body: SectionCreate,
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
      description: 'Omitted fields are cleared. Topics are unchanged.',
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
      description: 'A section with topics returns 409; archive the topics first.',
      params,
      replies: { 204: null, 404: ErrorBody, 409: ErrorBody },
      example: { params: example },
    }),
    operation({
      id: 'sections.publish',
      method: 'POST',
      path: '/preferences/publish',
      summary: 'Publish the sections and topics',
      audit: 'preference-page:published',
      description:
        'Only increments a version number, for clients that require it: changes of sections and topics take effect immediately.',
      replies: {
        200: Type.Object(
          {
            page_id: Type.String({ description: 'Id of the preference page; constant.' }),
            published_version: Type.Integer({ description: 'Version number; increases with each call.' }),
            published_at: Type.String({ description: 'Time of publishing, ISO 8601.' }),
            published_by: Type.String({ description: 'API key of the call.' }),
            preview_url: Type.Null({ description: 'Always null.' }),
          },
          { title: 'Published', description: 'The published version.' },
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
