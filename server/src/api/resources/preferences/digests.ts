/** /digests: events collected until their schedule releases them, and releasing them now. */
import { type DigestInstance, tenantsPage, topicsMax } from '@postrider/contract'
import { notFound } from '../../../base/errors.ts'
import { iso } from '../../../base/time/clock.ts'
import {
  type DigestRow,
  eventsOfDigests,
  listDigests,
  makeDigestsDue,
  openDigests,
} from '../../../database/tables/digests/digests.ts'
import { findTopic, isDigestSchedule, type TopicRow, updateTopic } from '../../../database/tables/preferences/topics.ts'
import { digestData, type Terms } from '../../../digests/terms.ts'
import { type CallContext, listPage, success } from '../../call.ts'
import { otherwise, type ResourceHandlers, retry } from '../../outcome.ts'

export const digests = {
  'digests.list': async ({ params: { user_id } }, { app, caller }) => {
    const open = await openDigests(app.database, caller.workspaceId, user_id, topicsMax)
    const kept =
      open.length > 0
        ? await eventsOfDigests(
            app.database,
            open.map(({ id }) => id),
          )
        : []
    const items = open.map((row) => {
      const ofDigest = kept.filter(({ digest_id }) => digest_id === row.id)
      return { ...instance(row), data: digestData(termsOf(row), row.counts, ofDigest) }
    })
    return success('digests.list', { items })
  },
  'digests.instances': async ({ params: { schedule_id }, query }, ctx) => {
    const { app, caller } = ctx
    await checkSchedule(ctx, schedule_id)
    const { limit = tenantsPage, cursor, starting_after } = query
    const page = await listDigests(app.database, caller.workspaceId, schedule_id, {
      cursor: cursor ?? starting_after,
      limit,
    })
    const path = `/digests/schedules/${encodeURIComponent(schedule_id)}/instances`
    return success('digests.instances', listPage(path, query, page, instance))
  },
  'digests.release': async ({ params: { schedule_id } }, ctx) => {
    await checkSchedule(ctx, schedule_id)
    return {
      reply: success('digests.release', undefined),
      writes: makeDigestsDue(ctx.caller.workspaceId, { scheduleId: schedule_id, ...sentBy(ctx.caller) }, ctx.now),
    }
  },
  'digests.releaseOne': async ({ params: { section_id, topic_id }, body }, ctx) => {
    await topicIn(ctx, section_id, topic_id)
    const which = { topicId: topic_id, recipient: body.user_id, tenantId: body.tenant_id ?? '', ...sentBy(ctx.caller) }
    return {
      reply: success('digests.releaseOne', undefined),
      writes: makeDigestsDue(ctx.caller.workspaceId, which, ctx.now),
    }
  },
  'digests.turnOff': async ({ params: { section_id, topic_id } }, ctx) => {
    const topic = await topicIn(ctx, section_id, topic_id)
    const { digest: _, ...settings } = topic.settings
    const change = { ...topic, settings, author: ctx.caller.name, now: ctx.now }
    return {
      reply: success('digests.turnOff', undefined),
      writes: updateTopic(ctx.caller.workspaceId, section_id, topic_id, change, topic.settings),
      onConflict: otherwise(() => retry('The topic is being changed by others')),
    }
  },
} satisfies ResourceHandlers<'digests'>

/** A draft or mock key releases the digests of its sends only. */
const sentBy = ({ mode }: CallContext['caller']) => (mode === 'live' ? {} : { mode })

async function topicIn({ app, caller }: CallContext, sectionId: string, id: string): Promise<TopicRow> {
  const topic = await findTopic(app.database, caller.workspaceId, id)
  if (topic?.sectionId !== sectionId) throw notFound()
  return topic
}

async function checkSchedule({ app, caller }: CallContext, id: string): Promise<void> {
  if (!(await isDigestSchedule(app.database, caller.workspaceId, id))) throw notFound()
}

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
