/** /audiences: filters, and whom they match. */
import {
  type Audience,
  audienceMembersPage,
  audiencePreviewPage,
  audiencesMax,
  audiencesPage,
} from '@postrider/contract'
import { parseFilter } from '../../../audiences/filter.ts'
import { previewAudience } from '../../../audiences/preview.ts'
import { invalidRequest, notFound } from '../../../base/errors.ts'
import { iso } from '../../../base/time/clock.ts'
import {
  type AudienceRow,
  deleteAudience,
  findAudience,
  listAudienceMembers,
  listAudiences,
  putAudience,
  storedAudience,
} from '../../../database/tables/audiences/audiences.ts'
import { paging, success } from '../../call.ts'
import { orNotFound, otherwise, type ResourceHandlers } from '../../outcome.ts'
import { existsAlready, resourceNamed } from '../../preconditions.ts'

export const audiences = {
  'audiences.list': async ({ query: { cursor, limit = audiencesPage } }, { app, caller }) => {
    const page = await listAudiences(app.database, caller.workspaceId, cursor, limit)
    return success('audiences.list', { items: page.rows.map(record), paging: paging(page) })
  },
  'audiences.get': async ({ params: { audience_id } }, { app, caller }) => {
    const row = await findAudience(app.database, caller.workspaceId, audience_id)
    if (!row) throw notFound()
    const audience = record(row)
    return success('audiences.get', { ...audience, audience })
  },
  'audiences.put': ({ params: { audience_id }, body }, { app, caller, now, preconditions }) => {
    const { name, description, filter, operator } = body
    if (filter) parseFilter(filter, operator)
    const write = {
      ...(name !== undefined && { name: name ?? '' }),
      ...(description !== undefined && { description: description ?? '' }),
      ...(filter !== undefined && { filter }),
      ...(operator !== undefined && { operator }),
    }
    return {
      writes: putAudience(caller.workspaceId, audience_id, write, now, { ...preconditions, max: audiencesMax }),
      onConflict: otherwise(async () =>
        preconditions.mustBeAbsent && (await findAudience(app.database, caller.workspaceId, audience_id))
          ? existsAlready(resourceNamed('audience', audience_id))
          : invalidRequest(`A workspace has at most ${audiencesMax} audiences`, { code: 'audience_limit_reached' }),
      ),
      replyFrom: (results) => success('audiences.put', { audience: record(storedAudience(results)) }),
    }
  },
  'audiences.preview': async ({ body: { filter, operator, limit = audiencePreviewPage } }, { app, caller }) => {
    if (!filter) return success('audiences.preview', { matched: 0, evaluated: 0, complete: true, items: [] })
    const preview = await previewAudience(app.database, caller.workspaceId, parseFilter(filter, operator), limit)
    const { matched, evaluated, isComplete, members } = preview
    const items = members.map(({ id, reason }) => ({ member_id: id, reason }))
    return success('audiences.preview', { matched, evaluated, complete: isComplete, items })
  },
  'audiences.delete': ({ params: { audience_id } }, { caller, now }) => ({
    reply: success('audiences.delete', undefined),
    writes: deleteAudience(caller.workspaceId, audience_id, now),
    onConflict: orNotFound,
  }),
  'audiences.members': async (
    { params: { audience_id }, query: { cursor, limit = audienceMembersPage } },
    { app, caller },
  ) => {
    const { database } = app
    if (!(await findAudience(database, caller.workspaceId, audience_id))) throw notFound()
    const page = await listAudienceMembers(database, caller.workspaceId, audience_id, cursor, limit)
    const items = page.rows.map(({ memberId, version, reason, added }) => ({
      member_id: memberId,
      added_at: iso(added),
      audience_id,
      audience_version: version,
      reason,
    }))
    return success('audiences.members', { items, paging: paging(page) })
  },
} satisfies ResourceHandlers<'audiences'>

function record({ id, name, description, filter, operator, created, updated }: AudienceRow): Audience {
  return {
    id,
    name,
    description,
    filter,
    ...(operator !== null && { operator: operator as 'AND' | 'OR' }),
    created_at: iso(created),
    updated_at: iso(updated),
  }
}
