/** /digests: open digests, and their release before schedule. */
import { type Static, Type } from 'typebox'
import { ErrorBody } from '../../api/errors.ts'
import { operation } from '../../api/operation.ts'
import { lastPage, listPage, listPageQuery } from '../../api/paging.ts'
import { resource } from '../../api/resource.ts'
import { id, isoTimestamp, nullable, tenantId } from '../../api/values.ts'
import { DigestCategory, digestExample } from '../../shapes/topic-digest.ts'
import { topicExample, topicParamsExample, topicsMax } from './topics.ts'

export const DigestInstance = Type.Object(
  {
    digest_instance_id: Type.String({ description: 'The digest id.' }),
    user_id: Type.String({ description: 'The recipient.' }),
    tenant_id: nullable(Type.String({ description: 'Tenant of the digest; null outside any tenant.' })),
    topic_id: Type.String({ description: 'The topic.' }),
    schedule_id: Type.String({ description: 'Schedule of the recipient at the last event.' }),
    status: Type.Literal('IN_PROGRESS', { description: 'Always `IN_PROGRESS`; a released digest is a message.' }),
    event_count: Type.Integer({ description: 'Number of events.' }),
    category_key_counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'Number of events by category; an event can belong to several.',
    }),
    categories: Type.Array(DigestCategory, { description: 'Categories at the time of the last event.' }),
    created_at: isoTimestamp('Time of the first event.'),
    releases_at: isoTimestamp('Time of release.'),
  },
  { title: 'DigestInstance', description: 'An open digest: collected events for one recipient and topic.' },
)
export type DigestInstance = Static<typeof DigestInstance>

export const OpenDigest = Type.Object(
  {
    ...DigestInstance.properties,
    data: Type.Record(
      Type.String(),
      Type.Object({
        count: Type.Integer({ description: 'Number of events of the category.' }),
        items: Type.Array(Type.Unsafe<Record<string, unknown>>({ type: 'object' }), {
          description: 'Data of the retained events.',
        }),
      }),
      { description: 'Current data of the template.' },
    ),
  },
  { title: 'OpenDigest', description: 'An open digest with its data.' },
)
export type OpenDigest = Static<typeof OpenDigest>

const scheduleId = String(digestExample.schedules[0]?.schedule_id)
const schedule = Type.Object({ schedule_id: id('Id of a digest schedule.') })
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
  description: 'Events that are collected for a recipient and sent as one message.',
  operations: [
    operation({
      id: 'digests.list',
      origin: 'postrider',
      method: 'GET',
      path: '/users/:user_id/digests',
      summary: "List a user's open digests",
      description: 'Includes the current data of the template.',
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
      description: 'One digest for each recipient, oldest first.',
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
      access: 'sender',
      summary: 'Release the digests of a schedule now',
      description: 'Each open digest becomes a message within about a second. Succeeds if there is none.',
      params: schedule,
      replies: { 204: null, 404: ErrorBody },
      example: { params: { schedule_id: scheduleId } },
    }),
    operation({
      id: 'digests.releaseOne',
      origin: 'postrider',
      method: 'POST',
      path: '/preferences/sections/:section_id/topics/:topic_id/digest/release',
      access: 'sender',
      summary: "Release a recipient's digest now",
      description: 'Succeeds if there is no open digest.',
      params: topic,
      body: Type.Object({
        user_id: id('The recipient.'),
        tenant_id: Type.Optional(nullable(tenantId('Tenant of the digest. Default: outside any tenant.'))),
      }),
      replies: { 204: null, 404: ErrorBody },
      example: { params: topicParamsExample, body: { user_id: 'user-7' } },
    }),
    operation({
      id: 'digests.turnOff',
      origin: 'postrider',
      method: 'DELETE',
      path: '/preferences/sections/:section_id/topics/:topic_id/digest',
      summary: 'Remove the digest of a topic',
      audit: 'topic:updated',
      description: 'No more events are collected. Open digests are released on schedule.',
      params: topic,
      replies: { 204: null, 404: ErrorBody },
      example: { params: topicParamsExample },
    }),
  ],
})
