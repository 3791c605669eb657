/** /audiences: filters, and whom they match. */
import { type Audience, audienceMembersPage, audiencesMax, audiencesPage } from '@postrider/contract'
import { parseFilter } from '../../audiences/filter.ts'
import { invalidRequest, notFound } from '../../base/errors.ts'
import { iso } from '../../base/time/timestamp.ts'
import {
  type AudienceRow,
  deleteAudience,
  findAudience,
  listAudienceMembers,
  listAudiences,
  putAudience,
} from '../../database/tables/audiences/audiences.ts'
import { type ResourceHandlers, success } from '../call.ts'
import { paging } from '../paging.ts'

export const audiences = {
  'audiences.list': async ({ query: { cursor, limit = audiencesPage } }, { house, caller }) => {
    const page = await listAudiences(house.engine, caller.workspaceId, cursor, limit)
    return success('audiences.list', { items: page.rows.map(record), paging: paging(page) })
  },
  'audiences.get': async ({ params: { audience_id } }, { house, caller }) => {
    const found = await findAudience(house.engine, caller.workspaceId, audience_id)
    if (!found) throw notFound()
    const audience = record(found)
    return success('audiences.get', { ...audience, audience })
  },
  'audiences.put': async ({ params: { audience_id }, body }, { house, caller, now }) => {
    const { name, description, filter, operator } = body
    if (filter) parseFilter(filter, operator)
    const write = {
      ...(name !== undefined && { name: name ?? '' }),
      ...(description !== undefined && { description: description ?? '' }),
      ...(filter !== undefined && { filter }),
      ...(operator !== undefined && { operator }),
    }
    const row = await putAudience(house.engine, caller.workspaceId, audience_id, write, now, audiencesMax)
    if (!row) throw invalidRequest(`A workspace has at most ${audiencesMax} audiences`)
    return success('audiences.put', { audience: record(row) })
  },
  'audiences.delete': async ({ params: { audience_id } }, { caller, now, keeping }) => {
    const reply = success('audiences.delete', undefined)
    if (!(await deleteAudience(keeping(reply), caller.workspaceId, audience_id, now))) throw notFound()
    return reply
  },
  'audiences.members': async (
    { params: { audience_id }, query: { cursor, limit = audienceMembersPage } },
    { house, caller },
  ) => {
    const { engine } = house
    if (!(await findAudience(engine, caller.workspaceId, audience_id))) throw notFound()
    const page = await listAudienceMembers(engine, caller.workspaceId, audience_id, cursor, limit)
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
