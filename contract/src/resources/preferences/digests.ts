/** /digests: what is kept until its schedule releases it, and releasing it now. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, isoMoment, nullable, tenantId } from '../../api/values.ts'
import { DigestCategory, digestExample } from '../../shapes/topic-digest.ts'
import { topicExample, topicParamsExample, topicsMax } from './topics.ts'

export const DigestInstance = Type.Object(
  {
    digest_instance_id: Type.String({ description: 'The id.' }),
    user_id: Type.String({ description: 'Whose it is.' }),
    tenant_id: nullable(Type.String({ description: 'In which tenant; null outside any.' })),
    topic_id: Type.String({ description: 'What it is about.' }),
    schedule_id: Type.String({ description: 'The schedule that its last event came under.' }),
    status: Type.Literal('IN_PROGRESS', { description: 'Always `IN_PROGRESS`: one that is released is a message.' }),
    event_count: Type.Integer({ description: 'How many events have come.' }),
    category_key_counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'How many of each category; an event may belong to several.',
    }),
    categories: Type.Array(DigestCategory, { description: 'The categories as they were when the last event came.' }),
    created_at: isoMoment('When the first event came.'),
    releases_at: isoMoment('When it is due.'),
  },
  { title: 'DigestInstance', description: 'The events that are kept for one recipient about one topic.' },
)
export type DigestInstance = Static<typeof DigestInstance>

export const OpenDigest = Type.Object(
  {
    ...DigestInstance.properties,
    data: Type.Record(
      Type.String(),
      Type.Object({
        count: Type.Integer({ description: 'How many events of the category have come.' }),
        items: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
          description: 'The data of those that are shown.',
        }),
      }),
      { description: 'What the template would be given now.' },
    ),
  },
  { title: 'OpenDigest', description: 'The same with what has been kept.' },
)
export type OpenDigest = Static<typeof OpenDigest>

const scheduleId = String(digestExample.schedules[0]?.schedule_id)
const schedule = Type.Object({ schedule_id: id('A schedule of the digest of a topic.') })
const topic = Type.Object({ section_id: id('The section id.'), topic_id: id('The topic id.') })

const instance = {
  digest_instance_id: '1-65f1a2b3-2a7004f8c1d90b7e6a53',
  user_id: 'user-7',
  tenant_id: null,
  topic_id: topicExample.id,
  schedule_id: scheduleId,
  status: 'IN_PROGRESS',
  event_count: 2,
  category_key_counts: { comments: 2 },
  categories: digestExample.categories,
  created_at: '2024-03-13T12:57:23.000Z',
  releases_at: '2024-03-14T08:00:00.000Z',
}
const items = [{ comments: { author: 'Grace' } }, { comments: { author: 'Alan' } }]

export default resource({
  name: 'digests',
  position: 170,
  title: 'Digests',
  description: 'Events that are kept for a recipient until one message tells of all.',
  operations: [
    operation({
      id: 'digests.list',
      origin: 'postrider',
      method: 'GET',
      path: '/users/:user_id/digests',
      summary: "List a user's open digests",
      description: 'Each with the data its template would be given now.',
      params: Type.Object({ user_id: id('The user id.') }),
      replies: {
        200: Type.Object({ items: Type.Array(OpenDigest, { maxItems: topicsMax, description: 'Oldest first.' }) }),
      },
      example: {
        params: { user_id: 'user-7' },
        reply: { items: [{ ...instance, data: { comments: { count: 2, items } } }] },
      },
    }),
    operation({
      id: 'digests.instances',
      method: 'GET',
      path: '/digests/schedules/:schedule_id/instances',
      summary: 'List the open digests of a schedule',
      description: 'One for each recipient, oldest first.',
      params: schedule,
      query: Type.Object(listPageQuery),
      replies: { 200: listPage(DigestInstance, 'DigestInstances', 'A page of open digests.'), 404: ErrorBody },
      example: {
        params: { schedule_id: scheduleId },
        reply: {
          type: 'list',
          items: [instance],
          url: `/digests/schedules/${scheduleId}/instances`,
          ...lastPage,
        },
      },
    }),
    operation({
      id: 'digests.release',
      method: 'POST',
      path: '/digests/schedules/:schedule_id/trigger',
      summary: 'Release the digests of a schedule now',
      description: 'Each becomes its message within a second or so. Succeeds as well where none is open.',
      params: schedule,
      replies: { 204: null, 404: ErrorBody },
      example: { params: { schedule_id: scheduleId } },
    }),
    operation({
      id: 'digests.releaseOne',
      origin: 'postrider',
      method: 'POST',
      path: '/preferences/sections/:section_id/topics/:topic_id/digest/release',
      summary: "Release a recipient's digest now",
      description: 'Succeeds as well where nothing is kept.',
      params: topic,
      body: Type.Object({
        user_id: id('Whose.'),
        tenant_id: Type.Optional(nullable(tenantId('In which tenant; outside any when left out.'))),
      }),
      replies: { 204: null, 404: ErrorBody },
      example: { params: topicParamsExample, body: { user_id: 'user-7' } },
    }),
    operation({
      id: 'digests.turnOff',
      origin: 'postrider',
      method: 'DELETE',
      path: '/preferences/sections/:section_id/topics/:topic_id/digest',
      summary: 'Take the digest of a topic away',
      audit: 'topic:updated',
      description: 'Nothing more is collected. What is kept already is released when it is due.',
      params: topic,
      replies: { 204: null, 404: ErrorBody },
      example: { params: topicParamsExample },
    }),
  ],
})
