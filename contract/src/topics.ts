/** /preferences/sections/:section_id/topics: the subjects recipients can opt in to or out of. */
import { Type } from 'typebox'
import { digestWriteExample } from './digest.ts'
import { ErrorBody } from './errors.ts'
import { id } from './json.ts'
import { topicsMax } from './limits.ts'
import { operation } from './operation.ts'
import { sectionExample, Topic, TopicWrite, topicExample } from './topic.ts'

const section = Type.Object({ section_id: id('The section id.') })
const params = Type.Object({ section_id: id('The section id.'), topic_id: id('The topic id.') })
const inSection = { section_id: sectionExample.id }
const example = { ...inSection, topic_id: topicExample.id }
const write = {
  name: 'Orders',
  default_status: 'OPTED_IN',
  routing_options: ['email', 'push'],
  digest: digestWriteExample,
}

export const topicOperations = [
  operation({
    id: 'topics.list',
    method: 'GET',
    path: '/preferences/sections/:section_id/topics',
    summary: 'List the topics of a section',
    description: 'Oldest first.',
    params: section,
    replies: { 200: Type.Object({ results: Type.Array(Topic, { maxItems: topicsMax }) }), 404: ErrorBody },
    example: { params: inSection, reply: { results: [topicExample] } },
  }),
  operation({
    id: 'topics.create',
    method: 'POST',
    path: '/preferences/sections/:section_id/topics',
    recommendedPerMinute: 20,
    summary: 'Create a topic',
    audit: 'topic:created',
    params: section,
    body: TopicWrite,
    replies: { 200: Topic, 404: ErrorBody, 409: ErrorBody },
    example: { params: inSection, body: write, reply: topicExample },
  }),
  operation({
    id: 'topics.get',
    method: 'GET',
    path: '/preferences/sections/:section_id/topics/:topic_id',
    summary: 'Get a topic',
    params,
    replies: { 200: Topic, 404: ErrorBody },
    example: { params: example, reply: topicExample },
  }),
  operation({
    id: 'topics.replace',
    method: 'PUT',
    path: '/preferences/sections/:section_id/topics/:topic_id',
    summary: 'Replace a topic',
    audit: 'topic:updated',
    description: 'Fields that are left out are cleared, but for `digest`. What users chose stays.',
    params,
    body: TopicWrite,
    replies: { 200: Topic, 404: ErrorBody, 409: ErrorBody },
    example: { params: example, body: write, reply: topicExample },
  }),
  operation({
    id: 'topics.archive',
    method: 'DELETE',
    path: '/preferences/sections/:section_id/topics/:topic_id',
    summary: 'Archive a topic',
    audit: 'topic:archived',
    description:
      'It is shown no more and its default holds no more. Who opted out of it still gets nothing that is about it.',
    params,
    replies: { 204: null, 404: ErrorBody },
    example: { params: example },
  }),
] as const
