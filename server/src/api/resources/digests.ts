/** /digests: what is kept until its schedule releases it, and releasing it now. */
import { type DigestInstance, tenantsPage, topicsMax } from '@postrider/contract'
import { busy, notFound } from '../../base/errors.ts'
import { iso } from '../../base/time/timestamp.ts'
import {
  type DigestRow,
  eventsOfDigests,
  listDigests,
  makeDigestsDue,
  openDigests,
  type WhichDigests,
} from '../../database/tables/digests/digests.ts'
import { findTopic, isDigestSchedule, type TopicRow, updateTopic } from '../../database/tables/preferences/topics.ts'
import { digestData, type Terms } from '../../digests/terms.ts'
import { type Call, type Reply, type ResourceHandlers, success } from '../call.ts'
import { listPage } from '../paging.ts'

/** Writers of one topic that meet more often than this are programs. */
const WRITES_MAX = 5

export const digests = {
  'digests.list': async ({ params: { user_id } }, { house, caller }) => {
    const open = await openDigests(house.engine, caller.workspaceId, user_id, topicsMax)
    const kept =
      open.length > 0
        ? await eventsOfDigests(
            house.engine,
            open.map(({ id }) => id),
          )
        : []
    const items = open.map((row) => {
      const own = kept.filter(({ digest_id }) => digest_id === row.id)
      return { ...instance(row), data: digestData(termsOf(row), row.counts, own) }
    })
    return success('digests.list', { items })
  },
  'digests.instances': async ({ params: { schedule_id }, query }, call) => {
    const { house, caller } = call
    await checkSchedule(call, schedule_id)
    const { limit = tenantsPage, cursor, starting_after } = query
    const found = await listDigests(house.engine, caller.workspaceId, schedule_id, {
      cursor: cursor ?? starting_after,
      limit,
    })
    const path = `/digests/schedules/${encodeURIComponent(schedule_id)}/instances`
    return success('digests.instances', listPage(path, query, found, instance))
  },
  'digests.release': async ({ params: { schedule_id } }, call) => {
    await checkSchedule(call, schedule_id)
    const reply = success('digests.release', undefined)
    await hasten(call, reply, { scheduleId: schedule_id })
    return reply
  },
  'digests.releaseOne': async ({ params: { section_id, topic_id }, body }, call) => {
    await topicIn(call, section_id, topic_id)
    const reply = success('digests.releaseOne', undefined)
    await hasten(call, reply, { topicId: topic_id, recipient: body.user_id, tenantId: body.tenant_id ?? '' })
    return reply
  },
  'digests.turnOff': async ({ params: { section_id, topic_id } }, call) => {
    const { engine } = call.house
    for (let write = 0; write < WRITES_MAX; write += 1) {
      const topic = await topicIn(call, section_id, topic_id)
      const { digest: _, ...settings } = topic.settings
      const change = { ...topic, settings, author: call.caller.name, now: call.now }
      if (await updateTopic(engine, call.caller.workspaceId, section_id, topic_id, change, topic.settings))
        return success('digests.turnOff', undefined)
    }
    throw busy('The topic is being changed by others')
  },
} satisfies ResourceHandlers<'digests'>

async function topicIn({ house, caller }: Call, sectionId: string, id: string): Promise<TopicRow> {
  const topic = await findTopic(house.engine, caller.workspaceId, id)
  if (topic?.sectionId !== sectionId) throw notFound()
  return topic
}

async function checkSchedule({ house, caller }: Call, id: string): Promise<void> {
  if (!(await isDigestSchedule(house.engine, caller.workspaceId, id))) throw notFound()
}

const hasten = ({ keeping, caller, now }: Call, reply: Reply, which: WhichDigests) =>
  makeDigestsDue(keeping(reply), caller.workspaceId, which, now)

const termsOf = ({ terms }: DigestRow) => JSON.parse(terms) as Terms

function instance(row: DigestRow): DigestInstance {
  return {
    digest_instance_id: row.id,
    user_id: row.recipient,
    tenant_id: row.tenant_id === '' ? null : row.tenant_id,
    topic_id: row.topic_id,
    schedule_id: row.schedule_id,
    status: 'IN_PROGRESS',
    event_count: row.events,
    category_key_counts: row.counts,
    categories: [...termsOf(row).categories],
    created_at: iso(row.opened),
    releases_at: iso(row.due_at),
  }
}
